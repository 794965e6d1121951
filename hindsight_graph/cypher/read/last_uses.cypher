// purpose: When memories were retrieved last; those that never were are absent.
// mode: read
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// returns: id: string, used_at: integer, microseconds since 1970
// since: 5.26
UNWIND $ids AS id
MATCH (m:Node {tenant: $tenant, id: id}) WHERE m:Memory AND m.used_at IS NOT NULL
RETURN m.id AS id, m.used_at AS used_at
