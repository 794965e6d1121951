// purpose: The inverted index of our own terms and keys (tags, tools, bands, aliases); a term is one word, so white space separates.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE FULLTEXT INDEX search_terms IF NOT EXISTS FOR (n:Memory|Entity) ON EACH [n.terms, n.keys]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
