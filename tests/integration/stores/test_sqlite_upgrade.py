"""Files that older versions wrote are brought up to date when they are opened."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from hindsight_graph.models.query import DEFAULT_LEASE, Filter, Scope, SystemScope
from hindsight_graph.models.record import JobState
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.stores.sqlite.schema import SCHEMA_VERSION
from hindsight_graph.testing.builders import NOW, a_vector, a_view


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path)
    connection.executescript(Path(__file__).with_name("schema_1.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


async def test_a_dry_run_names_what_a_store_of_version_1_lacks(old: Path) -> None:
    report = await SqliteStore(old).migrate(dry_run=True)
    assert (report.before, report.after, report.applied) == (1, SCHEMA_VERSION, False)
    assert report.steps[:2] == ("2: let jobs wait, end in cancellation and carry a result", "3: keep API keys")


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
