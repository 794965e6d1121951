// purpose: Memories whose content key is missing or left over, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (m:Memory) WHERE (m.content_key IS NULL) = (m.is_current AND m.status <> 'rejected')
RETURN m.tenant AS tenant, m.id AS id
ORDER BY tenant, id LIMIT 1000
