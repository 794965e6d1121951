// purpose: Memories of all tenants by kind and status, for whoever runs the service.
// mode: read
// scope: system
// param $embedding: string, the property that holds the vector
// returns: kind, status, count, vectors
// since: 5.26
MATCH (x:Memory)
RETURN x.kind AS kind, x.status AS status, count(*) AS count, count(x[$embedding]) AS vectors ORDER BY kind, status
