// purpose: Memories x, each once, by the most selective condition of a filter, so that an index leads to them.
// param $tenant: string
// param $access: string, which branch is taken
// param $keys: string or null, a query of the index search_terms
// param $ids: list of strings or null
// param $root_id: string or null
// param $hashes: list of strings
// param $entity_ids: list of strings
// param $session_id: string or null
// param $slot_subject: string or null
// param $slot_attribute: string or null
// param $task_type: string or null
// param $error_code: string or null
// param $media_type: string or null
// param $places: list of [session id, sequence]
CALL () {
  WITH 1 AS one WHERE $access = 'tenant'
  MATCH (x:Memory {tenant: $tenant})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'ids'
  UNWIND $ids AS id
  MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $access = 'keys'
  CALL db.index.fulltext.queryNodes('search_terms', $keys) YIELD node AS x
  WHERE x:Memory AND x.tenant = $tenant
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'hashes'
  MATCH (x:Memory {tenant: $tenant}) WHERE x.content_hash IN $hashes
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'root'
  MATCH (x:Memory {tenant: $tenant, root_id: $root_id})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'slot'
  MATCH (x:Memory {tenant: $tenant, slot_normal: $slot_subject, slot_attribute: $slot_attribute})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'places'
  UNWIND $places AS place
  MATCH (x:Memory {tenant: $tenant, session_id: place[0], sequence: place[1]})
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $access = 'session'
  MATCH (x:Memory {tenant: $tenant, session_id: $session_id})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'entities'
  UNWIND $entity_ids AS entity_id
  MATCH (:Node {tenant: $tenant, canonical_id: entity_id})<-[:MENTIONS]-(x:Memory {tenant: $tenant})
  RETURN DISTINCT x
  UNION ALL
  WITH 1 AS one WHERE $access = 'error_code'
  MATCH (x:Memory {tenant: $tenant, error_code: $error_code})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'media_type'
  MATCH (x:Memory {tenant: $tenant, media_type: $media_type})
  RETURN x
  UNION ALL
  WITH 1 AS one WHERE $access = 'task_type'
  MATCH (x:Memory {tenant: $tenant, task_type: $task_type})
  RETURN x
}
