// purpose: The working memories of the agent, or without one of all agents, the one written last first.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.agent: string or null
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (s:Session {tenant: $tenant}) WHERE $where.agent IS NULL OR s.agent = $where.agent
RETURN properties(s) AS row ORDER BY s.updated_at DESC, s.id, s.agent LIMIT $limit
