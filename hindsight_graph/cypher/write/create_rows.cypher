// purpose: Write what is new of a batch in one exchange.
// mode: write
// scope: tenant
// returns: written: ids of the entities that were written
// since: 5.26
WITH true AS fresh
//+ new_rows
RETURN written
