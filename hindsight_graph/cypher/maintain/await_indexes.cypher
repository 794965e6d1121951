// purpose: Wait until every index answers.
// mode: read
// scope: system
// param $seconds: integer
// returns: nothing
// since: 5.26
CALL db.awaitIndexes($seconds)
