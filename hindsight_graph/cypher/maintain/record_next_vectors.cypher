// purpose: Record the model that a second set of vectors is filled by.
// mode: write
// scope: system
// param $name: string
// param $dimension: integer
// param $preparation: integer
// returns: nothing
// since: 5.26
MERGE (m:Meta {key: 'vectors_next'})
SET m.name = $name, m.dimension = $dimension, m.preparation = $preparation
