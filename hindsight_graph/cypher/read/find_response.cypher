// purpose: The record of an idempotency key.
// mode: read
// scope: tenant
// param $tenant: string
// param $key_agent: string, empty for none
// param $key: string
// returns: request_hash, response
// since: 5.26
MATCH (k:Idempotency {tenant: $tenant, agent: $key_agent, key: $key})
RETURN k.request_hash AS request_hash, k.response AS response
