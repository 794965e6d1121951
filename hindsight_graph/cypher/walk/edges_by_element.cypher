// purpose: Edges that a search for paths chose.
// mode: read
// scope: tenant
// param $tenant: string
// param $elements: list of element ids
// returns: packed: list of [element, edge_row]
// since: 5.26
UNWIND $elements AS element
MATCH (s:Node {tenant: $tenant})-[x]->(t:Node {tenant: $tenant}) WHERE elementId(x) = element
WITH element,
//+ edge_row
RETURN collect([element, row]) AS packed
