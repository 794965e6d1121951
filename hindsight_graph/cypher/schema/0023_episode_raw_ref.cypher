// purpose: Episodes by the caller's name.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX episode_raw_ref IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.raw_ref)
