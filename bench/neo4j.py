"""A Neo4j store under load, beside what the server itself needs for the same work, in the same run.

A world of invented services is written as ready-made units with their vectors: 20,000 memories with 100,000 relationships (each
states that one service depends on two others, and mentions the three), a few hubs by a power law. Beside it, under another label,
bare nodes with the same vectors. What is compared takes turns.

    python -m bench.neo4j [--version 5.26.30 | 2026.09.0] [--url bolt://… [--loaded]] [--memories 20000] [--writers SECONDS]
                          [--exchanges] [--json]

`--url` names a running server, in which everything is deleted; with `--loaded` it holds the world of an earlier run already.
Without `--url` one is started, and wiped at the end. `--exchanges` lists what a recall and a write ask the server.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString

import neo4j
import numpy as np
import pytest

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import RelationType
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EmbeddingModel, NewMemory, WriteBatch
from hindsight_graph.settings import RecallSettings, Settings
from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.stores.neo4j.connection import Connection, Limits, Transaction
from hindsight_graph.testing.builders import a_memory, a_mention, an_edge, an_entity, new

SEED = 7
DIMENSION = 384
CHUNK = 500
ROUNDS = 40
HOPS = 4
CANDIDATES = 120
"""What a recall asks the vectors for (`RecallSettings.candidates`)."""
FRONTIER = 20
START = datetime(2026, 1, 1, tzinfo=UTC)
SERVER = Path(__file__).parent.parent / "scripts" / "neo4j_local.py"
TARGETS = {"recall_by_bare": "<= 2.5", "chain_p95_by_steps": "<= 2", "bulk_by_bare": ">= 0.4", "write_ms": "<= 25", "lost": "0"}

_BARE_INDEX: LiteralString = """
CREATE VECTOR INDEX bare_vectors IF NOT EXISTS FOR (b:Bare) ON b.vector
OPTIONS {indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}
"""
_BARE_WORDS: LiteralString = "CREATE FULLTEXT INDEX bare_words IF NOT EXISTS FOR (b:Bare) ON EACH [b.summary]"
_BARE_KEY: LiteralString = "CREATE CONSTRAINT bare_id IF NOT EXISTS FOR (b:Bare) REQUIRE b.id IS UNIQUE"
_BARE_LOAD: LiteralString = "UNWIND $rows AS row CREATE (:Bare {id: row.id, summary: row.summary, vector: row.vector})"
_BARE_SEARCH: LiteralString = (
    "CALL db.index.vector.queryNodes('bare_vectors', $k, $vector) YIELD node, score RETURN node.id AS id, score"
)
_BARE_WRITE: LiteralString = "CREATE (:Bare {id: $id, summary: $summary, vector: $vector})"
_BARE_STEP: LiteralString = """
UNWIND $ids AS id
CALL (id) { MATCH (:Node {tenant: 'default', id: id})-[x:DEPENDS_ON]->(o:Node) RETURN x, o LIMIT 20 }
RETURN id, properties(x) AS edge, o.id AS other
"""


class Exchanges:
    """Listens to what a connection asks: for each turn of a verb the statements in order, each with its time.

    A statement is counted from when it is asked until its rows are there, so what waits for the event loop counts too.
    """

    def __init__(self) -> None:
        self.now: list[tuple[str, float]] = []
        self.turns: dict[str, list[list[tuple[str, float]]]] = {}

    def listen(self, patch: pytest.MonkeyPatch) -> None:
        """Note every statement that any connection runs, until the patch is undone."""
        for owner, name in ((Connection, "rows"), (Connection, "attempt"), (Transaction, "run")):
            patch.setattr(owner, name, self._around(getattr(owner, name)))

    def _around(self, run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def noted(owner: object, statement: str, /, **parameters: Any) -> Any:
            spent, found = await timed(run(owner, statement, **parameters))
            self.now.append((statement, spent))
            return found

        return noted

    def end(self, verb: str) -> None:
        """What was asked since the last end belongs to a turn of this verb."""
        self.turns.setdefault(verb, []).append(self.now)
        self.now = []

    def rows(self, verb: str) -> list[tuple[str, float, float]]:
        """Return statement, how often a turn asks it, and its median milliseconds; in the order of their first use."""
        turns = self.turns[verb][5:]
        spent: dict[str, list[float]] = {}
        for turn in turns:
            for statement, seconds in turn:
                spent.setdefault(statement, []).append(seconds)
        return [(name, round(len(times) / len(turns), 1), ms(times)) for name, times in spent.items()]


class World:
    """Statements about invented services; the same at each run."""

    def __init__(self, memories: int) -> None:
        chance = random.Random(SEED)
        self.vectors = np.random.default_rng(SEED).normal(size=(memories, DIMENSION)).astype(np.float32)
        self.vectors /= np.linalg.norm(self.vectors, axis=1, keepdims=True)
        self.services = [f"service {number}" for number in range(max(20, memories // 5))]
        self.ends = [self._three(chance) for _ in range(memories)]

    def _three(self, chance: random.Random) -> list[int]:
        found: dict[int, None] = {}
        while len(found) < 3:
            found[int(len(self.services) * chance.random() ** 2)] = None
        return list(found)

    def batches(self) -> Iterator[WriteBatch]:
        """Yield what the store is given: each memory with relations between services, and what it mentions."""
        entities = [an_entity(name) for name in self.services]
        for start in range(0, len(self.ends), CHUNK):
            named: dict[str, Entity] = {}
            edges: list[Edge] = []
            memories: list[NewMemory] = []
            for number in range(start, min(start + CHUNK, len(self.ends))):
                one, two, three = ends = [entities[place] for place in self.ends[number]]
                words = [word for end in ends for word in end.name.split()]
                moment = START + timedelta(seconds=number)
                memory = a_memory(f"{number:06}", summary=f"statement {number}: {' '.join(words)}", recorded_at=moment)
                memories.append(new(memory, "statement", str(number), *words, vector=self.vectors[number]))
                edges += [an_edge(one.id, RelationType.DEPENDS_ON, other.id, memory) for other in (two, three)]
                edges += [a_mention(memory, end) for end in ends]
                named |= {end.id: end for end in ends}
            yield WriteBatch(memories=tuple(memories), entities=tuple(named.values()), edges=tuple(edges))


def ms(seconds: list[float], share: float = 0.5) -> float:
    """Return a quantile in milliseconds."""
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 2)


async def timed(work: Awaitable[Any]) -> tuple[float, Any]:
    """Return how long it took, and what it gave."""
    began = time.perf_counter()
    found = await work
    return time.perf_counter() - began, found


async def load(store: Neo4jStore, driver: neo4j.AsyncDriver, world: World) -> dict[str, float]:
    """Load the world into the store and the bare nodes beside it, in turns; returns memories per second of both."""
    await driver.execute_query(_BARE_KEY)
    await driver.execute_query(_BARE_INDEX)
    ours = bare = 0.0
    edges = 0
    for batch in world.batches():
        edges += len(batch.edges)
        rows = [
            {"id": item.memory.id, "summary": item.memory.summary, "vector": item.vector.tolist()}
            for item in batch.memories
            if item.vector is not None
        ]
        bare += (await timed(driver.execute_query(_BARE_LOAD, rows=rows)))[0]
        ours += (await timed(store.write(Scope(), batch)))[0]
    count = len(world.ends)
    return {
        "edges": edges, "bulk_per_s": round(count / ours), "bare_per_s": round(count / bare),
        "bulk_by_bare": round(bare / ours, 2),
    }  # fmt: skip


async def ask(url: str, driver: neo4j.AsyncDriver, world: World, heard: Exchanges) -> dict[str, float]:
    """Ask the engine and the server in turns."""
    await driver.execute_query(_BARE_WORDS)
    await driver.execute_query("CALL db.awaitIndexes(600)")
    chance = random.Random(SEED)
    settings = Settings(recall=RecallSettings(deadline_ms=60_000, loading_ms=60_000))
    figures: dict[str, list[float]] = {name: [] for name in ("recall", "bare", "chain", "steps", "write", "bare write")}
    stages: dict[str, list[float]] = {}
    ids = [an_entity(name).id for name in world.services]
    async with AsyncHindsightGraph(url, embedder="hashing", extractor="rules", settings=settings) as memory:
        for turn in range(ROUNDS + 5):
            service = chance.choice(world.services)
            heard.now.clear()
            spent, answer = await timed(memory.recall(f"What does {service} depend on?"))
            heard.end("recall")
            embedding = sum(stage.milliseconds for stage in answer.trace.stages if stage.name == "embed") / 1000
            vector = world.vectors[chance.randrange(len(world.vectors))].tolist()
            bare, _ = await timed(driver.execute_query(_BARE_SEARCH, k=CANDIDATES, vector=vector, routing_="r"))
            chain, _ = await timed(memory.chain(service, max_hops=HOPS))
            steps = 0.0
            frontier = chance.sample(ids, FRONTIER)
            for _ in range(HOPS):
                took, found = await timed(driver.execute_query(_BARE_STEP, ids=frontier, routing_="r"))
                steps += took
                frontier = list({row["other"] for row in found.records})[:FRONTIER] or frontier
            heard.now.clear()
            said = f"The release {turn} of {service} needs review {time.time_ns()}."
            write, _ = await timed(memory.remember(said))
            heard.end("write")
            row = {"id": f"{turn} {time.time_ns()}", "summary": said, "vector": vector}
            bare_write, _ = await timed(driver.execute_query(_BARE_WRITE, row))
            if turn >= 5:
                for name, value in zip(figures, (spent - embedding, bare, chain, steps, write, bare_write), strict=True):
                    figures[name].append(value)
                for stage in answer.trace.stages:
                    stages.setdefault(stage.name, []).append(stage.milliseconds / 1000)
    return {
        "recall_ms": ms(figures["recall"]), "bare_vector_ms": ms(figures["bare"]),
        "recall_by_bare": round(ms(figures["recall"]) / ms(figures["bare"]), 2),
        "chain_p95_ms": ms(figures["chain"], 0.95), "steps_p95_ms": ms(figures["steps"], 0.95),
        "chain_p95_by_steps": round(ms(figures["chain"], 0.95) / ms(figures["steps"], 0.95), 2),
        "write_ms": ms(figures["write"]), "write_p95_ms": ms(figures["write"], 0.95), "bare_write_ms": ms(figures["bare write"]),
        **{f"recall_{name}_ms": ms(spent) for name, spent in stages.items()},
    }  # fmt: skip


async def contend(url: str, seconds: float) -> dict[str, float]:
    """Let eight writers, each with a connection of its own, write about the same few things; count what is amiss afterwards."""
    scope = Scope(tenant="writers")
    acknowledged: list[str] = []
    failed = 0
    stores = [Neo4jStore(url, limits=Limits(call=600)) for _ in range(8)]  # looking the store over takes longer than a call may
    for store in stores:
        await store.open()
    end = time.monotonic() + seconds

    async def write(writer: int, store: Neo4jStore) -> None:
        nonlocal failed
        chance = random.Random(writer)
        number = 0
        while time.monotonic() < end:
            number += 1
            one, other = (an_entity(name, tenant="writers") for name in chance.sample("alpha beta gamma delta".split(), 2))
            memory = a_memory(f"{writer}-{number}", recorded_at=START)
            edges = (an_edge(one.id, RelationType.USES, other.id, memory), a_mention(memory, one), a_mention(memory, other))
            try:
                await store.write(scope, WriteBatch(memories=(new(memory, "x"),), entities=(one, other), edges=edges))
                acknowledged.append(memory.id)
            except HindsightGraphError:
                failed += 1

    await asyncio.gather(*(write(writer, store) for writer, store in enumerate(stores)))
    store = stores[0]
    kept = {memory.id for memory in await store.get_memories(scope, acknowledged)}
    counts, findings = await store.stats(scope), await store.check()
    for store in stores:
        await store.close()
    return {
        "writes_by_8": len(acknowledged), "failed": failed, "lost": len(set(acknowledged) - kept),
        "doubled": counts.memories - len(kept) + counts.entities - 4 + counts.edges - 3 * len(kept), "findings": len(findings),
    }  # fmt: skip


async def measure(url: str, options: argparse.Namespace, heard: Exchanges) -> dict[str, float]:
    """Return all figures."""
    world = World(options.memories)
    figures: dict[str, float] = {}
    async with neo4j.AsyncGraphDatabase.driver(url) as driver:  # pyright: ignore[reportUnknownMemberType]
        if not options.loaded:
            await driver.execute_query("MATCH (n) WHERE NOT (n:Meta AND n.key = 'schema') CALL (n) { DETACH DELETE n }")
            store = Neo4jStore(url)
            await store.open()
            async with AsyncHindsightGraph(url, embedder="hashing", extractor="rules", settings=Settings()) as memory:
                recorded = (await memory.status()).embedder
            await store.record_model(EmbeddingModel(name=recorded.name, dimension=DIMENSION, preparation=recorded.preparation))
            figures |= await load(store, driver, world)
            await store.close()
        if options.exchanges:
            with pytest.MonkeyPatch.context() as patch:
                heard.listen(patch)
                figures |= await ask(url, driver, world, heard)
        else:
            figures |= await ask(url, driver, world, heard)
    return figures | (await contend(url, options.writers) if options.writers else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", default="5.26.30")
    parser.add_argument("--url", help="a running server; everything in it is deleted")
    parser.add_argument("--memories", type=int, default=20_000)
    parser.add_argument("--writers", type=float, default=60.0, help="seconds of eight writers at once; 0 for none")
    parser.add_argument("--loaded", action="store_true", help="the server of --url holds the world of an earlier run")
    parser.add_argument("--exchanges", action="store_true", help="list what a recall and a write ask the server")
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    options = parser.parse_args()
    heard = Exchanges()
    with tempfile.TemporaryDirectory(prefix="bench-neo4j-") as folder:
        command = [sys.executable, str(SERVER)]
        home = ["--home", folder]
        url = options.url
        try:
            if url is None:
                start = [*command, "start", options.version, *home]
                url = subprocess.run(start, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]
            figures = asyncio.run(measure(url, options, heard))
        finally:
            if options.url is None:
                subprocess.run([*command, "stop", options.version, *home], check=True)
    if not options.json:
        for name, value in figures.items():
            target = f"   (wanted: {TARGETS[name]})" if name in TARGETS else ""
            print(f"{name:20} {value:>12,}{target}")
        for verb in heard.turns if options.exchanges else ():
            print(f"\n{verb}: statement, how often, median ms")
            for name, times, spent in heard.rows(verb):
                print(f"  {name:36} {times:>5} {spent:>9,}")
    else:
        print(json.dumps({"bench": "neo4j", "version": options.version, **figures}))


if __name__ == "__main__":
    main()
