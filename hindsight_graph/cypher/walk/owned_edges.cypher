// purpose: Every edge that memories own, whatever its state.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: owner, edge: map, type, the ids and canonical ids of its ends
// since: 5.26
UNWIND $ids AS owner
MATCH (o:Node {tenant: $tenant, id: owner})
UNWIND o.edge_sources AS source_id
MATCH (s:Node {tenant: $tenant, id: source_id})-[x]->(t:Node {tenant: $tenant}) WHERE x.owner_id = owner AND
//+ visible
RETURN owner, properties(x) AS edge, type(x) AS type, s.id AS source_id, s.canonical_id AS source_canonical,
  t.id AS target_id, t.canonical_id AS target_canonical
