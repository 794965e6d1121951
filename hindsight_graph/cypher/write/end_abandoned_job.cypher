// purpose: End a held job that lost its worker for the last time.
// mode: write
// scope: tenant
// param $tenant: string
// param $id: string
// returns: nothing
// since: 5.26
MATCH (j:Job {tenant: $tenant, id: $id}) WHERE
//+ abandoned
SET j.error = CASE WHEN coalesce(j.cancel_requested, false) THEN j.error
    ELSE 'its worker went away at attempt ' + toString(j.attempts) + ' of ' + toString(coalesce(j.max_attempts, 5)) END,
  j.state = CASE WHEN coalesce(j.cancel_requested, false) THEN 'cancelled' ELSE 'failed' END,
  j.finished_at = $now
REMOVE j.lease_until
