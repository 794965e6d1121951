// purpose: A page of jobs as they are stored, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: string, the id before the page
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (j:Job {tenant: $tenant}) WHERE j.id > $after
RETURN properties(j) AS row ORDER BY j.id LIMIT $limit
