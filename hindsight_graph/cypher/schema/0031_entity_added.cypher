// purpose: Things in the order in which they were written.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX entity_added IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.added)
