// purpose: One working memory for each session and agent.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (n:Session) REQUIRE (n.tenant, n.id, n.agent) IS UNIQUE
