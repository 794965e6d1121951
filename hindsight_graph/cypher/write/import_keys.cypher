// purpose: Write idempotency keys that are not there.
// mode: write
// scope: tenant
// param $tenant: string
// param $rows: list of {agent, key, request_hash, response}
// returns: nothing
// since: 5.26
UNWIND $rows AS row
MERGE (k:Idempotency {tenant: $tenant, agent: row.agent, key: row.key})
ON CREATE SET k.request_hash = row.request_hash, k.response = row.response
