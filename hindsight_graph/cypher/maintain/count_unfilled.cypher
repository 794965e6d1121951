// purpose: How many memories have no vector in the second set.
// mode: read
// scope: system
// returns: count
// since: 5.26
MATCH (x:Memory) WHERE x.embedding_b IS NULL
RETURN count(*) AS count
