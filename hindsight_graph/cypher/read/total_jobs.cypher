// purpose: Jobs of all tenants by kind and state, for whoever runs the service.
// mode: read
// scope: system
// returns: kind, state, count
// since: 5.26
MATCH (j:Job)
RETURN j.kind AS kind, j.state AS state, count(*) AS count ORDER BY kind, state
