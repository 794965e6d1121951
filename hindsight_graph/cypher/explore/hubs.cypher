// purpose: The things with the most relations.
// mode: read
// scope: tenant
// param $tenant: string
// returns: name, relations
// since: 5.26
MATCH (e:Entity {tenant: $tenant})-[x:DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO]-(:Entity {tenant: $tenant})
WHERE x.is_current AND x.status = 'active'
RETURN e.name AS name, count(x) AS relations ORDER BY relations DESC, name LIMIT 25
