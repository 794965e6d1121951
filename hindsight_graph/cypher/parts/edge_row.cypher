// purpose: Edge from node s to node t with the properties x, as a list in the order that `rows.edge_of` takes.
[
  x.id, x.recorded_at, type, x.added, s.id, s.canonical_id, t.id, t.canonical_id, x.role, x.owner_id, x.agent_id,
  x.visibility, x.pattern, x.confidence, x.weight, x.trust, x.valid_from, x.valid_to, x.closed_at, x.prior_valid_to,
  x.retired_at, x.expires_at, x.status, x.is_current
] AS row
