// purpose: How two things hang together.
// mode: read
// scope: tenant
// param $tenant: string
// param $name: string, the thing's name or normal form
// param $other: string, the other thing's name or normal form
// returns: path
// since: 5.26
MATCH (start:Entity {tenant: $tenant}) WHERE start.name = $name OR start.normal = toLower($name)
MATCH (end:Entity {tenant: $tenant}) WHERE end <> start AND (end.name = $other OR end.normal = toLower($other))
MATCH path = ANY SHORTEST (start)-[:DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO]-{1,6}(end) WHERE start.tenant = $tenant
RETURN path
