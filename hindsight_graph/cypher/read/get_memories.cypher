// purpose: Visible memories by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: packed: list of memory_row
// since: 5.26
UNWIND $ids AS id
MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory AND
//+ visible
WITH
//+ memory_row
RETURN collect(row) AS packed
