// purpose: Write edges whose ids are new between nodes that are there.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {source_id, target_id, type, properties, place: position in the batch}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MATCH (s:Node {tenant: $tenant, id: row.source_id})
MATCH (t:Node {tenant: $tenant, id: row.target_id})
CREATE (s)-[x:$(row.type)]->(t)
SET x = row.properties, x.added = timestamp() * 1000000 + row.place
