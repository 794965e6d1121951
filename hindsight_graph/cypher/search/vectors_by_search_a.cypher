// purpose: The nearest by the vector index a, which filters tenant and trust itself; the rest afterwards, scored exactly.
// mode: read
// scope: tenant
// param $tenant: string
// param $embedding: string, the property the index is over
// param $vector: list of floats
// param $fetch: integer, candidates from the index
// param $where.min_trust: float
// param $k: integer
// returns: packed: list of [id, cosine], vectors: map or null, whose they are
// since: 2026.01
CYPHER 25
MATCH (x:Memory)
SEARCH x IN (
  VECTOR INDEX memory_embedding_a
  FOR $vector
  WHERE x.tenant = $tenant AND x.trust >= $where.min_trust
  LIMIT $fetch
)
WHERE
//+ admitted
WITH x.id AS id, 2 * vector.similarity.cosine(x[$embedding], $vector) - 1 AS score
WITH id, score ORDER BY score DESC, id LIMIT $k
WITH collect([id, score]) AS packed
OPTIONAL MATCH (v:Meta {key: 'vectors'})
RETURN packed, properties(v) AS vectors
