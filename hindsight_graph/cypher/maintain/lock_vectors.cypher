// purpose: Hold the record of the vectors' model until the transaction ends, and read it.
// mode: write
// scope: system
// returns: name, dimension, preparation: each may be null
// since: 5.26
MERGE (m:Meta {key: 'vectors'})
SET m.touched = timestamp()
RETURN m.name AS name, m.dimension AS dimension, m.preparation AS preparation
