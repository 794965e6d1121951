// purpose: Change a job that is held; a null removes what was there.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $properties: map
// returns: nothing
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id})
SET j += $properties
