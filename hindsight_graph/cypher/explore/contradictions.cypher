// purpose: Memories that contradict each other and both still stand.
// mode: read
// scope: tenant
// param $tenant: string
// returns: path
// since: 5.26
MATCH path = (a:Memory {tenant: $tenant})-[x:CONTRADICTS]->(b:Memory {tenant: $tenant})
WHERE a.is_current AND b.is_current
RETURN path ORDER BY x.recorded_at DESC LIMIT 100
