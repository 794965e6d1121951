// purpose: Whether memory x passes scope, view and filter.
// param $tenant: string
// param $ids: list of strings or null
// param $root_id: string or null
// param $kinds: list of strings, empty for all
// param $entity_ids: list of strings, canonical ids, empty for all
// param $tags: list of strings, all of them
// param $agents: list of strings, empty for all
// param $session_id: string or null
// param $after: integer or null, valid_from from here on
// param $before: integer or null, valid_from before this
// param $task_type: string or null
// param $outcome: string or null
// param $tool: string or null
// param $error_code: string or null
// param $media_type: string or null
// param $origins: list of strings, empty for all
// param $hashes: list of strings, content hashes, empty for all
// param $bands: list of integers, any of them, empty for all
// param $slot_subject: string or null, normal form
// param $slot_attribute: string or null
// param $places: list of [session id, sequence], empty for all
//+ visible
AND
//+ held
AND ($ids IS NULL OR x.id IN $ids)
AND ($root_id IS NULL OR x.root_id = $root_id)
AND (size($kinds) = 0 OR x.kind IN $kinds)
AND (
  size($entity_ids) = 0
  OR EXISTS { MATCH (x)-[:MENTIONS]->(mentioned:Node {tenant: $tenant}) WHERE mentioned.canonical_id IN $entity_ids }
)
AND (size($tags) = 0 OR all(tag IN $tags WHERE tag IN x.tags))
AND (size($agents) = 0 OR x.agent_id IN $agents)
AND ($session_id IS NULL OR x.session_id = $session_id)
AND ($after IS NULL OR x.valid_from >= $after)
AND ($before IS NULL OR x.valid_from < $before)
AND ($task_type IS NULL OR x.task_type = $task_type)
AND ($outcome IS NULL OR x.outcome = $outcome)
AND ($tool IS NULL OR $tool IN x.tools)
AND ($error_code IS NULL OR x.error_code = $error_code)
AND ($media_type IS NULL OR x.media_type = $media_type)
AND (size($origins) = 0 OR x.origin IN $origins)
AND (size($hashes) = 0 OR x.content_hash IN $hashes)
AND (size($bands) = 0 OR any(band IN $bands WHERE band IN x.bands))
AND ($slot_subject IS NULL OR (x.slot_normal = $slot_subject AND x.slot_attribute = $slot_attribute))
AND (size($places) = 0 OR [x.session_id, x.sequence] IN $places)
