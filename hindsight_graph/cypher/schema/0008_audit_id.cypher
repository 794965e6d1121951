// purpose: One audit entry for each id.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT audit_id IF NOT EXISTS FOR (n:Audit) REQUIRE (n.tenant, n.id) IS UNIQUE
