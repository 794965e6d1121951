// purpose: Write the end of a job.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $state: string
// param $finished_at: integer
// param $error: string
// returns: nothing
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.state = $state, j.finished_at = $finished_at, j.error = $error
REMOVE j.lease_until
