// purpose: What is stored already that a write in the making may repeat, join or replace; each row says which sort it is.
// mode: read
// scope: tenant
// param $tenant: string
// param $where.episode_hashes: list of strings, content hashes of episodes
// param $where.session_ids: list of strings
// param $where.hashes: list of strings, content hashes of memories
// param $where.bands: list of queries of the index search_terms
// param $where.slots: list of [normal subject, normal attribute]
// param $where.normals: list of strings, normal forms of names
// param $where.aliases: list of queries of the index search_terms
// param $where.open: list of strings, states in which a memory can be said again
// returns: sort: string, row: map, of memories memory_row
// since: 5.26
CALL () {
  MATCH (x:Episode {tenant: $tenant}) WHERE x.content_hash IN $where.episode_hashes AND
  //+ own
  RETURN 'episode' AS sort, properties(x) AS row
  UNION ALL
  UNWIND $where.session_ids AS session_id
  MATCH (x:Episode {tenant: $tenant, session_id: session_id}) WHERE
  //+ own
  WITH session_id, max(x.sequence) + 1 AS following
  RETURN 'sequence' AS sort, {session_id: session_id, following: following} AS row
  UNION ALL
  MATCH (x:Memory {tenant: $tenant}) WHERE x.content_hash IN $where.hashes AND x.is_current AND x.status IN $where.open AND
  //+ visible
  RETURN 'memory' AS sort,
  //+ memory_row
  UNION ALL
  UNWIND $where.bands AS keys
  CALL db.index.fulltext.queryNodes('search_terms', keys) YIELD node AS x
  WITH x WHERE x:Memory AND x.tenant = $tenant AND x.is_current AND x.status IN $where.open AND
  //+ visible
  RETURN 'memory' AS sort,
  //+ memory_row
  UNION ALL
  UNWIND $where.slots AS slot
  MATCH (x:Memory {tenant: $tenant, slot_normal: slot[0], slot_attribute: slot[1]})
  WHERE (x.status = 'superseded' OR x.status IN $where.open) AND
  //+ visible
  RETURN 'memory' AS sort,
  //+ memory_row
  UNION ALL
  UNWIND $where.slots AS slot
  MATCH (m:Memory {tenant: $tenant, slot_normal: slot[0], slot_attribute: slot[1]})
  USING INDEX SEEK m:Memory(tenant, slot_normal, slot_attribute)
  WHERE size(m.episode_ids) > 1 AND (m.status = 'superseded' OR m.status IN $where.open)
  UNWIND m.episode_ids AS episode_id
  MATCH (x:Node {tenant: $tenant, id: episode_id}) WHERE x:Episode AND
  //+ own
  WITH m.id AS id, max(x.occurred_at) AS at
  RETURN 'said' AS sort, {id: id, at: at} AS row
  UNION ALL
  MATCH (e:Entity {tenant: $tenant}) WHERE e.normal IN $where.normals
  RETURN 'name' AS sort, properties(e) AS row
  UNION ALL
  UNWIND $where.aliases AS keys
  CALL db.index.fulltext.queryNodes('search_terms', keys) YIELD node AS e
  WITH e WHERE e:Entity AND e.tenant = $tenant
  ORDER BY e.added DESC, e.id DESC
  RETURN 'alias' AS sort, properties(e) AS row
}
RETURN sort, row
