// purpose: The newest edges at each node, for several reads at once; relations and structure are two patterns, so that mentions at a hub are read for none of the former.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.reads: list of {ids: canonical ids, outgoing, incoming: whether edges from and to the nodes, relations, structure: lists of types, empty for none, per_node: edges for each node of a canonical id}
// param $most: integer, the largest per_node
// returns: packed: list of [which read, asked, list of edge_row]; an edge between two nodes of a canonical id may come twice
// since: 5.26
UNWIND range(0, size($where.reads) - 1) AS place
WITH place, $where.reads[place] AS read
UNWIND read.ids AS asked
MATCH (n:Node {tenant: $tenant, canonical_id: asked})
CALL (n, read) {
  CALL (n, read) {
    WITH n, read WHERE read.outgoing AND size(read.relations) > 0
    MATCH (n)-[e:
      DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO
    ]->(o) WHERE e.tenant = $tenant AND type(e) IN read.relations
    RETURN e, n AS s, o AS t
    UNION ALL
    WITH n, read WHERE read.outgoing AND size(read.structure) > 0
    MATCH (n)-[e:
      MENTIONS|EVIDENCED_BY|DERIVED_FROM|SUPERSEDES|CONTRADICTS|MERGED_INTO|SUPPORTS|REFUTES|NEXT|SAME_AS
    ]->(o) WHERE e.tenant = $tenant AND type(e) IN read.structure
    RETURN e, n AS s, o AS t
    UNION ALL
    WITH n, read WHERE read.incoming AND size(read.relations) > 0
    MATCH (o)-[e:
      DEPENDS_ON|CAUSES|FIXES|USES|AVOIDS|PREFERS|REPLACES|PART_OF|PRODUCES|PRECEDES|OWNS|LOCATED_IN|RELATED_TO
    ]->(n) WHERE e.tenant = $tenant AND NOT (read.outgoing AND o = n) AND type(e) IN read.relations
    RETURN e, o AS s, n AS t
    UNION ALL
    WITH n, read WHERE read.incoming AND size(read.structure) > 0
    MATCH (o)-[e:
      MENTIONS|EVIDENCED_BY|DERIVED_FROM|SUPERSEDES|CONTRADICTS|MERGED_INTO|SUPPORTS|REFUTES|NEXT|SAME_AS
    ]->(n) WHERE e.tenant = $tenant AND NOT (read.outgoing AND o = n) AND type(e) IN read.structure
    RETURN e, o AS s, n AS t
  }
  WITH read, s, t, type(e) AS type, properties(e) AS x
  WHERE
//+ visible
  AND
//+ held
  WITH read, s, t, type, x ORDER BY x.recorded_at DESC, type DESC, x.added DESC, x.id DESC LIMIT $most
  WITH read,
  //+ edge_row
  WITH read.per_node AS per_node, collect(row) AS newest
  RETURN newest[..per_node] AS newest
}
RETURN collect([place, asked, newest]) AS packed
