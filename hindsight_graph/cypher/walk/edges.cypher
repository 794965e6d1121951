// purpose: The newest edges at each node; relations and structure are two patterns, so that mentions at a hub are read for none of the former.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.ids: list of strings, canonical ids
// param $where.outgoing: boolean, edges from the nodes
// param $where.incoming: boolean, edges to the nodes
// param $where.relations: list of types, empty for none
// param $where.structure: list of types, empty for none
// param $per_node: integer, for each node of a canonical id
// returns: packed: list of [asked, edge_row]; an edge between two nodes of a canonical id may come twice
// since: 5.26
UNWIND $where.ids AS asked
MATCH (n:Node {tenant: $tenant, canonical_id: asked})
CALL (n) {
  CALL (n) {
    WITH n WHERE $where.outgoing AND size($where.relations) > 0
    MATCH (n)-[e:
      DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO
    ]->(o) WHERE e.tenant = $tenant AND type(e) IN $where.relations
    RETURN e, n AS s, o AS t
    UNION ALL
    WITH n WHERE $where.outgoing AND size($where.structure) > 0
    MATCH (n)-[e:
      MENTIONS|EVIDENCED_BY|DERIVED_FROM|SUPERSEDES|CONTRADICTS|MERGED_INTO|SUPPORTS|REFUTES|NEXT|SAME_AS
    ]->(o) WHERE e.tenant = $tenant AND type(e) IN $where.structure
    RETURN e, n AS s, o AS t
    UNION ALL
    WITH n WHERE $where.incoming AND size($where.relations) > 0
    MATCH (o)-[e:
      DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO
    ]->(n) WHERE e.tenant = $tenant AND NOT ($where.outgoing AND o = n) AND type(e) IN $where.relations
    RETURN e, o AS s, n AS t
    UNION ALL
    WITH n WHERE $where.incoming AND size($where.structure) > 0
    MATCH (o)-[e:
      MENTIONS|EVIDENCED_BY|DERIVED_FROM|SUPERSEDES|CONTRADICTS|MERGED_INTO|SUPPORTS|REFUTES|NEXT|SAME_AS
    ]->(n) WHERE e.tenant = $tenant AND NOT ($where.outgoing AND o = n) AND type(e) IN $where.structure
    RETURN e, o AS s, n AS t
  }
  WITH s, t, type(e) AS type, properties(e) AS x
  WHERE
//+ visible
  AND
//+ held
  RETURN s, t, type, x ORDER BY x.recorded_at DESC, type DESC, x.added DESC, x.id DESC LIMIT $per_node
}
WITH asked,
//+ edge_row
RETURN collect([asked, row]) AS packed
