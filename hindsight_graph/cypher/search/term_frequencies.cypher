// purpose: How many memories that a filter admits hold each term.
// mode: read
// scope: tenant
// param $where.queries: list of {term, query of the index search_terms}
// returns: term, frequency
// since: 5.26
UNWIND $where.queries AS asked
CALL (asked) {
  CALL db.index.fulltext.queryNodes('search_terms', asked.query) YIELD node AS x
  WHERE x:Memory AND x.tenant = $tenant AND
//+ admitted
  RETURN count(x) AS frequency
}
RETURN asked.term AS term, frequency
