// purpose: Edges that a search for paths chose.
// mode: read
// scope: tenant
// param $tenant: string
// param $elements: list of element ids
// returns: element, edge: map, type, the ids and canonical ids of its ends
// since: 5.26
UNWIND $elements AS element
MATCH (s:Node {tenant: $tenant})-[x]->(t:Node {tenant: $tenant}) WHERE elementId(x) = element
RETURN element, properties(x) AS edge, type(x) AS type, s.id AS source_id, s.canonical_id AS source_canonical,
  t.id AS target_id, t.canonical_id AS target_canonical
