"""What an embedder costs: statements written a second, a question, a recall among 10,000 memories with its embedding; and what
smaller vectors would lose.

The 10,000 vectors that recall searches are made by hashing, which takes no minutes and gives the same work; the question is the
embedder's own. The loss is measured on the pairs of `bench.crosslang`, both languages by themselves: the share of questions whose
answer stays the nearest of all, after keeping the first places of each vector or rounding each number to 8 bits.

    python -m bench.embedding [--embedder NAME] [--memories N] [--json]
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.crosslang import load_pairs
from bench.embedded import World, ms
from hindsight_graph import HindsightGraph
from hindsight_graph.embedders import Embedders
from hindsight_graph.embedding.base import Embedder, Matrix, load, unit_rows
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.settings import Settings
from hindsight_graph.testing.patience import patient_settings

STATEMENTS = 300
QUESTIONS = 60
SIZES = (384, 256, 128, 64)


class Asking:
    """Questions by one embedder, passages by hashing in as many places: the work of a recall without the time to fill a store."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.model = inner.model
        self.fast = HashingEmbedder(inner.model.dimension)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return await self.fast.embed_passages(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        return await self.inner.embed_query(text)


def writing(embedder: Embedder, folder: Path) -> dict[str, float]:
    """Return statements a second through `remember_many`, by wall time and by processor time."""
    world = World(STATEMENTS)
    units = [{**unit, "summary": f"Note {at}: {unit['summary'][:60]}"} for at, unit in enumerate(world.units())]
    with HindsightGraph(f"sqlite:///{folder / 'w.db'}", embedder=embedder, settings=patient_settings()) as memory:
        began, worked = time.perf_counter(), time.process_time()
        memory.remember_many(units)
        return {
            "written_per_s": round(STATEMENTS / (time.perf_counter() - began), 1),
            "written_per_cpu_s": round(STATEMENTS / (time.process_time() - worked), 1),
        }


def asking(embedder: Embedder, folder: Path, memories: int) -> dict[str, float]:
    """Return the milliseconds of a question's vector, and of a recall with it, at the median and the least."""
    world = World(memories)
    with HindsightGraph(f"sqlite:///{folder / 'r.db'}", embedder=Asking(embedder), settings=patient_settings()) as memory:
        memory.remember_many(world.units())
        memory.recall(world.question())
        recalls: list[float] = []
        for _ in range(QUESTIONS):
            began = time.perf_counter()
            memory.recall(world.question())
            recalls.append(time.perf_counter() - began)

    async def questions() -> list[float]:
        spent: list[float] = []
        for _ in range(QUESTIONS):
            began = time.perf_counter()
            await embedder.embed_query(world.question())
            spent.append(time.perf_counter() - began)
        return spent

    vectors = asyncio.run(questions())
    return {
        "question_ms": ms(vectors),
        "question_least_ms": ms(vectors, 0),
        "recall_ms": ms(recalls),
        "recall_least_ms": ms(recalls, 0),
    }


async def losses(embedder: Embedder) -> dict[str, float]:
    """Return, for vectors made smaller, the share of questions whose answer stays the nearest."""
    pairs = [pair for _, pair in load_pairs()]
    found: dict[str, list[float]] = {}
    for language in (0, 1):
        passages = await embedder.embed_passages([pair.told[language] for pair in pairs])
        questions = np.stack([await embedder.embed_query(pair.asked[language]) for pair in pairs])
        for size in SIZES:
            kept = unit_rows(passages[:, :size]), unit_rows(questions[:, :size])
            found.setdefault(f"first_{size}", []).append(_first(*kept))
        scale: Matrix = np.abs(passages).max(axis=1, keepdims=True) / 127
        rounded: Matrix = np.round(passages / scale)
        found.setdefault("int8", []).append(_first(unit_rows(rounded), questions))
    return {name: round(float(np.mean(values)), 4) for name, values in found.items()}


def _first(passages: Matrix, questions: Matrix) -> float:
    nearest: list[int] = (questions @ passages.T).argmax(axis=1).tolist()
    return sum(at == found for at, found in enumerate(nearest)) / len(nearest)


def main() -> None:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    options = parser.parse_args()
    embedder = asyncio.run(Embedders(Settings()).decide(options.embedder, None, cached=False))
    asyncio.run(load(embedder))
    with tempfile.TemporaryDirectory() as folder:
        figures = writing(embedder, Path(folder)) | asking(embedder, Path(folder), options.memories)
    figures |= asyncio.run(losses(embedder))
    for name, value in figures.items():
        print(f"{name:20} {value}")
    if options.json:
        print(json.dumps({"bench": "embedding", "embedder": embedder.model.name, "memories": options.memories, **figures}))


if __name__ == "__main__":
    main()
