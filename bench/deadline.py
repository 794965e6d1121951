"""1,000 recalls while a stage is stalled: how long does the slowest answer take? python -m bench.deadline [--recalls N] [--json]

The stalls are real: a thread of the embedder, or the reading thread of the store, waits and cannot be ended. `clients` ask at the
same time. A healthy run comes first, for comparison. The promise is 550 ms for every answer.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.settings import Settings
from hindsight_graph.testing.faults import Stall, StallingEmbedder, stall_reads

PROMISE = 550.0
PARTS = ("pump", "valve", "gauge", "panel", "boat", "crane", "buoy", "light")


async def ask(memory: AsyncHindsightGraph, numbers: "asyncio.Queue[int]", times: list[float], degraded: list[int]) -> None:
    """Ask one question after the other until there is none left."""
    while not numbers.empty():
        number = numbers.get_nowait()
        began = time.perf_counter()
        answer = await memory.recall(f"What does the {PARTS[number % len(PARTS)]} {number} depend on?")
        times.append((time.perf_counter() - began) * 1000)
        degraded.append(int(answer.degraded))


async def measure(memory: AsyncHindsightGraph, recalls: int, clients: int) -> dict[str, float]:
    """Return the figures of one run, times in milliseconds."""
    numbers: asyncio.Queue[int] = asyncio.Queue()
    for number in range(recalls):
        numbers.put_nowait(number)
    times: list[float] = []
    degraded: list[int] = []
    await asyncio.gather(*(ask(memory, numbers, times, degraded) for _ in range(clients)))
    times.sort()
    return {
        "recalls": len(times),
        "degraded": sum(degraded),
        "p50_ms": round(times[len(times) // 2], 1),
        "p99_ms": round(times[int(len(times) * 0.99)], 1),
        "max_ms": round(times[-1], 1),
        "over_550_ms": sum(1 for taken in times if taken > PROMISE),
    }


async def run(recalls: int, clients: int, memories: int) -> dict[str, dict[str, float]]:
    """Measure healthy, with a stalled embedder, with a stalled store; each on a store of its own."""
    results: dict[str, dict[str, float]] = {}
    for name in ("healthy", "embedder stalled", "store stalled"):
        with tempfile.TemporaryDirectory() as folder:
            embedder, store = Stall(), Stall()
            async with AsyncHindsightGraph(
                f"sqlite:///{Path(folder) / 'memory.db'}",
                embedder=StallingEmbedder(HashingEmbedder(), embedder),
                extractor="rules",
                settings=Settings(),
            ) as memory:
                await memory.remember_many(
                    {"summary": f"The {PARTS[at % 8]} {at} depends on the {PARTS[(at + 1) % 8]} {at + 1}.", "kind": "fact"}
                    for at in range(memories)
                )
                stall_reads(memory, store)
                await memory.recall("pump 1", deadline_ms=60_000)
                stall = {"embedder stalled": embedder, "store stalled": store}.get(name)
                if stall is not None:
                    stall.close()
                try:
                    results[name] = await measure(memory, recalls, clients)
                finally:
                    embedder.open()
                    store.open()
    return results


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recalls", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = asyncio.run(run(given.recalls, given.clients, given.memories))
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name, figures in results.items():
        print(f"{name}: " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
