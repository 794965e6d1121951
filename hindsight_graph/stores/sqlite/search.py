"""Nearest vectors and best keyword candidates over a mirror. Exact: no row that belongs in the answer is left out.

Keyword candidates are ordered by sum(idf x tf / (tf + 1.2)) with the statistics of the admitted rows, BM25 without its length
part (Robertson and Zaragoza 2009, section 3); the caller scores them in full.
"""

import heapq
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.errors import EmbeddingError, ModelMismatchError
from hindsight_graph.models.base import trusted
from hindsight_graph.models.record import ScoredId, TermStats, TextCandidate, Vector
from hindsight_graph.stores.sqlite.mirror import Mirror
from hindsight_graph.stores.sqlite.postings import Run
from hindsight_graph.stores.sqlite.terms import term_ids

_SATURATION = 1.2
"""k1 of BM25's usual range (1.2 to 2.0, as above); it orders candidates only."""
_GATHER_SHARE = 8
"""Rows are gathered when fewer than size / 8 are admitted: copying a row costs about four times its product."""
_COMMON_SHARE = 16
"""A term that stands in more than size / 16 rows is tried to be left out of the search for the best rows."""
_MARGIN = np.float32(0.999)
"""Covers what rounding may do to a sum."""
_STRIP = 64
"""Scores whose best one is taken together."""


class OneThread:
    """Runs a matrix-vector product on one BLAS thread: two threads on a busy machine wait for each other."""

    def __init__(self) -> None:
        self._controller: Any = ThreadpoolController().select(user_api="blas")  # pyright: ignore[reportUnknownMemberType]

    def products(self, matrices: Sequence[NDArray[np.float32]], vector: Vector) -> NDArray[np.float32]:
        """Return the products of each row of each matrix with the vector, one after the other."""
        out = np.empty(sum(len(matrix) for matrix in matrices), np.float32)
        start = 0
        with self._controller.limit(limits=1):
            for matrix in matrices:
                np.matmul(matrix, vector, out=out[start : start + len(matrix)])
                start += len(matrix)
        return out


def check_query(vector: Vector, dimension: int | None) -> Vector:
    """Return the query vector with length 1.

    Raises:
        EmbeddingError: It is zero or not finite.
        ModelMismatchError: Its dimension is not that of the store.
    """
    if vector.ndim != 1 or (dimension is not None and vector.shape[0] != dimension):
        raise ModelMismatchError(
            f"the query vector has shape {vector.shape}; this store's vectors have dimension {dimension}",
            hint="use the embedding model of this store",
        )
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise EmbeddingError("the query vector is zero or not finite", hint="check the embedder")
    return (vector / length).astype(np.float32) if abs(length - 1) > 1e-6 else vector.astype(np.float32, copy=False)


def vector_topk(mirror: Mirror, mask: NDArray[np.bool_], vector: Vector, k: int, blas: OneThread) -> tuple[ScoredId, ...]:
    """Return the k rows of the mask nearest by cosine; best first, ties by id."""
    rows = np.flatnonzero(mask & mirror.column("has_vector"))
    if not rows.size or k <= 0:
        return ()
    if rows.size * _GATHER_SHARE < mirror.size:
        scores = blas.products([mirror.gather(rows)], vector)
    else:
        scores = blas.products(mirror.blocks, vector)[: mirror.size]
        if rows.size < mirror.size:
            scores = scores[rows]
    chosen = _best(scores, rows, mirror.ids, k)
    return tuple([_scored(mirror.ids[row], min(1.0, max(-1.0, score))) for score, row in chosen])


def _best(scores: NDArray[np.float32], rows: NDArray[np.int64], ids: Sequence[str], k: int) -> list[tuple[float, int]]:
    """Return the k best (score, row), best first, ties by id."""
    if scores.size <= k:
        return _ordered(scores, rows, ids)
    least = kth_best(scores, k)
    above, even = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
    tied: list[int] = rows[even].tolist()
    last = [(ids[row], row) for row in tied]
    score = float(least)
    return _ordered(scores[above], rows[above], ids) + [(score, row) for _, row in heapq.nsmallest(k - above.size, last)]


def _ordered(scores: NDArray[np.float32], rows: NDArray[np.int64], ids: Sequence[str]) -> list[tuple[float, int]]:
    keyed = [(-score, ids[row], row) for score, row in zip(scores.tolist(), rows.tolist(), strict=True)]
    keyed.sort()
    return [(-score, row) for score, _, row in keyed]


def kth_best(scores: NDArray[np.float32], k: int) -> np.float32:
    """Return the k-th best of more than k scores.

    k strips of scores each have a best one, so nothing below the k-th of these is among the k best: that leaves few to order.
    """
    strips = scores.size // _STRIP
    if strips > k:
        tops = scores[: strips * _STRIP].reshape(strips, _STRIP).max(axis=1)
        scores = scores[scores >= np.partition(tops, strips - k)[strips - k]]
    return np.partition(scores, scores.size - k)[scores.size - k]


