// purpose: The most promising memories that hold a term, by sum(idf x tf / (tf + saturation)) over the terms.
// mode: read
// scope: tenant
// param $query: string, a query of the index search_terms
// param $fetch: integer, candidates from the index
// param $where.terms: list of strings
// param $where.rarities: list of floats, idf of each term
// param $saturation: float
// param $k: integer
// returns: id, counts: list of integers, length: integer, hits: candidates that the index gave
// since: 5.26
CALL () {
  CALL db.index.fulltext.queryNodes('search_terms', $query, {limit: $fetch}) YIELD node
  RETURN collect(node) AS nodes, count(node) AS hits
}
UNWIND nodes AS x
WITH x, hits WHERE x:Memory AND x.tenant = $tenant AND
//+ admitted
WITH hits, x.id AS id, x.term_count AS length, [term IN $where.terms | size([held IN x.terms WHERE held = term])] AS counts
WITH hits, id, length, counts, reduce(
  sum = 0.0, place IN range(0, size($where.terms) - 1) |
  sum + $where.rarities[place] * counts[place] / (counts[place] + $saturation)
) AS score
RETURN id, counts, length, hits ORDER BY score DESC, id LIMIT $k
