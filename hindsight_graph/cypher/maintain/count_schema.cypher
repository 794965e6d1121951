// purpose: How many of our constraints are there: a store that was never migrated has none.
// mode: read
// scope: system
// returns: count
// since: 5.26
SHOW CONSTRAINTS YIELD name WHERE name = 'meta_key'
RETURN count(*) AS count
