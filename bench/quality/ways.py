"""Ways to answer a task: ours with the graph on and off, plain words, plain vectors, their sum, and the peers."""

import asyncio
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.quality.peers import PEER_LIMIT_S, python_of_peers
from bench.quality.tasks import ASKED, Part, Task, rank, recall_at
from hindsight_graph import HindsightGraph
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.models.record import TermStats
from hindsight_graph.ranking.bm25 import bm25, inverse_frequencies
from hindsight_graph.ranking.fusion import by_maximum, min_max
from hindsight_graph.text.tokens import index_terms, query_terms

__all__ = ["PEERS", "Outcome", "graph_ways", "peer_way", "plain_ways"]

PEERS = ("bm25s", "dory-memory", "agentrecall-db", "geny-memory-adaptor")
PLAIN_K1, PLAIN_B = 1.2, 0.75
"""The usual values; a sweep for short turns is in docs/ranking.md."""
Floats = NDArray[np.float64]


@dataclass
class Outcome:
    """What one way made of a task: a score, 0..1, and milliseconds per question; `failed` says why there is none."""

    scores: list[float] = field(default_factory=list[float])
    milliseconds: list[float] = field(default_factory=list[float])
    write_s: float = 0.0
    failed: str = ""

    def add(self, task: Task, ranked: Sequence[str], gold: Sequence[str], spent: float) -> None:
        """Count one answer."""
        self.scores.append(recall_at(task.cut, ranked, gold))
        self.milliseconds.append(spent)


def graph_ways(task: Task, embedder: Embedder) -> dict[str, Outcome]:
    """Return our own outcomes, graph on and off, over the same store."""
    ways = {"graph on": Outcome(), "graph off": Outcome()}
    for part in task.parts:
        with (
            tempfile.TemporaryDirectory() as folder,
            HindsightGraph(f"sqlite:///{Path(folder) / 'quality.db'}", embedder=embedder, extractor="rules") as memory,
        ):
            began = time.perf_counter()
            part.write(memory)
            ways["graph on"].write_s += time.perf_counter() - began
            for question in part.collection.questions:
                for name, outcome in ways.items():
                    began = time.perf_counter()
                    ranked = rank(memory, question, graph=name == "graph on")
                    outcome.add(task, ranked, question.gold, (time.perf_counter() - began) * 1000)
    return ways


def plain_ways(task: Task, embedder: Embedder) -> dict[str, Outcome]:
    """Return BM25 over our own terms, vectors alone, and the half-and-half sum of both, each over whole texts."""
    ways = {"BM25": Outcome(), "vectors": Outcome(), "BM25 + vectors": Outcome()}
    for part in task.parts:
        words, senses = _words_over(part), _vectors_over(part, embedder)
        refs = [ref for ref, _ in part.documents()]
        for question in part.collection.questions:
            began = time.perf_counter()
            keyword = words(question.text)
            middle = time.perf_counter()
            cosine = senses(question.text)
            both = 0.5 * by_maximum(keyword) + 0.5 * min_max(cosine)
            ended = time.perf_counter()
            for name, scores, spent in (
                ("BM25", np.where(keyword > 0, keyword, -np.inf), middle - began),
                ("vectors", cosine, ended - middle),
                ("BM25 + vectors", both, ended - began),
            ):
                order: list[int] = np.argsort(-scores, kind="stable")[:ASKED].tolist()
                ranked = [refs[at] for at in order if np.isfinite(scores[at])]
                ways[name].add(task, ranked, question.gold, 1000 * spent)
    return ways


def _words_over(part: Part) -> Callable[[str], Floats]:
    texts = [index_terms(text) for _, text in part.documents()]
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    postings: dict[str, dict[int, int]] = {}
    for at, text in enumerate(texts):
        for term in text:
            counts = postings.setdefault(term, {})
            counts[at] = counts.get(at, 0) + 1

    def ask(question: str) -> Floats:
        terms = query_terms(question)
        found = {term: postings.get(term, {}) for term in terms}
        stats = TermStats(
            documents=len(texts),
            average_length=float(lengths.mean()),
            frequencies={term: len(counts) for term, counts in found.items()},
        )
        counts = np.zeros((len(texts), len(terms)))
        for column, rows in enumerate(found.values()):
            for at, count in rows.items():
                counts[at, column] = count
        return bm25(counts, lengths, inverse_frequencies(terms, stats), stats.average_length, k1=PLAIN_K1, b=PLAIN_B)

    return ask


def _vectors_over(part: Part, embedder: Embedder) -> Callable[[str], Floats]:
    matrix = asyncio.run(embedder.embed_passages([text for _, text in part.documents()])).astype(np.float64)
    return lambda question: matrix @ asyncio.run(embedder.embed_query(question)).astype(np.float64)


def peer_way(task: Task, peer: str) -> Outcome:
    """Return what a peer made of a task in its own environment; a peer that cannot run says why."""
    outcome = Outcome()
    for part in task.parts:
        asked = {
            "documents": part.documents(),
            "questions": [question.text for question in part.collection.questions],
            "limit": ASKED,
        }
        try:
            done = subprocess.run(
                [str(python_of_peers()), str(Path(__file__).with_name("peer_worker.py")), peer],
                input=json.dumps(asked), capture_output=True, text=True, timeout=PEER_LIMIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Outcome(failed=f"not done in {PEER_LIMIT_S} s")
        if done.returncode:
            return Outcome(failed=(done.stderr.strip().splitlines() or ["no word"])[-1][:80])
        answer = json.loads(done.stdout)
        outcome.write_s += answer["write_s"]
        for question, ranked, spent in zip(part.collection.questions, answer["ranked"], answer["milliseconds"], strict=True):
            outcome.add(task, ranked, question.gold, spent)
    return outcome
