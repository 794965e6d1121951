// purpose: Change properties of nodes; a null removes one.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MATCH (n:Node {tenant: $tenant, id: row.id})
SET n += row.properties
