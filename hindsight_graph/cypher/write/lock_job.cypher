// purpose: Hold a job and read its state.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// returns: state
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
SET j.locked = true
REMOVE j.locked
RETURN j.state AS state
