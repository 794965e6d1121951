"""Everything that is found, in one table: our own sets and public ones, graph on and off, beside plain search and peers.

LoCoMo is recall@10 of turns, HotpotQA and MuSiQue recall@5 of passages, `chains` links three and four in the top 10, `zh` and
`agent` recall@10, `versions` whether the right version comes first. A hit counts for its first ref only. Brackets hold 95 %
bootstrap intervals; `gain` is graph on against the best of BM25, vectors and their sum, question by question.

    python -m bench.quality [--task NAME]... [--embedder NAME] [--half tune|report] [--no-peers] [--json FILE]
"""

import argparse
import asyncio
import json
import os
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import crosslang, extraction
from bench.common import DATA_VARIABLE, print_table
from bench.quality.intervals import difference, mean
from bench.quality.own_sets import DATA as OWN_DATA
from bench.quality.peers import make_peers
from bench.quality.tasks import MADE_TASKS, TASKS, Task, load_task
from bench.quality.ways import PEERS, Outcome, graph_ways, peer_way, plain_ways
from hindsight_graph.embedders import Embedders
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.readers import make_extractor
from hindsight_graph.settings import Settings

SINGLE = ("crosslang", "extraction")
"""What has a bench and a form of its own; its figures stand in the same table."""
RULES = "rules"
"""The extractor of every row: the one that every install has."""
PLAIN = ("BM25", "vectors", "BM25 + vectors")


def measure(task: Task, embedder: Embedder, peers: Mapping[str, str]) -> dict[str, Outcome]:
    """Return every way's outcome; `peers` says of each why it cannot be asked, or nothing."""
    outcomes = graph_ways(task, embedder) | plain_ways(task, embedder)
    for peer, trouble in peers.items():
        outcomes[peer] = Outcome(failed=trouble) if trouble else peer_way(task, peer)
    return outcomes


def figures(task: Task, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Return the task's figures as they are published: percent with interval, by way; by category for graph on and BM25."""
    rows: dict[str, Any] = {}
    for way, outcome in outcomes.items():
        if outcome.failed:
            rows[way] = {"failed": outcome.failed}
            continue
        rows[way] = {
            "percent": mean(outcome.scores).as_list(),
            "p50_ms": round(statistics.median(outcome.milliseconds), 1),
            "categories": _by_category(task, outcome.scores),
        }
    best = max(PLAIN, key=lambda way: sum(outcomes[way].scores))
    on = outcomes["graph on"].scores
    return {
        "measure": f"recall@{task.cut}",
        "questions": len(on),
        "ways": rows,
        "best_plain": best,
        "gain": difference(on, outcomes[best].scores).as_list(),
        "gain_of_graph": difference(on, outcomes["graph off"].scores).as_list(),
    }


def _by_category(task: Task, scores: list[float]) -> dict[str, list[float]]:
    if not task.by_category:
        return {}
    groups: dict[str, list[float]] = {}
    for question, value in zip(task.questions, scores, strict=True):
        groups.setdefault(question.category, []).append(value)
    start = 0
    if len(task.parts) > 1:
        for part in task.parts:
            count = len(part.collection.questions)
            groups[part.collection.name] = scores[start : start + count]
            start += count
    return {name: [*mean(group).as_list(), len(group)] for name, group in sorted(groups.items())}


def show(name: str, result: Mapping[str, Any]) -> None:
    """Print one task's rows, then its categories."""
    print(f"\n{name}: {result['measure']}, {result['questions']} questions")
    for way, row in result["ways"].items():
        if "failed" in row:
            print(f"  {way:<20} could not be asked: {row['failed']}")
            continue
        value, low, high = row["percent"]
        print(f"  {way:<20} {value:5.1f} [{low:5.1f}, {high:5.1f}]   p50 {row['p50_ms']:7.1f} ms")
    for label, key in ((f"graph on - {result['best_plain']}", "gain"), ("graph on - graph off", "gain_of_graph")):
        value, low, high = result[key]
        print(f"  {label:<28} {value:+5.1f} [{low:+5.1f}, {high:+5.1f}] points")
    ways = result["ways"]
    for category, (value, low, high, count) in ways["graph on"]["categories"].items():
        plain = ways["BM25"]["categories"][category][0]
        off = ways["graph off"]["categories"][category][0]
        print(f"    {category:<14} {count:4d}   on {value:5.1f} [{low:5.1f}, {high:5.1f}]   off {off:5.1f}   BM25 {plain:5.1f}")


def single(name: str, embedder: Embedder, folder: Path, half: str) -> dict[str, Any]:
    """Run one of the benches with a form of their own; returns and prints its figures."""
    if name == "crosslang":
        shares = crosslang.shares(crosslang.measure(embedder, half))
        print("\ncrosslang: recall by question>memory\n" + "\n".join(f"  {way} {row}" for way, row in shares.items()))
        return dict(shares)
    marked = [
        *extraction.read(folder / "extraction" / "entities.jsonl"),
        *extraction.read(folder / "extraction" / "relations.jsonl"),
    ]
    figures_of = extraction.measure(make_extractor(RULES), marked, [])
    print()
    print_table("extraction", figures_of)
    return dict(figures_of)


def _write(path: Path | None, results: Mapping[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", action="append", choices=(*TASKS, *SINGLE), help="only this one; may be repeated")
    parser.add_argument("--own", action="store_true", help="only our own committed sets")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all", help="which half of the questions of a set")
    parser.add_argument("--embedder", default="auto", help="embedder of our own ways and of plain vectors")
    parser.add_argument("--no-peers", action="store_true", help="ask no peers")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get(DATA_VARIABLE, "../shared/data")), help="data folder")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    names = options.task or [*(MADE_TASKS if options.own else TASKS), *SINGLE]
    trouble = "" if options.no_peers else make_peers()
    peers: dict[str, str] = {} if options.no_peers else dict.fromkeys(PEERS, trouble)
    embedder = asyncio.run(Embedders(Settings()).decide(options.embedder, None))
    results: dict[str, Any] = {"bench": "quality", "embedder": embedder.model.name, "half": options.half}
    print(f"embedder {embedder.model.name}, half: {options.half}")
    for name in names:
        if name in SINGLE:
            folder = OWN_DATA if options.own else options.data
            results[name] = single(name, embedder, folder, options.half)
            _write(options.json, results)
            continue
        task = load_task(name, options.data, options.half)
        results[name] = figures(task, measure(task, embedder, peers))
        show(name, results[name])
        _write(options.json, results)


if __name__ == "__main__":
    main()
