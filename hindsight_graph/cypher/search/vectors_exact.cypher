// purpose: The nearest of all memories that a filter admits.
// mode: read
// scope: tenant
// param $embedding: string, the property that holds the vector
// param $vector: list of floats
// param $k: integer
// returns: packed: list of [id, cosine], vectors: map or null, whose they are
// since: 5.26
//+ candidates
WITH x WHERE
//+ admitted
WITH x.id AS id, x[$embedding] AS vector WHERE vector IS NOT NULL
WITH id, 2 * vector.similarity.cosine(vector, $vector) - 1 AS score ORDER BY score DESC, id LIMIT $k
WITH collect([id, score]) AS packed
OPTIONAL MATCH (v:Meta {key: 'vectors'})
RETURN packed, properties(v) AS vectors
