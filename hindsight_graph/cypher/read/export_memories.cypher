// purpose: A page of memories as they are stored, with what they are found by, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $embedding: string, the property that holds the vector
// param $after: string, the id before the page
// param $limit: integer
// returns: terms, vector: list of floats or null, row: memory_row
// since: 5.26
MATCH (x:Node {tenant: $tenant}) WHERE x.id > $after AND x:Memory
RETURN x.terms AS terms, x[$embedding] AS vector,
//+ memory_row
ORDER BY x.id LIMIT $limit
