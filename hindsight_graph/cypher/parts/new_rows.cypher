// purpose: Write what is new of a batch, unless not fresh: episodes, entities, memories with the label of their kind, ends of edges that have no node yet, edges, jobs. A node that another writer made meanwhile is left as it is.
// param $tenant: string
// param $episodes: list of {id, properties}
// param $entities: list of {id, properties, place: position in the batch}, sorted by id
// param $memories: list of {id, label, properties}, sorted by id
// param $ends: list of strings, sorted
// param $edges: list of {source_id, target_id, type, properties, place: position in the batch}
// param $jobs: list of {id, properties}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $episodes ELSE [] END AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Episode
  SET n:Episode, n += row.properties
  RETURN count(n) AS episodes
}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $entities ELSE [] END AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Entity
  SET n:Entity, n += row.properties, n.added = timestamp() * 1000000 + row.place
  RETURN collect(row.id) AS written
}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $memories ELSE [] END AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Memory
  SET n:Memory:$(row.label), n += row.properties
  RETURN count(n) AS memories
}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $ends ELSE [] END AS id
  MERGE (n:Node {tenant: $tenant, id: id})
  ON CREATE SET n.canonical_id = id
  RETURN count(n) AS ends
}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $edges ELSE [] END AS row
  MATCH (s:Node {tenant: $tenant, id: row.source_id})
  MATCH (t:Node {tenant: $tenant, id: row.target_id})
  CREATE (s)-[x:$(row.type)]->(t)
  SET x = row.properties, x.added = timestamp() * 1000000 + row.place
  RETURN count(x) AS edges
}
CALL (fresh) {
  UNWIND CASE WHEN fresh THEN $jobs ELSE [] END AS row
  MERGE (j:Job {tenant: $tenant, id: row.id})
  ON CREATE SET j += row.properties
  RETURN count(j) AS jobs
}
