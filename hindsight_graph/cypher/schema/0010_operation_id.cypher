// purpose: The ledger: a write that is repeated after an unknown commit finds its own mark.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT operation_id IF NOT EXISTS FOR (n:Operation) REQUIRE (n.tenant, n.id) IS UNIQUE
