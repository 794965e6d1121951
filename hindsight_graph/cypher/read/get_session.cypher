// purpose: A working memory of the agent, or without one the one written last.
// mode: read
// scope: tenant
// param $tenant: string
// param $id: string
// param $where.agent: string or null
// returns: row: map
// since: 5.26
MATCH (s:Session {tenant: $tenant, id: $id}) WHERE $where.agent IS NULL OR s.agent = $where.agent
RETURN properties(s) AS row ORDER BY s.updated_at DESC, s.agent LIMIT 1
