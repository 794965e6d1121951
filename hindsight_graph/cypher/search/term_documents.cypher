// purpose: How many memories a filter admits, and how many terms they hold together.
// mode: read
// scope: tenant
// returns: documents, terms
// since: 5.26
//+ candidates
WITH x WHERE
//+ admitted
RETURN count(x) AS documents, coalesce(sum(x.term_count), 0) AS terms
