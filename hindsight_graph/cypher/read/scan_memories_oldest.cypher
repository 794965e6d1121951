// purpose: One page of memories, oldest first.
// mode: read
// scope: tenant
// param $by_event: boolean, by valid_from instead of recorded_at
// param $where.cursor_time: integer or null
// param $where.cursor_id: string or null
// param $limit: integer
// returns: packed: list of [time, memory_row]
// since: 5.26
//+ candidates
WITH x, CASE WHEN $by_event THEN x.valid_from ELSE x.recorded_at END AS time
WHERE ($where.cursor_time IS NULL OR time > $where.cursor_time OR (time = $where.cursor_time AND x.id > $where.cursor_id))
AND
//+ admitted
WITH x, time ORDER BY time ASC, x.id ASC LIMIT $limit
WITH time,
//+ memory_row
ORDER BY time ASC, row[0] ASC
RETURN collect([time, row]) AS packed
