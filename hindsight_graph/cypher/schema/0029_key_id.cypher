// purpose: One API key for each id, in whatever tenant.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT key_id IF NOT EXISTS FOR (n:ApiKey) REQUIRE (n.id) IS UNIQUE
