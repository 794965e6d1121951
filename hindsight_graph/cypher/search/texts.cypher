// purpose: The most promising memories that hold a term, by sum(idf x tf / (tf + saturation)) over the terms.
// mode: read
// scope: tenant
// param $query: string, a query of the index search_terms
// param $fetch: integer, candidates from the index
// param $where.terms: list of strings
// param $where.rarities: list of floats, idf of each term
// param $saturation: float
// param $k: integer
// returns: hits: candidates that the index gave, packed: list of [id, counts, length]
// since: 5.26
CALL () {
  CALL db.index.fulltext.queryNodes('search_terms', $query, {limit: $fetch}) YIELD node
  RETURN collect(node) AS nodes, count(node) AS hits
}
CALL (nodes) {
  UNWIND nodes AS x
  WITH x WHERE x:Memory AND x.tenant = $tenant AND
//+ admitted
  WITH x.id AS id, x.term_count AS length, [term IN $where.terms | size([held IN x.terms WHERE held = term])] AS counts
  WITH id, length, counts, reduce(
    sum = 0.0, place IN range(0, size($where.terms) - 1) |
    sum + $where.rarities[place] * counts[place] / (counts[place] + $saturation)
  ) AS score
  ORDER BY score DESC, id LIMIT $k
  RETURN collect([id, counts, length]) AS packed
}
RETURN hits, packed
