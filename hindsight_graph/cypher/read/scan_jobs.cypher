// purpose: One page of the jobs the scope sees, newest first.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.states: list of strings, empty for all
// param $where.kinds: list of strings, empty for all
// param $where.cursor_time: integer or null
// param $where.cursor_id: string or null
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (x:Job {tenant: $tenant})
WHERE (size($where.states) = 0 OR x.state IN $where.states) AND (size($where.kinds) = 0 OR x.kind IN $where.kinds)
  AND ($where.cursor_time IS NULL OR x.created_at < $where.cursor_time
    OR (x.created_at = $where.cursor_time AND x.id < $where.cursor_id)) AND
//+ own
RETURN properties(x) AS row ORDER BY x.created_at DESC, x.id DESC LIMIT $limit
