// purpose: Jobs by id, those the scope sees.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: row: map
// since: 5.26
MATCH (x:Job {tenant: $tenant}) WHERE x.id IN $ids AND
//+ own
RETURN properties(x) AS row
