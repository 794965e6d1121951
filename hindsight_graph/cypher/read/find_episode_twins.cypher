// purpose: Which episode holds a content.
// mode: read
// scope: tenant
// param $tenant: string
// param $content_keys: list of strings
// returns: id, content_key
// since: 5.26
MATCH (n:Episode {tenant: $tenant}) WHERE n.content_key IN $content_keys
RETURN n.id AS id, n.content_key AS content_key
