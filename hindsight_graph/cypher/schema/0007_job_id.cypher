// purpose: One job for each id.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (n:Job) REQUIRE (n.tenant, n.id) IS UNIQUE
