// purpose: Record the schema version reached, and the checksums of its steps.
// mode: write
// scope: system
// param $version: integer
// param $checksums: list of strings
// returns: nothing
// since: 5.26
MERGE (m:Meta {key: 'schema'})
SET m.version = $version, m.checksums = $checksums
