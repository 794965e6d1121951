// purpose: Hold the record of the second set's model until the transaction ends, and read it; no row when there is none.
// mode: write
// scope: system
// returns: name, dimension, preparation
// since: 5.26
MATCH (m:Meta {key: 'vectors_next'})
SET m.touched = timestamp()
RETURN m.name AS name, m.dimension AS dimension, m.preparation AS preparation
