"""Processes that are killed while they write lose nothing they acknowledged."""

import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite import SqliteStore

KILLS = 20
WRITER = """
import asyncio, sys
from hindsight_graph.models.enums import RelationType
from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import a_statement, a_vector

async def main(path, name):
    store = SqliteStore(path, busy_timeout=30)
    await store.open()
    print("ready", flush=True)
    for number in range(100_000):
        batch = a_statement(f"thing {number % 7}", RelationType.USES, f"part {number % 5}", name=f"{name}-{number}")
        item = batch.memories[0].model_copy(update={"vector": a_vector(1, number)})
        await store.write(Scope(), batch.model_copy(update={"memories": (item,)}))
        print(item.memory.id, flush=True)

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


def start(path: Path, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stdout=subprocess.PIPE, text=True)


def read_acknowledged(writer: subprocess.Popen[str], least: int) -> list[str]:
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    return [writer.stdout.readline().strip() for _ in range(least)]


def kill(writer: subprocess.Popen[str]) -> list[str]:
    """Kill a writer with SIGKILL and return what it had acknowledged and nobody had read yet."""
    assert writer.stdout is not None
    writer.kill()
    rest = writer.stdout.read()
    writer.stdout.close()
    writer.wait()
    return [line for line in rest.split("\n")[:-1] if line]


@pytest.mark.requirement("O-01")
@pytest.mark.requirement("M-04")
async def test_twenty_kills_of_two_writers_lose_nothing_acknowledged(tmp_path: Path):
    path = tmp_path / "memory.db"
    acknowledged: list[str] = []
    writers: dict[str, subprocess.Popen[str]] = {}
    try:
        for number in range(KILLS // 2):
            writers = {name: start(path, name) for name in (f"a{number}", f"b{number}")}
            for writer in writers.values():
                acknowledged += read_acknowledged(writer, 3 + number % 4)
            for writer in writers.values():
                acknowledged += kill(writer)
    finally:
        for writer in writers.values():
            if writer.poll() is None:
                kill(writer)
    assert len(acknowledged) >= KILLS * 3
    store = SqliteStore(path)
    await store.open()
    found = await store.get_memories(Scope(), acknowledged)
    vectors = await store.get_vectors(Scope(), acknowledged)
    edges = await store.owned_edges(Scope(), acknowledged)
    findings = await store.check()
    await store.close()
    assert [memory.id for memory in found] == acknowledged
    assert len(vectors) == len(acknowledged)
    assert len(edges) == 3 * len(acknowledged)
    assert findings == ()
