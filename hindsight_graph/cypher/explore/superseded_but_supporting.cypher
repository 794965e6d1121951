// purpose: Memories that no longer hold and still support a strategy in use.
// mode: read
// scope: tenant
// param $tenant: string
// returns: path
// since: 5.26
MATCH path = (m:Memory {tenant: $tenant})-[:SUPPORTS]->(s:Strategy {tenant: $tenant})
WHERE NOT m.is_current AND s.status = 'active'
RETURN path LIMIT 100
