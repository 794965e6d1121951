// purpose: An agent has one episode of a content.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT episode_content IF NOT EXISTS FOR (n:Episode) REQUIRE (n.tenant, n.content_key) IS UNIQUE
