// purpose: Let the second set of vectors take the place of the first, of all memories.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
MATCH (x:Memory)
SET x.embedding_a = x.embedding_b
REMOVE x.embedding_b
