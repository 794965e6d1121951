import pytest

from hindsight_graph.errors import SchemaError
from hindsight_graph.stores.neo4j.schema import SCHEMA_VERSION
from hindsight_graph.testing.neo4j_server import Neo4jServer


async def test_a_dry_run_names_the_steps_and_does_nothing(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.migrate()
    await empty.run("MATCH (m:Meta {key: 'schema'}) SET m.version = 20, m.checksums = m.checksums[0..20]")
    report = await store.migrate(dry_run=True)
    assert (report.before, report.after, len(report.steps), report.applied) == (20, SCHEMA_VERSION, SCHEMA_VERSION - 20, False)
    assert (await store.migrate(dry_run=True)).before == 20
    done = await empty.store().migrate(dry_run=False)
    assert (done.before, done.applied) == (20, True)
    assert (await store.migrate()).steps == ()


async def test_a_store_of_a_newer_version_is_refused(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.migrate()
    await empty.run("MATCH (m:Meta {key: 'schema'}) SET m.version = $version", version=SCHEMA_VERSION + 1)
    try:
        with pytest.raises(SchemaError, match=f"schema version {SCHEMA_VERSION + 1}"):
            await store.open()
    finally:
        await empty.run("MATCH (m:Meta {key: 'schema'}) SET m.version = $version", version=SCHEMA_VERSION)


async def test_a_store_made_by_other_steps_is_refused(empty: Neo4jServer) -> None:
    store = empty.store()
    await store.migrate()
    kept = (await empty.run("MATCH (m:Meta {key: 'schema'}) RETURN m.checksums AS sums"))[0]["sums"]
    await empty.run("MATCH (m:Meta {key: 'schema'}) SET m.checksums = $sums", sums=["0", *kept[1:]])
    try:
        with pytest.raises(SchemaError, match="another step 1"):
            await store.open()
    finally:
        await empty.run("MATCH (m:Meta {key: 'schema'}) SET m.checksums = $sums", sums=kept)
