// purpose: The newest structure edges from each node.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.ids: list of strings, canonical ids
// param $where.types: list of strings
// param $skip_loops: boolean, leave out edges from a node to itself
// param $per_node: integer
// returns: asked, edge: map, type, the ids and canonical ids of its ends
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
  RETURN x, n AS s, o AS t ORDER BY x.recorded_at DESC, type(x) DESC, x.added DESC, x.id DESC LIMIT $per_node
}
RETURN asked, properties(x) AS edge, type(x) AS type, s.id AS source_id, s.canonical_id AS source_canonical,
  t.id AS target_id, t.canonical_id AS target_canonical
