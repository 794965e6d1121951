// purpose: Every version of a memory, the first one first.
// mode: read
// scope: tenant
// param $tenant: string
// param $id: string, any version
// returns: m: memory
// since: 5.26
MATCH (any:Node {tenant: $tenant, id: $id})
MATCH (m:Memory {tenant: $tenant, root_id: any.root_id})
RETURN m ORDER BY m.version
