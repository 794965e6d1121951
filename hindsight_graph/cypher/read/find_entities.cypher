// purpose: Entities by normal form, and by a key of an alias, the latter newest first.
// mode: read
// scope: tenant
// param $tenant: string
// param $normals: list of strings
// param $keys: string, a query of the index search_terms
// returns: packed: list of [whether by name, map]
// since: 5.26
CALL () {
  MATCH (e:Entity {tenant: $tenant}) WHERE e.normal IN $normals
  RETURN true AS by_name, properties(e) AS row
  UNION ALL
  CALL db.index.fulltext.queryNodes('search_terms', $keys) YIELD node AS e
  WITH e WHERE e:Entity AND e.tenant = $tenant
  ORDER BY e.added DESC, e.id DESC
  RETURN false AS by_name, properties(e) AS row
}
RETURN collect([by_name, row]) AS packed
