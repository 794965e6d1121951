// purpose: Edges that their owner does not list, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (s:Node)-[x]->(:Node)
MATCH (o:Node {tenant: x.tenant, id: x.owner_id}) WHERE NOT x.id IN coalesce(o.edge_ids, []) OR NOT s.id IN coalesce(o.edge_sources, [])
RETURN x.tenant AS tenant, x.id AS id
ORDER BY tenant, id LIMIT 1000
