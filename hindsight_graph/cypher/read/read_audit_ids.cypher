// purpose: Which audit entries are there.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: id
// since: 5.26
UNWIND $ids AS id
MATCH (a:Audit {tenant: $tenant, id: id})
RETURN id
