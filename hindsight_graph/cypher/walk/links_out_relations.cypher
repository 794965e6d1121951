// purpose: What a search for paths needs of the newest relations from each node.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.ids: list of strings, canonical ids
// param $where.types: list of strings
// param $skip_loops: boolean, leave out edges from a node to itself
// param $per_node: integer
// returns: packed: list of [asked, other node, type, trust, confidence, recorded_at, id, added, element id]
// since: 5.26
UNWIND $where.ids AS asked
CALL (asked) {
  MATCH (n:Node {tenant: $tenant, canonical_id: asked})-[x:
    DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO
  ]->(o:Node {tenant: $tenant})
  WHERE type(x) IN $where.types AND (NOT $skip_loops OR n.canonical_id <> o.canonical_id) AND
//+ visible
  AND
//+ held
  RETURN x, o ORDER BY x.recorded_at DESC, type(x) DESC, x.added DESC, x.id DESC LIMIT $per_node
}
RETURN collect(
  [asked, o.canonical_id, type(x), x.trust, x.confidence, x.recorded_at, x.id, x.added, elementId(x)]
) AS packed
