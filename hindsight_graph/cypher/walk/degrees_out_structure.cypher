// purpose: How many structure edges leave each node, counted no further than a bound.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.ids: list of strings, canonical ids
// param $where.types: list of strings
// param $skip_loops: boolean, leave out edges from a node to itself
// param $cap: integer
// returns: packed: list of [asked, count]
// since: 5.26
UNWIND $where.ids AS asked
CALL (asked) {
  MATCH (n:Node {tenant: $tenant, canonical_id: asked})-[x:
    MENTIONS|EVIDENCED_BY|DERIVED_FROM|SUPERSEDES|CONTRADICTS|MERGED_INTO|SUPPORTS|REFUTES|NEXT|SAME_AS
  ]->(o:Node {tenant: $tenant})
  WHERE type(x) IN $where.types AND (NOT $skip_loops OR n.canonical_id <> o.canonical_id) AND
//+ visible
  AND
//+ held
  RETURN x LIMIT $cap
}
WITH asked, count(x) AS count
RETURN collect([asked, count]) AS packed
