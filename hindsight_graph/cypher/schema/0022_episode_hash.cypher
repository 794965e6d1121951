// purpose: Duplicates.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX episode_hash IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.content_hash)
