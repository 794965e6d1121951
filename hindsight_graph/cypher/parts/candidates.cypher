// purpose: Memories x, each once, by the most selective condition of a filter, so that an index leads to them.
// param $tenant: string
// param $where.access: string, which branch is taken
// param $where.keys: string or null, a query of the index search_terms
// param $where.ids: list of strings or null
// param $where.root_id: string or null
// param $where.hashes: list of strings
// param $where.entity_ids: list of strings
// param $where.session_id: string or null
// param $where.slot_subject: string or null
// param $where.slot_attribute: string or null
// param $where.task_type: string or null
// param $where.error_code: string or null
// param $where.media_type: string or null
// param $where.places: list of [session id, sequence]
CALL () {
  WITH 1 AS one WHERE $where.access = 'tenant'
  MATCH (x:Memory {tenant: $tenant})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'ids'
  UNWIND $where.ids AS id
  MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'keys'
  CALL db.index.fulltext.queryNodes('search_terms', $where.keys) YIELD node AS x
  WHERE x:Memory AND x.tenant = $tenant
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'hashes'
  MATCH (x:Memory {tenant: $tenant}) WHERE x.content_hash IN $where.hashes
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'root'
  MATCH (x:Memory {tenant: $tenant, root_id: $where.root_id})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'slot'
  MATCH (x:Memory {tenant: $tenant, slot_normal: $where.slot_subject, slot_attribute: $where.slot_attribute})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'places'
  UNWIND $where.places AS place
  MATCH (x:Memory {tenant: $tenant, session_id: place[0], sequence: place[1]})
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'session'
  MATCH (x:Memory {tenant: $tenant, session_id: $where.session_id})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'entities'
  UNWIND $where.entity_ids AS entity_id
  MATCH (:Node {tenant: $tenant, canonical_id: entity_id})<-[:MENTIONS]-(x:Memory {tenant: $tenant})
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'error_code'
  MATCH (x:Memory {tenant: $tenant, error_code: $where.error_code})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'media_type'
  MATCH (x:Memory {tenant: $tenant, media_type: $where.media_type})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $where.access = 'task_type'
  MATCH (x:Memory {tenant: $tenant, task_type: $where.task_type})
  RETURN x
}
