// purpose: Audit entries, newest first.
// mode: read
// scope: tenant
// param $tenant: string
// param $target_id: string or null
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (a:Audit {tenant: $tenant}) WHERE $target_id IS NULL OR $target_id IN a.target_ids
RETURN properties(a) AS row ORDER BY a.at DESC, a.id DESC LIMIT $limit
