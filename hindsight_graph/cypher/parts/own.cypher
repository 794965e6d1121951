// purpose: Whether the scope's agent may see row x that is never shared.
// param $agent: string or null, the scope's agent
($agent IS NULL OR x.agent_id IS NULL OR x.agent_id = $agent)
