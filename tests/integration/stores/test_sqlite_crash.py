"""Processes that are killed while they write lose nothing they acknowledged."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite import SqliteStore

KILLS = 20
NURSERY = """
import asyncio, os, signal, sys
from hindsight_graph.models.enums import RelationType
from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.builders import a_statement, a_vector

async def write(path, name):
    store = SqliteStore(path, busy_timeout=60)
    await store.open()
    for number in range(100_000):
        batch = a_statement(f"thing {number % 7}", RelationType.USES, f"part {number % 5}", name=f"{name}-{number}")
        item = batch.memories[0].model_copy(update={"vector": a_vector(1, number)})
        await store.write(Scope(), batch.model_copy(update={"memories": (item,)}))
        os.write(1, f"{name} {os.getpid()} {item.memory.id}\\n".encode())

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while name := sys.stdin.readline().strip():
    if os.fork() == 0:
        os.close(0)
        try:
            asyncio.run(write(sys.argv[1], name))
        finally:
            os._exit(1)
"""
"""Starts a writer for each name it reads; each says what it wrote after the write returned. Forked: imports are slow."""


def write_and_kill(path: Path) -> list[str]:
    """Kill twenty writers, two at a time, and return the ids of all that they acknowledged."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", NURSERY, str(path)]
    acknowledged: list[str] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as nursery:
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        for number in range(KILLS // 2):
            names = (f"a{number}", f"b{number}")
            nursery.stdin.write("".join(f"{name}\n" for name in names))
            nursery.stdin.flush()
            heard: Counter[str] = Counter()
            living: dict[str, int] = {}
            while min(heard[name] for name in names) < 3 + number % 4:
                name, process, memory_id = nursery.stdout.readline().split()
                heard[name] += 1
                living[name] = int(process)
                acknowledged.append(memory_id)
            for name in names:
                os.kill(living[name], signal.SIGKILL)
        nursery.stdin.close()
        acknowledged += [line.split()[2] for line in nursery.stdout]
    return acknowledged


@pytest.mark.requirement("O-01")
@pytest.mark.requirement("M-04")
async def test_twenty_kills_of_two_writers_lose_nothing_acknowledged(tmp_path: Path):
    path = tmp_path / "memory.db"
    acknowledged = write_and_kill(path)
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
