// purpose: Take an idempotency key and read its record; other writers of the key wait.
// mode: write
// scope: tenant
// param $tenant: string
// param $key_agent: string, empty for none
// param $key: string
// param $request_hash: string
// returns: request_hash, response
// since: 5.26
MERGE (k:Idempotency {tenant: $tenant, agent: $key_agent, key: $key})
ON CREATE SET k.request_hash = $request_hash
SET k.locked = true
REMOVE k.locked
RETURN k.request_hash AS request_hash, k.response AS response
