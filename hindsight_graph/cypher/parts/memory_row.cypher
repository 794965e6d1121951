// purpose: The stored fields of memory x, without what is there for searching.
x {
  .id, .root_id, .version, .kind, .summary, .context, .language, .negated, .mentions, .relations, .slot_subject,
  .slot_attribute, .slot_value, .agent_id, .visibility, .session_id, .sequence, .origin, .trust, .confidence,
  .importance, .priority, .weight, .status, .media_type, .task_type, .outcome, .error_code, .ttl, .expires_at,
  .valid_from, .valid_to, .closed_at, .prior_valid_to, .recorded_at, .confirmed_at, .retired_at, .is_current,
  .content_hash, .raw_refs, .episode_ids, .tags, .tools, .bands, .payload
} AS row
