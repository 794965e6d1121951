// purpose: Write jobs whose ids are new.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MERGE (j:Job {tenant: $tenant, id: row.id})
ON CREATE SET j += row.properties
