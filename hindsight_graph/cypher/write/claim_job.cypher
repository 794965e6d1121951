// purpose: Lease a job that is held, unless another worker was faster.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $now: integer
// param $until: integer
// returns: row: map
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
WHERE j.state = 'queued' OR (j.state = 'running' AND j.lease_until <= $now)
SET j.state = 'running', j.attempts = j.attempts + 1, j.lease_until = $until
RETURN properties(j) AS row
