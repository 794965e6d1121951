// purpose: Forget marks of the ledger that nobody will ask for.
// mode: write
// scope: system
// param $before: integer, milliseconds since 1970
// param $limit: integer, marks at most
// returns: count
// since: 5.26
MATCH (o:Operation) WHERE o.at < $before
WITH o LIMIT $limit
DETACH DELETE o
RETURN count(*) AS count
