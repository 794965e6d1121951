// purpose: A page of things as they are stored, in the order in which they were written.
// mode: read
// scope: tenant
// param $tenant: string
// param $after_added: integer, the place before the page
// param $after: string, the id at that place
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (e:Entity {tenant: $tenant}) WHERE e.added >= $after_added AND (e.added > $after_added OR e.id > $after)
RETURN properties(e) AS row ORDER BY e.added, e.id LIMIT $limit
