// purpose: Embeddings of visible memories.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// param $embedding: string, the property that holds it
// returns: id, vector: list of floats
// since: 5.26
UNWIND $ids AS id
MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory AND x[$embedding] IS NOT NULL AND
//+ visible
RETURN DISTINCT id, x[$embedding] AS vector
