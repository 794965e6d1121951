// purpose: Write entities whose ids are new; one that another writer made meanwhile is left as it is.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, properties, place: position in the batch}, sorted by id
// returns: id of each that was written
// since: 5.26
UNWIND $rows AS row
MERGE (n:Node {tenant: $tenant, id: row.id})
WITH n, row WHERE NOT n:Entity
SET n:Entity, n += row.properties, n.added = timestamp() * 1000000 + row.place
RETURN row.id AS id
