// purpose: Write what is new of a batch in one exchange: episodes, entities, memories with the label of their kind, ends of edges that have no node yet, edges, jobs. A node that another writer made meanwhile is left as it is.
// mode: write
// scope: tenant
// param $tenant: string
// param $episodes: list of {id, properties}
// param $entities: list of {id, properties, place: position in the batch}, sorted by id
// param $memories: list of {id, label, properties}, sorted by id
// param $ends: list of strings, sorted
// param $edges: list of {source_id, target_id, type, properties, place: position in the batch}
// param $jobs: list of {id, properties}
// returns: written: ids of the entities that were written
// since: 5.26
CALL () {
  UNWIND $episodes AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Episode
  SET n:Episode, n += row.properties
  RETURN count(n) AS episodes
}
CALL () {
  UNWIND $entities AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Entity
  SET n:Entity, n += row.properties, n.added = timestamp() * 1000000 + row.place
  RETURN collect(row.id) AS written
}
CALL () {
  UNWIND $memories AS row
  MERGE (n:Node {tenant: $tenant, id: row.id})
  WITH n, row WHERE NOT n:Memory
  SET n:Memory:$(row.label), n += row.properties
  RETURN count(n) AS memories
}
CALL () {
  UNWIND $ends AS id
  MERGE (n:Node {tenant: $tenant, id: id})
  ON CREATE SET n.canonical_id = id
  RETURN count(n) AS ends
}
CALL () {
  UNWIND $edges AS row
  MATCH (s:Node {tenant: $tenant, id: row.source_id})
  MATCH (t:Node {tenant: $tenant, id: row.target_id})
  CREATE (s)-[x:$(row.type)]->(t)
  SET x = row.properties, x.added = timestamp() * 1000000 + row.place
  RETURN count(x) AS edges
}
CALL () {
  UNWIND $jobs AS row
  MERGE (j:Job {tenant: $tenant, id: row.id})
  ON CREATE SET j += row.properties
  RETURN count(j) AS jobs
}
RETURN written
