"""Files that older versions wrote are brought up to date when they are opened."""

import signal
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import DEFAULT_LEASE, Filter, Scope, SystemScope
from hindsight_graph.models.record import JobState, MemoryPatch, NewMemory, WriteBatch
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.stores.sqlite.schema import SCHEMA_VERSION
from hindsight_graph.testing.builders import NOW, a_memory, a_vector, a_view


def made(path: Path, version: int) -> Path:
    """Make the file that the package of an older schema version wrote."""
    connection = sqlite3.connect(path)
    connection.executescript(Path(__file__).with_name(f"schema_{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return made(tmp_path / "memory.db", 1)


@pytest.fixture
def five(tmp_path: Path) -> Path:
    return made(tmp_path / "five.db", 5)


async def test_a_dry_run_names_what_a_store_of_version_1_lacks(old: Path) -> None:
    report = await SqliteStore(old).migrate(dry_run=True)
    assert (report.before, report.after, report.applied) == (1, SCHEMA_VERSION, False)
    assert report.steps[:3] == (
        "2: let jobs wait, end in cancellation and carry a result", "3: keep API keys",
        "4: look hashes and edges up in one index each",
    )  # fmt: skip


@pytest.mark.requirement("O-01")
async def test_a_store_of_version_1_is_upgraded_with_its_memories_and_its_jobs(old: Path) -> None:
    store = SqliteStore(old)
    await store.open()
    assert (await store.info()).schema_version == SCHEMA_VERSION
    (memory,) = (await store.scan_memories(Scope(), Filter(view=a_view()))).rows
    assert memory.summary.startswith("portal DEPENDS_ON tide service")
    assert [hit.id for hit in await store.vector_topk(Scope(), a_vector(1), 1, Filter(view=a_view()))] == [memory.id]
    waiting, taken = (await store.scan_jobs(Scope())).rows
    assert (waiting.id, waiting.state, waiting.max_attempts, waiting.result) == ("waiting", JobState.QUEUED, 5, {})
    assert (taken.id, taken.state, taken.attempts, taken.cancel_requested) == ("taken", JobState.RUNNING, 1, False)
    claimed = await store.claim_jobs(SystemScope(), [], 5, NOW + timedelta(hours=1), DEFAULT_LEASE)
    assert [(job.id, job.attempts) for _, job in claimed] == [("taken", 2), ("waiting", 1)]
    assert await store.list_keys(SystemScope()) == ()
    assert await store.check() == ()
    await store.close()


async def test_an_upgraded_file_has_the_tables_and_indexes_of_a_new_one(old: Path, tmp_path: Path) -> None:
    def parts(path: Path) -> list[tuple[str, str]]:
        connection = sqlite3.connect(path)
        found = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").fetchall()
        connection.close()
        return found

    for path in (old, tmp_path / "new.db"):
        store = SqliteStore(path)
        await store.open()
        await store.close()
    assert parts(old) == parts(tmp_path / "new.db")
    assert {"edges_owned", "memories_content_past"} <= {name for name, _ in parts(old)}


async def test_what_an_upgraded_store_holds_is_not_said_twice_and_is_found_by_its_hash(old: Path) -> None:
    store = SqliteStore(old)
    await store.open()
    (memory,) = (await store.scan_memories(Scope(), Filter(view=a_view()))).rows
    twin = memory.model_copy(update={"id": "another", "root_id": "another"})
    with pytest.raises(ConflictError, match="says the same"):
        await store.write(Scope(), WriteBatch(memories=(NewMemory(memory=twin),)))
    where = Filter(view=a_view(timeless=True, statuses=tuple(Status)), content_hashes=(memory.content_hash,))
    assert [found.id for found in (await store.scan_memories(Scope(), where)).rows] == [memory.id]
    await store.write(Scope(), WriteBatch(memory_patches=(MemoryPatch(id=memory.id, changes={"is_current": False}),)))
    assert [found.id for found in (await store.scan_memories(Scope(), where)).rows] == [memory.id]
    await store.close()


EVERY_STATE = Filter(view=a_view(timeless=True, statuses=tuple(Status)))


async def test_a_store_of_version_5_keeps_its_memories_changed_and_unchanged_of_every_tenant(five: Path):
    store = SqliteStore(five)
    await store.open()
    assert [hit.id for hit in await store.vector_topk(Scope(), a_vector(1), 5, EVERY_STATE)] == ["m-default-1"]
    assert [hit.id for hit in await store.text_topk(Scope(), ["port"], 5, EVERY_STATE)] == ["m-before"]
    assert [hit.id for hit in await store.vector_topk(Scope(tenant="other"), a_vector(1), 5, EVERY_STATE)] == ["m-other-1"]
    (before,) = await store.get_memories(Scope(), ["m-before"])
    assert (before.status, before.is_current) == (Status.SUPERSEDED, False)
    assert await store.check() == ()
    await store.close()


async def test_what_two_processes_change_in_an_upgraded_store_is_seen_by_both(five: Path):
    one, other = SqliteStore(five), SqliteStore(five)
    await one.open()
    await other.open()
    active = Filter(view=a_view(timeless=True))
    assert len(await other.vector_topk(Scope(), a_vector(1), 5, active)) == 1
    later = NewMemory(memory=a_memory("later"), vector=a_vector(2))
    await one.write(Scope(), WriteBatch(memories=(later,)))
    assert {hit.id for hit in await other.vector_topk(Scope(), a_vector(1), 5, active)} == {"m-default-1", "m-later"}
    gone = {"status": Status.ARCHIVED, "is_current": False}
    changes = tuple(MemoryPatch(id=memory_id, changes=gone) for memory_id in ("m-default-1", "m-later"))
    await one.write(Scope(), WriteBatch(memory_patches=changes))
    assert await other.vector_topk(Scope(), a_vector(1), 5, active) == ()
    assert (await one.check(), await other.check()) == ((), ())
    await one.close()
    await other.close()


KILLED = """
import asyncio, os, signal, sys
from hindsight_graph.stores.sqlite import SqliteStore, schema

def die(connection):
    last(connection)
    os.kill(os.getpid(), signal.SIGKILL)

name, last = schema.MIGRATIONS[-1]
schema.MIGRATIONS = (*schema.MIGRATIONS[:-1], (name, die))
asyncio.run(SqliteStore(sys.argv[1]).open())
"""


def upgrade_and_die(path: Path) -> int:
    """Upgrade in a process that kills itself before it commits; returns how it ended."""
    return subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode


async def test_an_upgrade_that_is_killed_before_it_is_committed_leaves_the_store_as_it_was(five: Path):
    assert upgrade_and_die(five) == -signal.SIGKILL
    assert (await SqliteStore(five).migrate(dry_run=True)).before == 5
    store = SqliteStore(five)
    await store.open()
    assert len((await store.scan_memories(Scope(), EVERY_STATE)).rows) == 2
    assert await store.check() == ()
    await store.close()
