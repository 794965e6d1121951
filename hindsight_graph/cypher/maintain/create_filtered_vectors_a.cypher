// purpose: The vector index over embedding_a with the properties that SEARCH may filter by.
// mode: write
// scope: system
// param $options: map, dimension and similarity
// returns: nothing
// since: 2026.01
CYPHER 25 CREATE VECTOR INDEX memory_embedding_a IF NOT EXISTS FOR (m:Memory) ON m.embedding_a WITH [m.tenant, m.trust] OPTIONS $options
