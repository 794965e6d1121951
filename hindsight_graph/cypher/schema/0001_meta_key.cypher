// purpose: One node for each thing the store knows about itself.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT meta_key IF NOT EXISTS FOR (n:Meta) REQUIRE (n.key) IS UNIQUE
