// purpose: An id is one node in its tenant, whatever its kind.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE (n.tenant, n.id) IS UNIQUE
