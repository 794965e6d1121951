// purpose: Write working memories that are not there, at the version they have.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, agent, properties}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MERGE (s:Session {tenant: $tenant, id: row.id, agent: row.agent})
ON CREATE SET s += row.properties
