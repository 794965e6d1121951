// purpose: Things that nothing mentions or relates any more.
// mode: read
// scope: tenant
// param $tenant: string
// returns: e: entity
// since: 5.26
MATCH (e:Entity {tenant: $tenant}) WHERE NOT EXISTS {
  MATCH (e)-[x]-(:Node {tenant: $tenant}) WHERE x.is_current AND x.status = 'active'
}
RETURN e ORDER BY e.normal LIMIT 100
