// purpose: Whether the scope's agent may see row x (Scope.sees).
// param $where.agent: string or null, the scope's agent
($where.agent IS NULL OR x.agent_id IS NULL OR x.agent_id = $where.agent OR x.visibility = 'shared')
