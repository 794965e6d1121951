// purpose: What a writer must know of nodes that a batch names.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: id, kind flags, canonical_id, the edges it lists, the state that edges copy
// since: 5.26
UNWIND $ids AS id
MATCH (n:Node {tenant: $tenant, id: id})
RETURN id, n:Memory AS is_memory, n:Episode AS is_episode, n:Entity AS is_entity, n.canonical_id AS canonical_id,
  coalesce(n.edge_ids, []) AS edge_ids, coalesce(n.edge_sources, []) AS edge_sources,
  n.status AS status, n.is_current AS is_current, n.retired_at AS retired_at, n.trust AS trust, n.visibility AS visibility
