// purpose: Duplicates.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_hash IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.content_hash)
