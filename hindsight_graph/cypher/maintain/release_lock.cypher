// purpose: Give the migration lock back.
// mode: write
// scope: system
// param $owner: string
// returns: nothing
// since: 5.26
MATCH (m:Meta {key: 'lock', owner: $owner})
REMOVE m.owner, m.until
