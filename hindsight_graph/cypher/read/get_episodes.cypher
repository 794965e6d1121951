// purpose: Visible episodes by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: packed: list of maps
// since: 5.26
UNWIND $ids AS id
MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Episode AND
//+ own
RETURN collect(properties(x)) AS packed
