// purpose: Memories to be changed, visible or not.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: row: memory_row
// since: 5.26
UNWIND $ids AS id
MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory
RETURN
//+ memory_row
