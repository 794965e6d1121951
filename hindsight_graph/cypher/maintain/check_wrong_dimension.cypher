// purpose: Memories whose vector has another dimension than is recorded, the first ones.
// mode: read
// scope: system
// param $dimension: integer
// returns: tenant, id
// since: 5.26
MATCH (m:Memory) WHERE m.embedding_a IS NOT NULL AND size(m.embedding_a) <> $dimension
RETURN m.tenant AS tenant, m.id AS id
ORDER BY tenant, id LIMIT 1000
