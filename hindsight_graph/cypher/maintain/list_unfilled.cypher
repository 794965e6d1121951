// purpose: Memories that have no vector in the second set, and what one is made of.
// mode: read
// scope: system
// param $limit: integer
// returns: tenant, id, summary, context
// since: 5.26
MATCH (x:Memory) WHERE x.embedding_b IS NULL
RETURN x.tenant AS tenant, x.id AS id, x.summary AS summary, coalesce(x.context, '') AS context
ORDER BY tenant, id LIMIT $limit
