// purpose: Entities by a key of an alias, newest first.
// mode: read
// scope: tenant
// param $tenant: string
// param $keys: string, a query of the index search_terms
// returns: row: map
// since: 5.26
CALL db.index.fulltext.queryNodes('search_terms', $keys) YIELD node AS e
WHERE e:Entity AND e.tenant = $tenant
RETURN properties(e) AS row ORDER BY e.added DESC, e.id DESC
