// purpose: API keys of a tenant or, for the operator, of all, oldest first.
// mode: read
// scope: system
// param $of: string, the tenant, or null for all
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (k:ApiKey) WHERE $of IS NULL OR k.tenant = $of
RETURN properties(k) AS row ORDER BY k.created_at, k.id LIMIT $limit
