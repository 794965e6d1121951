// purpose: How many memories a tenant has, counted no further than a bound.
// mode: read
// scope: tenant
// param $tenant: string
// param $bound: integer
// returns: count
// since: 5.26
MATCH (x:Memory {tenant: $tenant})
WITH x LIMIT $bound
RETURN count(x) AS count
