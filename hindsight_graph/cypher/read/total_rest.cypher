// purpose: Nodes, edges and open contradictions of all tenants, for whoever runs the service.
// mode: read
// scope: system
// returns: nodes, edges, conflicts
// since: 5.26
CALL () {
  MATCH (x:Node)
  RETURN count(*) AS nodes
}
CALL () {
  MATCH ()-[x]->()
  RETURN count(*) AS edges
}
CALL () {
  MATCH (:Memory)-[x:CONTRADICTS]->() WHERE x.is_current
  RETURN count(*) AS conflicts
}
RETURN nodes, edges, conflicts
