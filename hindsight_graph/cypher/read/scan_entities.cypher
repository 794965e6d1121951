// purpose: One page of entities by normal form; only those on an edge that the scope sees.
// mode: read
// scope: tenant
// param $tenant: string
// param $prefix: string
// param $canonical_only: boolean
// param $after_normal: string or null
// param $limit: integer
// returns: row: map
// since: 5.26
MATCH (e:Entity {tenant: $tenant})
WHERE e.normal STARTS WITH $prefix AND ($after_normal IS NULL OR e.normal > $after_normal)
  AND (NOT $canonical_only OR e.canonical_id = e.id)
  AND EXISTS {
    MATCH (n:Node {tenant: $tenant, canonical_id: e.canonical_id})-[x]-(:Node {tenant: $tenant})
    WHERE ($canonical_only OR n = e) AND
//+ visible
  }
RETURN properties(e) AS row ORDER BY e.normal LIMIT $limit
