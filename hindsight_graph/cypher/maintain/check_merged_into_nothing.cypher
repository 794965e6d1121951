// purpose: Entities merged into one that does not exist or is merged itself, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (e:Entity) WHERE NOT EXISTS { MATCH (c:Entity {tenant: e.tenant, id: e.canonical_id}) WHERE c.canonical_id = c.id }
RETURN e.tenant AS tenant, e.id AS id
ORDER BY tenant, id LIMIT 1000
