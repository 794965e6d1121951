// purpose: An API key by its public part, in whatever tenant: it says who asks.
// mode: read
// scope: system
// param $id: string
// returns: row: map
// since: 5.26
MATCH (k:ApiKey {id: $id})
RETURN properties(k) AS row
