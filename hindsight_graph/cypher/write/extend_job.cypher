// purpose: Extend the lease of a held job's running attempt.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $attempt: integer
// param $until: integer
// returns: row: map
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id}) WHERE j.state = 'running' AND j.attempts = $attempt
SET j.lease_until = CASE WHEN j.lease_until < $until THEN $until ELSE j.lease_until END
RETURN properties(j) AS row
