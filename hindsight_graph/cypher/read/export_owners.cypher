// purpose: A page of nodes that own edges, and where those start, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $after: string, the id before the page
// param $limit: integer
// returns: id, sources: list of ids
// since: 5.26
MATCH (n:Node {tenant: $tenant}) WHERE n.id > $after AND size(n.edge_ids) > 0
RETURN n.id AS id, n.edge_sources AS sources ORDER BY n.id LIMIT $limit
