// purpose: The stored fields of memory x, without what is there for searching, in the order of `rows.MEMORY_FIELDS`: as a list, half as long as a map.
[
  x.id, x.root_id, x.version, x.kind, x.summary, x.context, x.language, x.negated, x.mentions, x.relations,
  x.slot_subject, x.slot_attribute, x.slot_value, x.agent_id, x.visibility, x.session_id, x.sequence, x.origin,
  x.trust, x.confidence, x.importance, x.priority, x.weight, x.status, x.media_type, x.task_type, x.outcome,
  x.error_code, x.ttl, x.expires_at, x.valid_from, x.valid_to, x.closed_at, x.prior_valid_to, x.recorded_at,
  x.confirmed_at, x.retired_at, x.is_current, x.content_hash, x.raw_refs, x.episode_ids, x.tags, x.tools, x.bands,
  x.payload
] AS row
