// purpose: One answer for each key.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT idempotency_key IF NOT EXISTS FOR (n:Idempotency) REQUIRE (n.tenant, n.agent, n.key) IS UNIQUE
