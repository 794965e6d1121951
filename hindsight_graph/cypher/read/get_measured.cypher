// purpose: Visible memories by id, and how near they are to a vector: the former, the latter or both of each.
// mode: read
// scope: tenant
// param $tenant: string
// param $asked: list of [id, whether its fields are wanted, whether its cosine]
// param $embedding: string, the property that holds the vector
// param $vector: list of floats
// returns: packed: list of [id, memory_row or null, cosine or null], vectors: map or null, whose they are
// since: 5.26
UNWIND $asked AS one
MATCH (x:Node {tenant: $tenant, id: one[0]}) WHERE x:Memory AND
//+ visible
WITH one, x, CASE WHEN one[2] AND
//+ held
THEN x[$embedding] END AS vector
WITH one, vector, CASE WHEN one[1] THEN x END AS x
WITH one[0] AS id, vector, x IS NOT NULL AS wanted,
//+ memory_row
WITH id, CASE WHEN wanted THEN row END AS row,
  CASE WHEN vector IS NOT NULL THEN 2 * vector.similarity.cosine(vector, $vector) - 1 END AS cosine
WITH collect([id, row, cosine]) AS packed
OPTIONAL MATCH (v:Meta {key: 'vectors'})
RETURN packed, properties(v) AS vectors
