// purpose: What was said in a session, in order.
// mode: read
// scope: tenant
// param $tenant: string
// param $session_id: string
// returns: at, role, name, content
// since: 5.26
MATCH (e:Episode {tenant: $tenant, session_id: $session_id})
RETURN datetime({epochMillis: e.occurred_at / 1000}) AS at, e.role AS role, e.name AS name, e.content AS content
ORDER BY e.occurred_at, e.sequence LIMIT 500
