// purpose: What the store knows about itself.
// mode: read
// scope: system
// param $key: string
// returns: value: map of its properties
// since: 5.26
MATCH (m:Meta {key: $key})
RETURN properties(m) AS value
