// purpose: Write a batch that only adds in one exchange: its mark in the ledger, on which a second attempt fails, and what is new. Nothing at all is written when a memory or an episode of it is there already, when a thing would have to be merged into the one there, when a slot has other holders than the plan found, or when the vectors are by another model.
// mode: write
// scope: tenant
// param $tenant: string
// param $operation: string, id made by the client
// param $absent: list of strings, ids of the memories and episodes
// param $model.name: string or null for any model
// param $model.dimension: integer or null
// param $model.preparation: string or null
// returns: fresh: whether it was written, met: ids of things that were there, written: ids of those that were written
// since: 5.26
//+ slots_changed
CALL () {
  OPTIONAL MATCH (v:Meta {key: 'vectors'})
  RETURN $model.name IS NULL OR coalesce(
    v.name = $model.name AND v.dimension = $model.dimension AND v.preparation = $model.preparation, false
  ) AS same
}
CALL () {
  UNWIND $absent AS id
  MATCH (n:Node {tenant: $tenant, id: id}) WHERE n:Memory OR n:Episode
  RETURN count(n) AS repeated
}
CALL () {
  UNWIND $entities AS row
  MATCH (n:Node {tenant: $tenant, id: row.id}) WHERE n:Entity
  WITH row.id AS id, (n.type <> 'other' OR row.properties.type = 'other')
    AND all(name IN row.properties.aliases + row.properties.name WHERE name = n.name OR name IN n.aliases) AS settled
  RETURN collect(id) AS met, count(CASE WHEN settled THEN null ELSE id END) AS unlike
}
WITH met, same AND repeated = 0 AND unlike = 0 AND size(changed) = 0 AS fresh
CALL (fresh) {
  WITH 1 AS one WHERE fresh
  CREATE (:Operation {tenant: $tenant, id: $operation, at: timestamp()})
}
//+ new_rows
RETURN fresh, met, written
