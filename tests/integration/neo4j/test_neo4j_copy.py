"""From a file to Neo4j and back: every row, the same answers, and a copy that was killed goes on."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph.cli import main
from hindsight_graph.models.moving import Table
from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.contract_move import taken
from hindsight_graph.testing.moving import ROWS, add_rows, ask, tell
from hindsight_graph.testing.neo4j_server import Neo4jServer

KILLED = """
import asyncio, os, signal, sys
from hindsight_graph.pipelines.copy import copy
from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.stores.sqlite import SqliteStore

class Dying(Neo4jStore):
    pages = 0

    async def import_(self, scope, table, rows):
        await super().import_(scope, table, rows)
        self.pages += 1
        if self.pages == 7:
            os.kill(os.getpid(), signal.SIGKILL)

async def main():
    source, target = SqliteStore(sys.argv[1]), Dying(sys.argv[2])
    await source.open()
    await target.open()
    await copy(source, target, page=10)

asyncio.run(main())
"""


def rows_of(path: Path) -> list[dict[Table, list[Any]]]:
    """Return every row of both tenants of a file."""

    async def read() -> list[dict[Table, list[Any]]]:
        store = SqliteStore(path)
        await store.open()
        found = [await taken(store, scope) for scope in (Scope(), ROWS)]
        assert await store.check() == ()
        await store.close()
        return found

    return asyncio.run(read())


def add_every_row(path: Path) -> None:
    async def write() -> None:
        store = SqliteStore(path)
        await store.open()
        await add_rows(store)
        await store.close()

    asyncio.run(write())


@pytest.mark.requirement("G-06")
@pytest.mark.timeout(600)
def test_a_killed_copy_to_neo4j_goes_on_and_comes_back_with_every_row_and_the_same_answers(
    empty: Neo4jServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, last = tmp_path / "a.db", tmp_path / "b.db"
    tell(f"sqlite:///{first}")
    add_every_row(first)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(first), empty.url], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert main(["copy", str(first), empty.url, "--json"]) == 0
    there = json.loads(capsys.readouterr().out)
    assert [0 < tenant["written"] < sum(tenant["rows"].values()) for tenant in there["tenants"]] == [True, False]
    assert there["embedding"]["name"] == "hashing-384"
    assert main(["copy", empty.url, str(last), "--json"]) == 0
    back = json.loads(capsys.readouterr().out)
    assert [tenant["checksum"] for tenant in back["tenants"]] == [tenant["checksum"] for tenant in there["tenants"]]
    assert rows_of(last) == rows_of(first)
    assert ask(empty.url) == ask(f"sqlite:///{last}") == ask(f"sqlite:///{first}")
