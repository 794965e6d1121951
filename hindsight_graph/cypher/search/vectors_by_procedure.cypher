// purpose: The nearest by the vector index, nearest first and filtered until enough are found; those scored exactly.
// mode: read
// scope: tenant
// param $tenant: string
// param $index: string, which vector index
// param $embedding: string, the property it is over
// param $vector: list of floats
// param $fetch: integer, candidates from the index
// param $measured: integer, how many that pass the filter are scored exactly
// param $k: integer
// returns: packed: list of [id, cosine], vectors: map or null, whose they are
// since: 5.26
// until: 5.26
CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS x
WHERE x.tenant = $tenant AND
//+ admitted
WITH x LIMIT $measured
WITH x.id AS id, 2 * vector.similarity.cosine(x[$embedding], $vector) - 1 AS score
WITH id, score ORDER BY score DESC, id LIMIT $k
WITH collect([id, score]) AS packed
OPTIONAL MATCH (v:Meta {key: 'vectors'})
RETURN packed, properties(v) AS vectors
