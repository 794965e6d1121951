// purpose: Remove the second set of vectors and the record of its model.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
MATCH (m:Meta {key: 'vectors_next'})
DELETE m
WITH count(*) AS records
MATCH (x:Memory) WHERE x.embedding_b IS NOT NULL
REMOVE x.embedding_b
