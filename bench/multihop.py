"""HotpotQA and MuSiQue: are the passages that a multi-hop question needs found in a corpus?

Every passage is retained as a document named by its title, vouched for by an operator (a document's own trust is below the floor
of recall). A hit counts for the first passage it states; the first k distinct passages count. Plain BM25 ranks the same passages
(title and text) in the same run.

    python -m bench.multihop [--data FOLDER] [--set hotpotqa|musique]... [--json]
"""

import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.common import PATIENCE_MS, Collection, PlainBM25, Tally, arguments, first_refs, load_multihop, print_table
from hindsight_graph import HindsightGraph

SETS = ("hotpotqa", "musique")
CUTS = (2, 5, 10)
MEASURES = ("recall@2", "recall@5", "recall@10", "all@5")
ASKED = 60
"""Results asked for, so that ten distinct passages are among them."""
PLAIN_K1, PLAIN_B = 1.2, 0.75
"""Usual values for passages; they give the floors stated with the data."""


def retain(memory: HindsightGraph, corpus: Collection) -> tuple[int, float]:
    """Retain a corpus; returns how many memories it became, and seconds."""
    began = time.perf_counter()
    documents = [
        {"role": "document", "name": turn.speaker, "content": turn.text, "occurred_at": turn.occurred_at, "raw_ref": turn.ref}
        for turn in corpus.turns
    ]
    kept = len(memory.retain(documents, origin="operator").memories)
    return kept, time.perf_counter() - began


def measure(corpus: Collection) -> dict[str, Any]:
    """Run one set; returns figures in percent by way of ranking."""
    ways = {"graph on": Tally(), "graph off": Tally(), "plain BM25": Tally()}
    spent: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        HindsightGraph(f"sqlite:///{Path(folder) / 'multihop.db'}", embedder="hashing", extractor="rules") as memory,
    ):
        kept, seconds = retain(memory, corpus)
        for question in corpus.questions:
            for way, graph in (("graph on", True), ("graph off", False)):
                began = time.perf_counter()
                answer = memory.recall(question.text, top_k=ASKED, graph=graph, deadline_ms=PATIENCE_MS)
                if graph:
                    spent.append((time.perf_counter() - began) * 1000)
                ways[way].add("all", first_refs(hit.evidence for hit in answer.results), question.gold, CUTS)
    plain = PlainBM25([(turn.ref, f"{turn.speaker} {turn.text}") for turn in corpus.turns], k1=PLAIN_K1, b=PLAIN_B)
    for question in corpus.questions:
        ways["plain BM25"].add("all", plain.rank(question.text, max(CUTS)), question.gold, CUTS)
    return {
        "passages": len(corpus.turns),
        "memories": kept,
        "retain_s": round(seconds, 1),
        "recall_p50_ms": round(statistics.median(spent), 1),
        **{way: tally.means(measures=MEASURES)["all"] for way, tally in ways.items()},
    }


def measure_sets(folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Run several sets; returns their figures by name."""
    return {"bench": "multihop", **{name: measure(load_multihop(folder, name)) for name in names}}


def main() -> None:
    """Run the bench from the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--set", action="append", choices=SETS, help="only this one; may be repeated")
    options = parser.parse_args()
    names: Sequence[str] = options.set or SETS
    result = measure_sets(options.data, names)
    for name in names:
        rows = result[name]
        print_table(name, {way: rows[way] for way in ("graph on", "graph off", "plain BM25")})
        print(f"{rows['passages']} passages, {rows['memories']} memories, retained in {rows['retain_s']} s")
        print(f"recall p50 {rows['recall_p50_ms']} ms\n")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
