// purpose: Everything else that the scope sees.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.agent: string or null
// returns: episodes, entities, edges, sessions, open_jobs
// since: 5.26
CALL () {
  MATCH (x:Episode {tenant: $tenant}) WHERE
//+ own
  RETURN count(*) AS episodes
}
CALL () {
  MATCH (e:Entity {tenant: $tenant}) WHERE e.canonical_id = e.id
  RETURN count(*) AS entities
}
CALL () {
  MATCH (:Node {tenant: $tenant})-[x]->(:Node {tenant: $tenant}) WHERE
//+ visible
  RETURN count(*) AS edges
}
CALL () {
  MATCH (s:Session {tenant: $tenant}) WHERE $where.agent IS NULL OR s.agent_id = $where.agent
  RETURN count(*) AS sessions
}
CALL () {
  MATCH (j:Job {tenant: $tenant}) WHERE ($where.agent IS NULL OR j.agent_id = $where.agent) AND j.state IN ['queued', 'running']
  RETURN count(*) AS open_jobs
}
RETURN episodes, entities, edges, sessions, open_jobs
