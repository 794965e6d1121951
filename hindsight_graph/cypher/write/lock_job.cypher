// purpose: Hold a job and read where it stands.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// returns: state, attempts, cancel_requested
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.locked = true
REMOVE j.locked
RETURN j.state AS state, j.attempts AS attempts, coalesce(j.cancel_requested, false) AS cancel_requested
