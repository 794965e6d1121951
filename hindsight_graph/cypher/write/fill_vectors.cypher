// purpose: Put vectors into the second set; ids without a memory are left out.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {id, vector}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MATCH (x:Node {tenant: $tenant, id: row.id}) WHERE x:Memory
SET x.embedding_b = row.vector
