// purpose: A page of idempotency keys as they are stored; by position, since Neo4j compares strings beyond the BMP otherwise than it sorts them.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: integer, rows before the page
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (k:Idempotency {tenant: $tenant})
RETURN properties(k) AS row ORDER BY k.agent, k.key SKIP $after LIMIT $limit
