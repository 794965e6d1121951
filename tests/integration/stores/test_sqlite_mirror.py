"""A mirror is the same however it was read: at once, or step by step."""

import sqlite3
from pathlib import Path

import numpy as np

from hindsight_graph.models.enums import StructureType
from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import a_memory, a_vector, a_view, an_edge, an_entity, new


async def fill(path: Path, count: int) -> SqliteStore:
    store = SqliteStore(path)
    await store.open()
    items = [new(a_memory(f"m{n}"), f"term{n % 7}", vector=a_vector(1 + n, n % 5)) for n in range(count)]
    await store.write(Scope(), WriteBatch(memories=tuple(items)))
    return store


async def test_what_is_written_after_the_first_look_is_found_as_well(tmp_path: Path):
    store = await fill(tmp_path / "memory.db", 100)
    found = await store.vector_topk(Scope(), a_vector(1), 100, Filter(view=a_view()))
    assert len(found) == 100
    assert await store.check() == ()
    await store.write(Scope(), WriteBatch(memories=(new(a_memory("later"), "term0", vector=a_vector(1)),)))
    assert "m-later" in [hit.id for hit in await store.vector_topk(Scope(), a_vector(1), 2, Filter(view=a_view()))]
    assert await store.check() == ()
    vectors = await store.get_vectors(Scope(), ["m-m3", "m-m64"])
    np.testing.assert_array_equal(vectors["m-m3"], a_vector(4, 3))
    np.testing.assert_array_equal(vectors["m-m64"], a_vector(65, 4))
    await store.close()


async def test_a_check_finds_an_edge_whose_id_another_one_has(tmp_path: Path):
    path = tmp_path / "memory.db"
    store = await fill(path, 2)
    entity = an_entity("tide")
    edges = [an_edge("m-m0", kind, entity.id, a_memory("m0"), id=kind.value) for kind in (StructureType.MENTIONS,)]
    await store.write(Scope(), WriteBatch(entities=(entity,), edges=tuple(edges)))
    assert await store.check() == ()
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(edges)") if row[1] not in ("num", "owner_id")]
    named = ", ".join(columns)
    connection.execute(f"INSERT INTO edges (owner_id, {named}) SELECT 'm-m1', {named} FROM edges")
    connection.commit()
    connection.close()
    findings = await store.check()
    assert [finding for finding in findings if finding.startswith("1 edges whose id another edge has")], findings
    await store.close()
