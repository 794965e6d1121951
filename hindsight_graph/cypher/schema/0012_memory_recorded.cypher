// purpose: Memories of a tenant, by record time.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_recorded IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.recorded_at)
