"""LoCoMo: are the turns that hold the answer found in long conversations?

Each conversation of the data file is retained turn by turn into a store of its own; each question is asked with the graph on and
off; its evidence turns found in the first 5, 10, 20 distinct turns are the recall. A hit counts for the first turn it states, and
for no other. Plain BM25 ranks the same turns (speaker and text) in the same run.

    python -m bench.locomo [--data FOLDER] [--conversation NAME]... [--json]
"""

import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.common import PATIENCE_MS, Collection, PlainBM25, Tally, arguments, first_refs, load_locomo, print_table
from hindsight_graph import HindsightGraph

CUTS = (5, 10, 20)
ASKED = 60
"""Results asked for, so that twenty distinct turns are among them."""
PLAIN_K1, PLAIN_B = 0.9, 0.2
"""The best of a sweep for plain BM25 on these turns (docs/ranking.md)."""


def retain(memory: HindsightGraph, talk: Collection) -> tuple[int, float]:
    """Retain a conversation, one call per session; returns how many memories it became, and seconds."""
    sessions: dict[str, list[dict[str, Any]]] = {}
    for turn in talk.turns:
        sessions.setdefault(turn.session, []).append(
            {"role": "user", "name": turn.speaker, "content": turn.text, "occurred_at": turn.occurred_at, "raw_ref": turn.ref}
        )
    began = time.perf_counter()
    kept = sum(len(memory.retain(turns, session_id=session).memories) for session, turns in sessions.items())
    return kept, time.perf_counter() - began


def ask(memory: HindsightGraph, talk: Collection, tally: Tally, *, graph: bool) -> list[float]:
    """Ask every question; returns milliseconds per question."""
    spent: list[float] = []
    for question in talk.questions:
        began = time.perf_counter()
        answer = memory.recall(question.text, top_k=ASKED, graph=graph, deadline_ms=PATIENCE_MS)
        spent.append((time.perf_counter() - began) * 1000)
        tally.add(question.category, first_refs(hit.evidence for hit in answer.results), question.gold, CUTS)
    return spent


def measure(talks: Sequence[Collection]) -> dict[str, Any]:
    """Run everything; returns figures in percent, by way of ranking, then by category."""
    ways = {"graph on": Tally(), "graph off": Tally(), "plain BM25": Tally()}
    kept, seconds, spent = 0, 0.0, list[float]()
    for talk in talks:
        with (
            tempfile.TemporaryDirectory() as folder,
            HindsightGraph(f"sqlite:///{Path(folder) / 'locomo.db'}", embedder="hashing", extractor="rules") as memory,
        ):
            number, took = retain(memory, talk)
            kept, seconds = kept + number, seconds + took
            spent += ask(memory, talk, ways["graph on"], graph=True)
            ask(memory, talk, ways["graph off"], graph=False)
        plain = PlainBM25([(turn.ref, f"{turn.speaker}: {turn.text}") for turn in talk.turns], k1=PLAIN_K1, b=PLAIN_B)
        for question in talk.questions:
            ways["plain BM25"].add(question.category, plain.rank(question.text, max(CUTS)), question.gold, CUTS)
    measures = [f"recall@{cut}" for cut in CUTS]
    return {
        "bench": "locomo",
        "turns": sum(len(talk.turns) for talk in talks),
        "memories": kept,
        "retain_s": round(seconds, 1),
        "recall_p50_ms": round(statistics.median(spent), 1),
        **{way: tally.means(measures=measures) for way, tally in ways.items()},
    }


def main() -> None:
    """Run the bench from the command line."""
    parser = arguments(__doc__)
    parser.add_argument("--conversation", action="append", help="only this one, by its name; may be repeated")
    options = parser.parse_args()
    talks = [talk for talk in load_locomo(options.data) if not options.conversation or talk.name in options.conversation]
    result = measure(talks)
    for way in ("graph on", "graph off", "plain BM25"):
        print_table(way, result[way])
        print()
    print(f"{result['turns']} turns, {result['memories']} memories, retained in {result['retain_s']} s")
    print(f"recall p50 {result['recall_p50_ms']} ms")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
