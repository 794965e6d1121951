// purpose: Memories that the scope sees, by kind and status.
// mode: read
// scope: tenant
// param $tenant: string
// param $embedding: string, the property that holds the vector
// returns: kind, status, count, without_vector
// since: 5.26
MATCH (x:Memory {tenant: $tenant}) WHERE
//+ visible
RETURN x.kind AS kind, x.status AS status, count(*) AS count,
  sum(CASE WHEN x[$embedding] IS NULL THEN 1 ELSE 0 END) AS without_vector
