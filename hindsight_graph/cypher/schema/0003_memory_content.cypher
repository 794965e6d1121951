// purpose: An agent has one current memory of a content; the key is there only while it holds.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT memory_content IF NOT EXISTS FOR (n:Memory) REQUIRE (n.tenant, n.content_key) IS UNIQUE
