// purpose: Keep the answer of an idempotency key; a null keeps what is there.
// mode: write
// scope: tenant
// param $tenant: string
// param $key_agent: string, empty for none
// param $key: string
// param $response: string or null
// returns: nothing
// since: 5.26
MATCH (k:Idempotency {tenant: $tenant, agent: $key_agent, key: $key})
SET k.response = coalesce($response, k.response)
