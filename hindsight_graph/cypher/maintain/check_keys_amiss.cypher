// purpose: Memories with a tag, a tool or a band that the index does not have, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (m:Memory)
WHERE size(m.keys) <> 1 + size(coalesce(m.tags, [])) + size(coalesce(m.tools, [])) + size(coalesce(m.bands, []))
RETURN m.tenant AS tenant, m.id AS id
ORDER BY tenant, id LIMIT 1000
