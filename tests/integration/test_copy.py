"""Stores that are copied: every row arrives, answers stay, and nothing is mixed."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.cli import main
from hindsight_graph.errors import ConflictError, InputError, ModelMismatchError, NotFoundError
from hindsight_graph.models.moving import Table
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EmbeddingModel, WriteBatch
from hindsight_graph.pipelines.copy import copy
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import DIMENSION, a_memory, new
from hindsight_graph.testing.contract_move import every_row, put, taken
from hindsight_graph.testing.moving import STATEMENTS, ask, tell

MODEL = EmbeddingModel(name="pair", dimension=DIMENSION)
KILLED = """
import asyncio, os, signal, sys
from hindsight_graph.pipelines.copy import copy
from hindsight_graph.stores.sqlite import SqliteStore

class Dying(SqliteStore):
    pages = 0

    async def import_(self, scope, table, rows):
        await super().import_(scope, table, rows)
        self.pages += 1
        if self.pages == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

async def main():
    source, target = SqliteStore(sys.argv[1]), Dying(sys.argv[2])
    await source.open()
    await target.open()
    await copy(source, target, page=2)

asyncio.run(main())
"""
"""Copies a store and is killed after some pages."""


async def filled(path: Path, *tenants: str) -> SqliteStore:
    """Return an open store in which each tenant has every kind of row."""
    store = SqliteStore(path)
    await store.open()
    await store.record_model(MODEL)
    for tenant in tenants:
        await put(store, Scope(tenant=tenant), every_row())
    return store


async def opened(path: Path) -> SqliteStore:
    store = SqliteStore(path)
    await store.open()
    return store


async def test_a_copied_file_holds_the_same_rows_of_every_tenant(tmp_path: Path) -> None:
    source, target = await filled(tmp_path / "a.db", "one", "two"), await opened(tmp_path / "b.db")
    seen: list[tuple[int, int]] = []
    report = await copy(source, target, progress=lambda done, total: seen.append((done, total)), page=2)
    assert [tenant.tenant for tenant in report.tenants] == ["one", "two"]
    assert report.tenants[0].rows == {table: len(rows) for table, rows in every_row().items()}
    assert report.tenants[0].written == sum(len(rows) for rows in every_row().values())
    assert report.tenants[0].checksum == report.tenants[1].checksum
    assert report.embedding == (await target.info()).embedding == MODEL
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    for tenant in ("one", "two"):
        assert await taken(target, Scope(tenant=tenant)) == await taken(source, Scope(tenant=tenant))
    again = await copy(source, target)
    assert [tenant.written for tenant in again.tenants] == [0, 0]
    assert await target.check() == ()
    await source.close()
    await target.close()


async def test_one_tenant_may_be_copied_alone_and_an_unknown_one_is_not_found(tmp_path: Path) -> None:
    source, target = await filled(tmp_path / "a.db", "one", "two"), await opened(tmp_path / "b.db")
    await copy(source, target, tenants=["two"])
    assert (await taken(target, Scope(tenant="one")))[Table.MEMORIES] == []
    with pytest.raises(NotFoundError, match="has no tenant 'three'"):
        await copy(source, target, tenants=["three"])
    with pytest.raises(InputError, match="source and target are both"):
        await copy(source, source)
    await source.close()
    await target.close()


def killed_copy(source: Path, target: Path, pages: int) -> int:
    """Copy until so many pages are written, then die; returns the process's exit code."""
    words = [sys.executable, "-c", KILLED, str(source), str(target), str(pages)]
    return subprocess.run(words, check=False).returncode


@pytest.mark.parametrize("pages", [1, 3, 6, 9])
async def test_a_copy_that_was_killed_goes_on_where_it_stopped(tmp_path: Path, pages: int) -> None:
    source = await filled(tmp_path / "a.db", "one")
    assert killed_copy(tmp_path / "a.db", tmp_path / "b.db", pages) == -signal.SIGKILL
    target = await opened(tmp_path / "b.db")
    before = sum(len(rows) for rows in (await taken(target, Scope(tenant="one"))).values())
    assert before > 0
    report = await copy(source, target, page=2)
    assert report.tenants[0].written + before == sum(report.tenants[0].rows.values())
    assert await taken(target, Scope(tenant="one")) == await taken(source, Scope(tenant="one"))
    await source.close()
    await target.close()


async def test_a_target_with_other_rows_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    source, target = await filled(tmp_path / "a.db", "one"), await filled(tmp_path / "b.db")
    await target.write(Scope(tenant="one"), WriteBatch(memories=(new(a_memory("foreign")),)))
    with pytest.raises(ConflictError, match=r"holds other memories of tenant 'one' .*m-foreign is not there, or is otherwise"):
        await copy(source, target)
    assert (await taken(target, Scope(tenant="one")))[Table.EPISODES] == []
    await source.close()
    await target.close()


async def test_vectors_of_another_model_are_never_mixed_in(tmp_path: Path) -> None:
    source, target = await filled(tmp_path / "a.db", "one"), await opened(tmp_path / "b.db")
    await target.record_model(EmbeddingModel(name="another", dimension=DIMENSION))
    with pytest.raises(ModelMismatchError, match="vectors are by another"):
        await copy(source, target)
    await source.close()
    await target.close()


async def test_a_source_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    class Restless(SqliteStore):
        """Writes one more memory whenever its audit is read."""

        async def export(self, scope: Scope, table: Table, cursor: str | None = None, limit: int = 500):
            if table is Table.AUDIT:
                name = f"late {len(await self.get_memories(scope, ['m-late 0']))}"
                await self.write(scope, WriteBatch(memories=(new(a_memory(name)),)))
            return await super().export(scope, table, cursor, limit)

    await (await filled(tmp_path / "a.db", "one")).close()
    source, target = Restless(tmp_path / "a.db"), await opened(tmp_path / "b.db")
    await source.open()
    with pytest.raises(ConflictError, match=r"memories of tenant 'one' changed in .* during the copy"):
        await copy(source, target)
    await source.close()
    await target.close()


def command(*words: str) -> Sequence[str]:
    return [sys.executable, "-c", "import sys; from hindsight_graph.cli import main; sys.exit(main())", *words]


def test_the_command_copies_and_both_files_answer_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = (f"sqlite:///{tmp_path / name}" for name in ("a.db", "b.db"))
    tell(source)
    assert main(["copy", source, str(tmp_path / "b.db")]) == 0
    assert "both stores have checksum" in capsys.readouterr().out
    assert ask(target) == ask(source)
    with HindsightGraph(target, embedder="hashing") as memory:
        before = memory.status().stats.episodes
        memory.remember_many([{"text": text, "tags": ["told"]} for text in STATEMENTS], idempotency_key="once")
        assert memory.status().stats.episodes == before


def test_a_path_without_a_store_is_not_found_and_makes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["copy", str(tmp_path / "typo.db"), str(tmp_path / "b.db")]) == 3
    assert "there is no store at" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_sees_a_bar(tmp_path: Path) -> None:
    tell(f"sqlite:///{tmp_path / 'a.db'}")
    screen, behind = pty.openpty()
    done = subprocess.run(
        command("copy", str(tmp_path / "a.db"), str(tmp_path / "b.db"), "--json"), stdout=subprocess.PIPE, stderr=behind,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"}, check=True,
    )  # fmt: skip
    os.close(behind)
    shown = os.read(screen, 100_000).decode()
    os.close(screen)
    assert "copying" in shown
    assert "100%" in shown
    assert b'"checksum"' in done.stdout
