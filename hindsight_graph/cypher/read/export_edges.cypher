// purpose: The edges of some owners, each starting node looked at once.
// mode: read
// scope: tenant
// param $tenant: string
// param $sources: list of strings, where the edges start
// param $owners: list of strings
// returns: edge: map, type, the ids and canonical ids of its ends
// since: 5.26
UNWIND $sources AS source_id
MATCH (s:Node {tenant: $tenant, id: source_id})-[x]->(t:Node {tenant: $tenant}) WHERE x.owner_id IN $owners
RETURN properties(x) AS edge, type(x) AS type, s.id AS source_id, s.canonical_id AS source_canonical,
  t.id AS target_id, t.canonical_id AS target_canonical
