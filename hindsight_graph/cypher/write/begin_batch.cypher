// purpose: Begin a write in one exchange: leave its mark in the ledger, on which a second attempt fails; hold the slots it was planned against, and say which have other holders; take its idempotency key, for which other writers then wait; hold the nodes that change, in the order given; read the nodes that it names, and whose vectors the store holds.
// mode: write
// scope: tenant
// param $tenant: string
// param $operation: string, id made by the client
// param $taken: list of {agent: string, empty for none, key, request_hash}, one or none
// param $changing: list of strings, sorted, so that writers do not wait for each other in a ring
// param $named: list of strings
// returns: changed: list of [subject, attribute] of slots, vectors: map or null, answered: list of [request_hash, response], known: list of maps: id, kind flags, properties of an entity, the edges it lists, the state that edges copy
// since: 5.26
CREATE (:Operation {tenant: $tenant, id: $operation, at: timestamp()})
WITH 1 AS one
//+ slots_changed
CALL (changed) {
  UNWIND $taken AS asked
  MERGE (k:Idempotency {tenant: $tenant, agent: asked.agent, key: asked.key})
  ON CREATE SET k.request_hash = asked.request_hash
  SET k.locked = true
  REMOVE k.locked
  RETURN collect([k.request_hash, k.response]) AS answered
}
CALL (answered) {
  UNWIND $changing AS id
  MATCH (n:Node {tenant: $tenant, id: id})
  SET n.locked = true
  REMOVE n.locked
  RETURN count(n) AS held
}
CALL (held) {
  UNWIND $named AS id
  MATCH (n:Node {tenant: $tenant, id: id})
  RETURN collect({
    id: id, is_memory: n:Memory, is_episode: n:Episode, entity: CASE WHEN n:Entity THEN properties(n) END,
    edge_ids: coalesce(n.edge_ids, []), edge_sources: coalesce(n.edge_sources, []),
    status: n.status, is_current: n.is_current, retired_at: n.retired_at, trust: n.trust, visibility: n.visibility
  }) AS known
}
OPTIONAL MATCH (v:Meta {key: 'vectors'})
RETURN changed, properties(v) AS vectors, answered, known
