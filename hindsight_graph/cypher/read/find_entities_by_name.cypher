// purpose: Entities by normal form.
// mode: read
// scope: tenant
// param $tenant: string
// param $normals: list of strings
// returns: row: map
// since: 5.26
MATCH (e:Entity {tenant: $tenant}) WHERE e.normal IN $normals
RETURN properties(e) AS row
