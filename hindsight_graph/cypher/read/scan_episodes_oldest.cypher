// purpose: One page of episodes, oldest first; ties by their place in the session, then id.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.ids: list of strings or null
// param $where.session_id: string or null
// param $where.hashes: list of strings, empty for all
// param $where.raw_refs: list of strings, empty for all
// param $where.roles: list of strings, empty for all
// param $where.after: integer or null, occurred_at from here on
// param $where.before: integer or null, occurred_at before this
// param $by_event: boolean, by occurred_at instead of recorded_at
// param $where.cursor_time: integer or null
// param $where.cursor_sequence: integer or null
// param $where.cursor_id: string or null
// param $where.access: string, which branch is taken
// param $limit: integer
// returns: row: map, time: integer
// since: 5.26
CALL () {
  WITH 1 AS one WHERE $where.access = 'tenant'
  MATCH (x:Episode {tenant: $tenant})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'ids'
  UNWIND $where.ids AS id
  MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Episode
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'hashes'
  MATCH (x:Episode {tenant: $tenant}) WHERE x.content_hash IN $where.hashes
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'raw_refs'
  MATCH (x:Episode {tenant: $tenant}) WHERE x.raw_ref IN $where.raw_refs
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'session'
  MATCH (x:Episode {tenant: $tenant, session_id: $where.session_id})
  RETURN x
}
WITH x, CASE WHEN $by_event THEN x.occurred_at ELSE x.recorded_at END AS time
WHERE (
    $where.cursor_time IS NULL OR time > $where.cursor_time
    OR (time = $where.cursor_time AND (x.sequence > $where.cursor_sequence OR (x.sequence = $where.cursor_sequence AND x.id > $where.cursor_id)))
  )
  AND ($where.ids IS NULL OR x.id IN $where.ids)
  AND ($where.session_id IS NULL OR x.session_id = $where.session_id)
  AND (size($where.hashes) = 0 OR x.content_hash IN $where.hashes)
  AND (size($where.raw_refs) = 0 OR x.raw_ref IN $where.raw_refs)
  AND (size($where.roles) = 0 OR x.role IN $where.roles)
  AND ($where.after IS NULL OR x.occurred_at >= $where.after)
  AND ($where.before IS NULL OR x.occurred_at < $where.before)
  AND
//+ own
RETURN properties(x) AS row, time ORDER BY time ASC, x.sequence ASC, x.id ASC LIMIT $limit
