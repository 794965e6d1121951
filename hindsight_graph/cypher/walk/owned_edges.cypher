// purpose: Every edge that memories own, whatever its state.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: packed: list of [owner, edge_row]
// since: 5.26
UNWIND $ids AS owner
MATCH (o:Node {tenant: $tenant, id: owner})
UNWIND o.edge_sources AS source_id
MATCH (s:Node {tenant: $tenant, id: source_id})-[e]->(t:Node {tenant: $tenant}) WHERE e.owner_id = owner
WITH owner, s, t, type(e) AS type, properties(e) AS x
WHERE
//+ visible
WITH owner,
//+ edge_row
RETURN collect([owner, row]) AS packed
