// purpose: What a memory rests on, and what it is about.
// mode: read
// scope: tenant
// param $tenant: string
// param $id: string, a memory
// returns: path
// since: 5.26
MATCH (m:Node {tenant: $tenant, id: $id})
OPTIONAL MATCH evidence = (m)-[:EVIDENCED_BY|DERIVED_FROM]->(:Node {tenant: $tenant})
OPTIONAL MATCH about = (m)-[:MENTIONS]->(:Entity {tenant: $tenant})
RETURN m, evidence, about LIMIT 100
