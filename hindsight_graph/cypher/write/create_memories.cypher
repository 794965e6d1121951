// purpose: Write memories whose ids are new, each with the label of its kind.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, label, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MERGE (n:Node {tenant: $tenant, id: row.id})
WITH n, row WHERE NOT n:Memory
SET n:Memory:$(row.label), n += row.properties
