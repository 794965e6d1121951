// purpose: A page of episodes as they are stored, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: string, the id before the page
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (n:Node {tenant: $tenant}) WHERE n.id > $after AND n:Episode
RETURN properties(n) AS row ORDER BY n.id LIMIT $limit
