// purpose: A page of audit entries as they are stored, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: string, the id before the page
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (a:Audit {tenant: $tenant}) WHERE a.id > $after
RETURN properties(a) AS row ORDER BY a.id LIMIT $limit