def _scored(memory_id: str, score: float) -> ScoredId:
    return trusted(ScoredId, {"id": memory_id, "score": score})


@dataclass(frozen=True, slots=True)
class Term:
    """Where a term stands among the admitted rows."""

    runs: list[Run]

    @property
    def size(self) -> int:
        """Rows that hold it."""
        return sum(run.rows.size for run in self.runs)

    def rarity(self, documents: int) -> np.float32:
        """Return its idf among that many rows (`ranking.bm25`)."""
        return np.float32(np.log1p((documents - self.size + 0.5) / (self.size + 0.5)))

    def counts_at(self, wanted: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return how often each wanted row holds it."""
        found = np.zeros(wanted.size, np.uint16)
        for run in self.runs:
            found += run.counts_at(wanted)
        return found


def admitted_terms(
    connection: sqlite3.Connection, mirror: Mirror, tenant: str, terms: Sequence[str], mask: NDArray[np.bool_]
) -> list[Term]:
    """Return for each term where it stands among the rows of the mask."""
    found = [[] if number is None else mirror.postings.find(number) for number in term_ids(connection, tenant, terms)]
    if mask.all():
        return [Term(runs) for runs in found]
    return [Term([run.among(mask) for run in runs]) for runs in found]


def _saturated(counts: NDArray[np.uint16]) -> NDArray[np.float32]:
    frequency = counts.astype(np.float32)
    return np.divide(frequency, frequency + np.float32(_SATURATION), out=frequency)


def text_topk(
    mirror: Mirror, mask: NDArray[np.bool_], terms: Sequence[str], found: Sequence[Term], k: int
) -> tuple[TextCandidate, ...]:
    """Return the k best rows of the mask that hold at least one term; ties by id. `found` says where the distinct terms stand."""
    distinct = list(dict.fromkeys(terms))
    hits, scores = keyword_scores(found, int(np.count_nonzero(mask)), mirror.size, k)
    if not hits.size or k <= 0:
        return ()
    chosen = [row for _, row in _best(scores, hits, mirror.ids, k)]
    wanted = np.array(chosen, np.int64)
    per_term: dict[str, list[int]] = {term: place.counts_at(wanted).tolist() for term, place in zip(distinct, found, strict=True)}
    counts = zip(*(per_term[term] for term in terms), strict=True)
    lengths: list[int] = mirror.lengths[wanted].tolist()
    return tuple([
        trusted(TextCandidate, {"id": mirror.ids[row], "counts": row_counts, "length": length})
        for row, row_counts, length in zip(chosen, counts, lengths, strict=True)
    ])  # fmt: skip


def keyword_scores(terms: Sequence[Term], documents: int, size: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return rows that hold a term, ascending, and their scores: all rows, or at least those that may be among the k best.

    The rarest terms come first. Where even all terms that remain could not lift a row that holds none of the others to the k-th
    best score, they count for the promising rows only (MaxScore: Turtle and Flood 1995): a word that stands in every second
    memory costs nothing then.
    """
    weighted = [(term.rarity(documents), term) for term in terms if term.size]
    weighted.sort(key=lambda pair: -pair[0])
    left = np.cumsum([rarity for rarity, _ in reversed(weighted)])[::-1]
    scores = np.zeros(size, np.float32)
    for at, (rarity, term) in enumerate(weighted):
        if term.size * _COMMON_SHARE > size:
            rows = np.flatnonzero(scores)
            if rows.size >= k > 0:
                reached = scores[rows]
                least = kth_best(reached, k) if rows.size > k else reached.min()
                if left[at] < least * _MARGIN:
                    rows = rows[reached + left[at] >= least * _MARGIN]
                    return rows, _with_terms(scores[rows], rows, weighted[at:])
        for run in term.runs:
            scores[run.rows] += rarity * _saturated(run.counts)
    rows = np.flatnonzero(scores)
    return rows, scores[rows]


def _with_terms(
    scores: NDArray[np.float32], rows: NDArray[np.int64], weighted: Sequence[tuple[np.float32, Term]]
) -> NDArray[np.float32]:
    for rarity, term in weighted:
        scores += rarity * _saturated(term.counts_at(rows))
    return scores


def term_stats(mirror: Mirror, mask: NDArray[np.bool_], terms: Sequence[str], found: Sequence[Term]) -> TermStats:
    """Return term statistics over the rows of the mask; `found` says where the distinct terms stand."""
    distinct = list(dict.fromkeys(terms))
    documents = int(np.count_nonzero(mask))
    lengths = mirror.lengths[: mirror.size]
    total = int((lengths if documents == mirror.size else lengths[mask]).sum(dtype=np.int64))
    return TermStats(
        documents=documents,
        average_length=total / documents if documents else 0.0,
        frequencies={term: place.size for term, place in zip(distinct, found, strict=True)},
    )
