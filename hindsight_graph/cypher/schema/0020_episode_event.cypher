// purpose: Episodes by event time.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX episode_event IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.occurred_at)
