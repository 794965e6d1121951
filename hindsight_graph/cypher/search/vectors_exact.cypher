// purpose: The nearest of all memories that a filter admits.
// mode: read
// scope: tenant
// param $embedding: string, the property that holds the vector
// param $vector: list of floats
// param $k: integer
// returns: packed: list of [id, cosine]
// since: 5.26
//+ candidates
WITH x WHERE x[$embedding] IS NOT NULL AND
//+ admitted
WITH x.id AS id, 2 * vector.similarity.cosine(x[$embedding], $vector) - 1 AS score
WITH id, score ORDER BY score DESC, id LIMIT $k
RETURN collect([id, score]) AS packed
