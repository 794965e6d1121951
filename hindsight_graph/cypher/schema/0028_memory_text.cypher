// purpose: Free text for people in Neo4j Browser, Chinese and English.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (n:Memory|Entity|Episode) ON EACH [n.summary, n.context, n.name, n.content]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}
