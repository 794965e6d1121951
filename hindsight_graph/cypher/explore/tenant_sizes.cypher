// purpose: How much each tenant holds.
// mode: read
// scope: system
// returns: tenant, memories, active
// since: 5.26
MATCH (m:Memory)
RETURN m.tenant AS tenant, count(*) AS memories, sum(CASE WHEN m.is_current AND m.status = 'active' THEN 1 ELSE 0 END) AS active
ORDER BY memories DESC, tenant LIMIT 100
