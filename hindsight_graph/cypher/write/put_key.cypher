// purpose: Write a new API key; one that exists can only be revoked, once.
// mode: write
// scope: system
// param $tenant: string
// param $id: string
// param $secret_hash: string
// param $properties: map
// param $revoked_at: integer or null
// returns: same: whether it is this key
// since: 5.26
MERGE (k:ApiKey {id: $id})
ON CREATE SET k += $properties, k.tenant = $tenant
WITH k, k.tenant = $tenant AND k.secret_hash = $secret_hash AS same
SET k.revoked_at = CASE WHEN same THEN coalesce(k.revoked_at, $revoked_at) ELSE k.revoked_at END
RETURN same
