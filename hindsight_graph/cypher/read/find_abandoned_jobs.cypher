// purpose: Jobs that lost their worker for the last time, of every tenant: workers serve all.
// mode: read
// scope: system
// param $kinds: list of strings, empty for all
// returns: tenant, id
// since: 5.26
MATCH (j:Job) WHERE j.state = 'running' AND (size($kinds) = 0 OR j.kind IN $kinds) AND
//+ abandoned
RETURN j.tenant AS tenant, j.id AS id ORDER BY j.created_at, j.id
