// purpose: The tenants that have a row.
// mode: read
// scope: system
// returns: tenant
// since: 5.26
MATCH (n:Node) RETURN DISTINCT n.tenant AS tenant
UNION
MATCH (n:Session) RETURN DISTINCT n.tenant AS tenant
UNION
MATCH (n:Job) RETURN DISTINCT n.tenant AS tenant
UNION
MATCH (n:Audit) RETURN DISTINCT n.tenant AS tenant
UNION
MATCH (n:Idempotency) RETURN DISTINCT n.tenant AS tenant
