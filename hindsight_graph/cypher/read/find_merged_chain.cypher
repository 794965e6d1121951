// purpose: Entities whose canonical entity is missing or merged itself, among these and those merged into these.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: id, canonical_id, further: null when it is missing
// since: 5.26
UNWIND $ids AS id
MATCH (e:Node {tenant: $tenant}) WHERE e:Entity AND e.canonical_id <> e.id AND (e.id = id OR e.canonical_id = id)
OPTIONAL MATCH (c:Node {tenant: $tenant, id: e.canonical_id}) WHERE c:Entity
WITH e, c WHERE c IS NULL OR c.canonical_id <> c.id
RETURN e.id AS id, e.canonical_id AS canonical_id, c.canonical_id AS further LIMIT 1
