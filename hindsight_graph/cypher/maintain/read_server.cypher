// purpose: Which server this is.
// mode: read
// scope: system
// returns: version, edition
// since: 5.26
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS version, edition
