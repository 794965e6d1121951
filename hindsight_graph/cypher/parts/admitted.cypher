// purpose: Whether memory x passes scope, view and filter.
// param $tenant: string
// param $where.ids: list of strings or null
// param $where.root_id: string or null
// param $where.kinds: list of strings, empty for all
// param $where.entity_ids: list of strings, canonical ids, empty for all
// param $where.tags: list of strings, all of them
// param $where.agents: list of strings, empty for all
// param $where.session_id: string or null
// param $where.after: integer or null, valid_from from here on
// param $where.before: integer or null, valid_from before this
// param $where.task_type: string or null
// param $where.outcome: string or null
// param $where.tool: string or null
// param $where.error_code: string or null
// param $where.media_type: string or null
// param $where.origins: list of strings, empty for all
// param $where.hashes: list of strings, content hashes, empty for all
// param $where.bands: list of integers, any of them, empty for all
// param $where.slot_subject: string or null, normal form
// param $where.slot_attribute: string or null
// param $where.places: list of [session id, sequence], empty for all
//+ visible
AND
//+ held
AND ($where.ids IS NULL OR x.id IN $where.ids)
AND ($where.root_id IS NULL OR x.root_id = $where.root_id)
AND (size($where.kinds) = 0 OR x.kind IN $where.kinds)
AND (
  size($where.entity_ids) = 0
  OR EXISTS { MATCH (x)-[:MENTIONS]->(mentioned:Node {tenant: $tenant}) WHERE mentioned.canonical_id IN $where.entity_ids }
)
AND (size($where.tags) = 0 OR all(tag IN $where.tags WHERE tag IN x.tags))
AND (size($where.agents) = 0 OR x.agent_id IN $where.agents)
AND ($where.session_id IS NULL OR x.session_id = $where.session_id)
AND ($where.after IS NULL OR x.valid_from >= $where.after)
AND ($where.before IS NULL OR x.valid_from < $where.before)
AND ($where.task_type IS NULL OR x.task_type = $where.task_type)
AND ($where.outcome IS NULL OR x.outcome = $where.outcome)
AND ($where.tool IS NULL OR $where.tool IN x.tools)
AND ($where.error_code IS NULL OR x.error_code = $where.error_code)
AND ($where.media_type IS NULL OR x.media_type = $where.media_type)
AND (size($where.origins) = 0 OR x.origin IN $where.origins)
AND (size($where.hashes) = 0 OR x.content_hash IN $where.hashes)
AND (size($where.bands) = 0 OR any(band IN $where.bands WHERE band IN x.bands))
AND ($where.slot_subject IS NULL OR (x.slot_normal = $where.slot_subject AND x.slot_attribute = $where.slot_attribute))
AND (size($where.places) = 0 OR [x.session_id, x.sequence] IN $where.places)
