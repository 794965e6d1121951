// purpose: What was learned with a tool.
// mode: read
// scope: tenant
// param $tenant: string
// param $tool: string
// returns: kind, status, summary, outcome, weight
// since: 5.26
MATCH (m:Memory {tenant: $tenant}) WHERE $tool IN m.tools AND m.kind IN ['experience', 'strategy', 'result']
RETURN m.kind AS kind, m.status AS status, m.summary AS summary, m.outcome AS outcome, m.weight AS weight
ORDER BY m.kind DESC, m.recorded_at DESC LIMIT 100
