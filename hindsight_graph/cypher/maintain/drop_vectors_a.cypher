// purpose: Drop the vector index over embedding_a; the vectors stay.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
DROP INDEX memory_embedding_a IF EXISTS
