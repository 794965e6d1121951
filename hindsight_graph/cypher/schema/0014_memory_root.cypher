// purpose: Versions of a memory.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX memory_root IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.root_id)
