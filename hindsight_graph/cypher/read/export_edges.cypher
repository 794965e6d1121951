// purpose: The edges of some owners, each starting node looked at once.
// mode: read
// scope: tenant
// param $tenant: string
// param $sources: list of strings, where the edges start
// param $owners: list of strings
// returns: packed: list of edge_row
// since: 5.26
UNWIND $sources AS source_id
MATCH (s:Node {tenant: $tenant, id: source_id})-[e]->(t:Node {tenant: $tenant}) WHERE e.owner_id IN $owners
WITH s, t, type(e) AS type, properties(e) AS x
WITH
//+ edge_row
RETURN collect(row) AS packed
