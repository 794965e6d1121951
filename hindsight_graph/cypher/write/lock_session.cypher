// purpose: Hold a working memory and read it.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $session_agent: string, empty for none
// returns: row: map
// since: 5.26
MATCH (s:Session {tenant: $tenant, id: $id, agent: $session_agent})
SET s.locked = true
REMOVE s.locked
RETURN properties(s) AS row
