// purpose: Whether a write was committed whose answer was lost.
// mode: read
// scope: tenant
// param $tenant: string
// param $operation: string
// returns: count
// since: 5.26
MATCH (o:Operation {tenant: $tenant, id: $operation})
RETURN count(*) AS count
