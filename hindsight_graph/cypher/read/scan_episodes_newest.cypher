// purpose: One page of episodes, newest first; ties by their place in the session, then id.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings or null
// param $session_id: string or null
// param $hashes: list of strings, empty for all
// param $raw_refs: list of strings, empty for all
// param $roles: list of strings, empty for all
// param $after: integer or null, occurred_at from here on
// param $before: integer or null, occurred_at before this
// param $by_event: boolean, by occurred_at instead of recorded_at
// param $cursor_time: integer or null
// param $cursor_sequence: integer or null
// param $cursor_id: string or null
// param $access: string, which branch is taken
// param $limit: integer
// returns: row: map, time: integer
// since: 5.26
CALL () {
  WITH 1 AS one WHERE $access = 'tenant'
  MATCH (x:Episode {tenant: $tenant})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'ids'
  UNWIND $ids AS id
  MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Episode
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $access = 'hashes'
  MATCH (x:Episode {tenant: $tenant}) WHERE x.content_hash IN $hashes
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'raw_refs'
  MATCH (x:Episode {tenant: $tenant}) WHERE x.raw_ref IN $raw_refs
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'session'
  MATCH (x:Episode {tenant: $tenant, session_id: $session_id})
  RETURN x
}
WITH x, CASE WHEN $by_event THEN x.occurred_at ELSE x.recorded_at END AS time
WHERE (
    $cursor_time IS NULL OR time < $cursor_time
    OR (time = $cursor_time AND (x.sequence < $cursor_sequence OR (x.sequence = $cursor_sequence AND x.id < $cursor_id)))
  )
  AND ($ids IS NULL OR x.id IN $ids)
  AND ($session_id IS NULL OR x.session_id = $session_id)
  AND (size($hashes) = 0 OR x.content_hash IN $hashes)
  AND (size($raw_refs) = 0 OR x.raw_ref IN $raw_refs)
  AND (size($roles) = 0 OR x.role IN $roles)
  AND ($after IS NULL OR x.occurred_at >= $after)
  AND ($before IS NULL OR x.occurred_at < $before)
  AND
//+ own
RETURN properties(x) AS row, time ORDER BY time DESC, x.sequence DESC, x.id DESC LIMIT $limit
