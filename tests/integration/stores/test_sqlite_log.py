"""What a bulk write leaves in the write-ahead log is copied into the file behind the caller's back, and never needed by then."""

import shutil
import sqlite3
from pathlib import Path

from hindsight_graph.models.query import Filter, Scope
from hindsight_graph.models.record import NewMemory, WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.stores.sqlite.store import BULK
from hindsight_graph.testing.builders import a_memory, a_view


def many(count: int) -> WriteBatch:
    return WriteBatch(memories=tuple(NewMemory(memory=a_memory(f"statement {number}")) for number in range(count)))


async def memories_in(path: Path) -> int:
    store = SqliteStore(path)
    await store.open()
    found = (await store.scan_memories(Scope(), Filter(view=a_view()), limit=2 * BULK)).rows
    await store.close()
    return len(found)


async def test_after_a_bulk_write_the_file_alone_holds_it_before_the_next_write_begins(tmp_path: Path):
    store = SqliteStore(tmp_path / "memory.db")
    await store.open()
    await store.write(Scope(), many(BULK))
    await store.write(Scope(), WriteBatch(memories=(NewMemory(memory=a_memory("one more")),)))
    shutil.copy(tmp_path / "memory.db", tmp_path / "file alone.db")
    await store.close()
    assert await memories_in(tmp_path / "file alone.db") == BULK
    assert await memories_in(tmp_path / "memory.db") == BULK + 1


async def test_a_reader_of_an_old_state_keeps_it_and_hinders_no_write(tmp_path: Path):
    path, counted = tmp_path / "memory.db", "SELECT count(*) FROM memories"
    store = SqliteStore(path)
    await store.open()
    await store.write(Scope(), WriteBatch(memories=(NewMemory(memory=a_memory("the first")),)))
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute(counted).fetchone() == (1,)
    await store.write(Scope(), many(BULK))
    await store.write(Scope(), WriteBatch(memories=(NewMemory(memory=a_memory("the last")),)))
    assert reader.execute(counted).fetchone() == (1,)
    reader.execute("COMMIT")
    assert reader.execute(counted).fetchone() == (BULK + 2,)
    reader.close()
    assert await store.check() == ()
    await store.close()
