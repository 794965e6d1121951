// purpose: Write episodes whose ids are new.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MERGE (n:Node {tenant: $tenant, id: row.id})
WITH n, row WHERE NOT n:Episode
SET n:Episode, n += row.properties
