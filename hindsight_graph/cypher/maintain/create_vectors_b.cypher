// purpose: The vector index over embedding_b; two alternate, so that another model can fill one while the other answers.
// mode: write
// scope: system
// param $options: map, dimension and similarity
// returns: nothing
// since: 5.26
// until: 5.26
CREATE VECTOR INDEX memory_embedding_b IF NOT EXISTS FOR (m:Memory) ON m.embedding_b OPTIONS $options
