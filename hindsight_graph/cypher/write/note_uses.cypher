// purpose: Note when memories were retrieved last; an earlier moment than the one noted changes nothing.
// mode: write
// scope: tenant
// param $tenant: string
// param $ids: list of strings
// param $at: integer, microseconds since 1970
// returns: nothing
// since: 5.26
UNWIND $ids AS id
MATCH (m:Node {tenant: $tenant, id: id}) WHERE m:Memory AND (m.used_at IS NULL OR m.used_at < $at)
SET m.used_at = $at
