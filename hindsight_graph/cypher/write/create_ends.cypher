// purpose: Make a node for each end of an edge that has none yet.
// mode: write
// scope: tenant
// param $tenant: string
// param $ids: list of strings, sorted
// returns: nothing
// since: 5.26
UNWIND $ids AS id
MERGE (n:Node {tenant: $tenant, id: id})
ON CREATE SET n.canonical_id = id
