"""A question in one language, its answer in the other: pairs of our own, half of the memories in each language.

Each pair says one thing in English and in Chinese and asks for it in both. A store holds every pair once, alternately in English
and in Chinese; a second store has them the other way round, so that each pair is asked for in all four directions. What is set
by hand was set on the first half of the pairs.

    python -m bench.crosslang [--embedder NAME] [--half tune|report|all] [--json]
"""

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from hindsight_graph import HindsightGraph
from hindsight_graph.embedders import Embedders
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.settings import Settings
from hindsight_graph.testing.patience import patient_settings

DATA = Path(__file__).parent / "data" / "crosslang" / "pairs.tsv"
LANGUAGES = ("en", "zh")
CUT = 5


class Pair(NamedTuple):
    """One fact and one question, each in both languages."""

    told: tuple[str, str]
    asked: tuple[str, str]


class Plain:
    """An embedder that does not say where it puts languages: recall without the second list."""

    def __init__(self, inner: Embedder) -> None:
        self.model = inner.model
        self.embed_passages = inner.embed_passages
        self.embed_query = inner.embed_query


def load_pairs(half: str = "all") -> list[tuple[int, Pair]]:
    """Return the pairs of a half with their numbers."""
    lines = [line.split("\t") for line in DATA.read_text(encoding="utf-8").splitlines()]
    pairs = [(at, Pair((told, told_zh), (asked, asked_zh))) for at, (told, told_zh, asked, asked_zh) in enumerate(lines)]
    middle = len(pairs) // 2
    return {"tune": pairs[:middle], "report": pairs[middle:], "all": pairs}[half]


def measure(embedder: Embedder, half: str = "all") -> dict[str, list[int]]:
    """Return, by direction `question>memory`, the rank of the answer of each pair, from 0; 99 when it was not found."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for flip in (0, 1):
        with (
            tempfile.TemporaryDirectory() as folder,
            HindsightGraph(f"sqlite:///{Path(folder) / 'm.db'}", embedder=embedder, settings=patient_settings()) as memory,
        ):
            units: list[dict[str, Any]] = [
                {"text": pair.told[(at + flip) % 2], "kind": "fact", "raw_ref": f"pair:{at}", "entities": ()}
                for at, pair in load_pairs()
            ]
            memory.remember_many(units)
            for at, pair in load_pairs(half):
                for number, language in enumerate(LANGUAGES):
                    answer = memory.recall(pair.asked[number], top_k=20)
                    found = [hit.evidence[0] for hit in answer.results]
                    direction = f"{language}>{LANGUAGES[(at + flip) % 2]}"
                    ranks[direction].append(found.index(f"pair:{at}") if f"pair:{at}" in found else 99)
    return dict(sorted(ranks.items()))


def shares(ranks: dict[str, list[int]]) -> dict[str, dict[str, float]]:
    """Return recall@1 and recall@5 by direction."""
    return {
        direction: {f"recall@{cut}": round(sum(rank < cut for rank in found) / len(found), 3) for cut in (1, CUT)}
        for direction, found in ranks.items()
    }


def main() -> None:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedder", default="e5")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all")
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    options = parser.parse_args()
    embedder = asyncio.run(Embedders(Settings()).decide(options.embedder, None))
    results = {"without": shares(measure(Plain(embedder), options.half)), "with": shares(measure(embedder, options.half))}
    print(f"{embedder.model.name}, {len(load_pairs(options.half))} pairs each way, half of all memories in each language")
    for name, found in results.items():
        for direction, figures in found.items():
            print(f"{name:8} {direction}  " + "  ".join(f"{cut} {value:.3f}" for cut, value in figures.items()))
    if options.json:
        print(json.dumps({"bench": "crosslang", "embedder": embedder.model.name, "half": options.half, **results}))


if __name__ == "__main__":
    main()
