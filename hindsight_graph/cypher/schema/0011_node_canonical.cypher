// purpose: Walks start at canonical ids.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE INDEX node_canonical IF NOT EXISTS FOR (n:Node) ON (n.tenant, n.canonical_id)
