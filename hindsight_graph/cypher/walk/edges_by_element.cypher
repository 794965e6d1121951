// purpose: Edges that a search for paths chose.
// mode: read
// scope: tenant
// param $tenant: string
// param $elements: list of element ids
// returns: packed: list of [element, edge_row]
// since: 5.26
UNWIND $elements AS element
MATCH (s:Node {tenant: $tenant})-[e]->(t:Node {tenant: $tenant}) WHERE elementId(e) = element
WITH element, s, t, type(e) AS type, properties(e) AS x
WITH element,
//+ edge_row
RETURN collect([element, row]) AS packed
