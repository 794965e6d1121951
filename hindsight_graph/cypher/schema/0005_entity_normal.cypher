// purpose: A normal form is one entity.
// mode: write
// scope: system
// returns: nothing
// since: 5.26
CREATE CONSTRAINT entity_normal IF NOT EXISTS FOR (n:Entity) REQUIRE (n.tenant, n.normal) IS UNIQUE
