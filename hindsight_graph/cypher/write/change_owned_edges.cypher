// purpose: Change the edges that memories own.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, sources, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
UNWIND row.sources AS source_id
MATCH (:Node {tenant: $tenant, id: source_id})-[x]->(:Node {tenant: $tenant}) WHERE x.owner_id = row.id
SET x += row.properties
