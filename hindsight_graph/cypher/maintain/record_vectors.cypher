// purpose: Record what the vectors are made by; a null leaves what is there.
// mode: write
// scope: system
// param $name: string or null
// param $dimension: integer
// param $preparation: integer or null
// returns: nothing
// since: 5.26
MERGE (m:Meta {key: 'vectors'})
SET m.dimension = $dimension, m.name = coalesce($name, m.name), m.preparation = coalesce($preparation, m.preparation)
