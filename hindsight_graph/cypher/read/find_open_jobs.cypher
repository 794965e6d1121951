// purpose: Jobs that are due, or whose lease ran out, oldest first, of every tenant: workers serve all.
// mode: read
// scope: system
// param $kinds: list of strings, empty for all
// param $limit: integer
// returns: tenant, id
// since: 5.26
MATCH (j:Job) WHERE j.state IN ['queued', 'running'] AND (size($kinds) = 0 OR j.kind IN $kinds) AND
//+ claimable
RETURN j.tenant AS tenant, j.id AS id ORDER BY j.created_at, j.id LIMIT $limit
