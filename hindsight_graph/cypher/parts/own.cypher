// purpose: Whether the scope's agent may see row x that is never shared.
// param $where.agent: string or null, the scope's agent
($where.agent IS NULL OR x.agent_id IS NULL OR x.agent_id = $where.agent)
