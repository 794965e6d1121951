// purpose: Strategies and what supports or refutes them.
// mode: read
// scope: tenant
// param $tenant: string
// returns: strategy, path
// since: 5.26
MATCH (strategy:Strategy {tenant: $tenant})
OPTIONAL MATCH path = (:Memory {tenant: $tenant})-[:SUPPORTS|REFUTES]->(strategy)
RETURN strategy, path LIMIT 200
