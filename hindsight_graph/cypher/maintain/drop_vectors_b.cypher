// purpose: Drop the vector index over embedding_b; the vectors stay.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
DROP INDEX memory_embedding_b IF EXISTS
