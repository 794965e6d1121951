// purpose: Hold nodes until the transaction ends, in the order given; writers sort them, so that they do not wait for each other in a ring.
// mode: write
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: nothing
// since: 5.26
UNWIND $ids AS id
MATCH (n:Node {tenant: $tenant, id: id})
SET n.locked = true
REMOVE n.locked
