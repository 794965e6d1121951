// purpose: Lease a job that is held, unless another worker was faster.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $now: integer
// param $until: integer
// param $owner: string or null
// param $eager: boolean, take a job that was never tried before it is due
// returns: row: map
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
WHERE
//+ claimable
SET j.state = 'running', j.attempts = j.attempts + 1, j.lease_until = $until, j.owner = $owner
REMOVE j.not_before
RETURN properties(j) AS row
