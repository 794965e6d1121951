// purpose: What a thing depends on, up to four steps away.
// mode: read
// scope: tenant
// param $tenant: string
// param $name: string, the thing's name or normal form
// returns: path
// since: 5.26
MATCH (start:Entity {tenant: $tenant}) WHERE start.name = $name OR start.normal = toLower($name)
MATCH path = (start)-[:DEPENDS_ON|USES*1..4]->(:Entity {tenant: $tenant})
WHERE all(step IN relationships(path) WHERE step.is_current AND step.status = 'active')
RETURN path ORDER BY length(path) LIMIT 100
