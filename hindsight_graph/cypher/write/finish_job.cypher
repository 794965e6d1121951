// purpose: Write the end of a job, or of one attempt, that is held.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $state: string
// param $finished_at: integer or null
// param $error: string
// param $result: string of JSON, or null
// param $not_before: integer or null
// param $own: integer, 1 when the end counts as an attempt
// param $spared: integer, 1 when the attempt does not count towards the last
// returns: nothing
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.state = $state, j.finished_at = $finished_at, j.error = $error, j.result = $result, j.not_before = $not_before,
    j.attempts = j.attempts + $own, j.max_attempts = coalesce(j.max_attempts, 5) + $spared
REMOVE j.lease_until
