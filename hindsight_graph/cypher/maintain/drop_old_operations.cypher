// purpose: Forget marks of the ledger that nobody will ask for.
// mode: write
// scope: system
// param $age: integer, milliseconds by the server's clock
// param $limit: integer, marks at most
// returns: count
// since: 5.26
MATCH (o:Operation) WHERE o.at < timestamp() - $age
WITH o LIMIT $limit
DETACH DELETE o
RETURN count(*) AS count
