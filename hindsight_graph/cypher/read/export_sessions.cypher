// purpose: A page of working memories as they are stored; by position, since Neo4j compares strings beyond the BMP otherwise than it sorts them.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: integer, rows before the page
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (s:Session {tenant: $tenant})
RETURN properties(s) AS row ORDER BY s.id, s.agent SKIP $after LIMIT $limit
