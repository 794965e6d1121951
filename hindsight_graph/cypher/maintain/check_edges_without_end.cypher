// purpose: Edges that hang from a node that was never written, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (n:Node)-[x]-(:Node) WHERE NOT n:Memory AND NOT n:Entity AND NOT n:Episode
RETURN x.tenant AS tenant, x.id AS id
ORDER BY tenant, id LIMIT 1000
