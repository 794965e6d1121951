// purpose: Edges whose owner does not exist, the first ones.
// mode: read
// scope: system
// returns: tenant, id
// since: 5.26
MATCH (:Node)-[x]->(:Node)
WHERE NOT EXISTS { MATCH (o:Node {tenant: x.tenant, id: x.owner_id}) WHERE o:Memory OR o:Episode OR o:Entity }
RETURN x.tenant AS tenant, x.id AS id
ORDER BY tenant, id LIMIT 1000
