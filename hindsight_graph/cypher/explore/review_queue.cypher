// purpose: What waits for a person: pending, stale and quarantined.
// mode: read
// scope: tenant
// param $tenant: string
// returns: status, kind, summary, id, recorded
// since: 5.26
MATCH (m:Memory {tenant: $tenant}) WHERE m.status IN ['pending', 'stale', 'quarantined']
RETURN m.status AS status, m.kind AS kind, m.summary AS summary, m.id AS id,
  datetime({epochMillis: m.recorded_at / 1000}) AS recorded
ORDER BY m.recorded_at LIMIT 200
