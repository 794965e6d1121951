// purpose: Write the next version of a working memory, if the one before is there.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// param $session_agent: string, empty for none
// param $before_version: integer, 0 for none
// param $properties: map
// returns: count: 0 when another writer was faster
// since: 5.26
MERGE (s:Session {tenant: $tenant, id: $id, agent: $session_agent})
ON CREATE SET s.version = 0
WITH s WHERE s.version = $before_version
SET s += $properties
RETURN count(*) AS count
