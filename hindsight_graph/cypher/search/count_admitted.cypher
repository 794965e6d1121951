// purpose: How many memories a filter admits, counted no further than a bound.
// mode: read
// scope: tenant
// param $bound: integer
// returns: count
// since: 5.26
//+ candidates
WITH x WHERE
//+ admitted
WITH x LIMIT $bound
RETURN count(x) AS count
