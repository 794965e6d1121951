// purpose: What visible memories are called, by id.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: packed: list of [id, summary, raw_refs]
// since: 5.26
UNWIND $ids AS id
MATCH (x:Node {tenant: $tenant, id: id}) WHERE x:Memory AND
//+ visible
RETURN collect([id, x.summary, coalesce(x.raw_refs, [])]) AS packed
