"""Nearest vectors and best keyword candidates over a mirror. Exact: no row that belongs in the answer is left out.

Keyword candidates are ordered by sum(idf x tf / (tf + 1.2)) with the statistics of the admitted rows, BM25 without its length
part (Robertson and Zaragoza 2009, section 3); the caller scores them in full.
"""

import heapq
import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # pyright: ignore[reportMissingTypeStubs]

from hindsight_graph.errors import EmbeddingError, ModelMismatchError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import ScoredId, TermStats, TextCandidate, Vector
from hindsight_graph.stores.sqlite.mirror import Mirror
from hindsight_graph.stores.sqlite.terms import term_ids

_SATURATION = 1.2
"""k1 of BM25's usual range (1.2 to 2.0, as above); it orders candidates only."""
_GATHER_SHARE = 8
"""Rows are gathered when fewer than size / 8 are admitted: copying a row costs about four times its product."""


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
    mask &= mirror.column("has_vector")
    rows = np.flatnonzero(mask)
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


def _best(scores: NDArray[Any], rows: NDArray[np.int64], ids: Sequence[str], k: int) -> list[tuple[float, int]]:
    """Return the k best (score, row), best first, ties by id."""
    if scores.size > k:
        cut = np.partition(scores, scores.size - k)[scores.size - k]
        near = np.flatnonzero(scores >= cut)
        scores, rows = scores[near], rows[near]
    pairs: list[tuple[float, int]] = list(zip(scores.tolist(), rows.tolist(), strict=True))
    return heapq.nsmallest(k, pairs, key=lambda pair: (-pair[0], ids[pair[1]]))


def _scored(memory_id: str, score: float) -> ScoredId:
    return ScoredId.model_construct(id=memory_id, score=score)


def _admitted_postings(
    connection: sqlite3.Connection, mirror: Mirror, tenant: str, terms: Sequence[str], mask: NDArray[np.bool_]
) -> list[tuple[NDArray[np.int64], NDArray[np.uint16]]]:
    """Return for each term the admitted rows that hold it, and how often."""
    found: list[tuple[NDArray[np.int64], NDArray[np.uint16]]] = []
    for number in term_ids(connection, tenant, terms):
        if number is None:
            found.append((np.empty(0, np.int64), np.empty(0, np.uint16)))
            continue
        rows, counts = mirror.postings.find(number)
        inside = mask[rows]
        found.append((rows[inside], counts[inside]))
    return found


def text_topk(
    connection: sqlite3.Connection, mirror: Mirror, mask: NDArray[np.bool_], scope: Scope, terms: Sequence[str], k: int
) -> tuple[TextCandidate, ...]:
    """Return the k best rows of the mask that hold at least one term; ties by id."""
    distinct = list(dict.fromkeys(terms))
    postings = _admitted_postings(connection, mirror, scope.tenant, distinct, mask)
    documents = int(np.count_nonzero(mask))
    scores = np.zeros(mirror.size, np.float32)
    for rows, counts in postings:
        if rows.size:
            rarity = np.log1p((documents - rows.size + 0.5) / (rows.size + 0.5))
            frequency = counts.astype(np.float32)
            scores[rows] += np.float32(rarity) * (frequency / (frequency + np.float32(_SATURATION)))
    hits = np.flatnonzero(scores)
    if not hits.size or k <= 0:
        return ()
    chosen = [row for _, row in _best(scores[hits], hits, mirror.ids, k)]
    wanted = np.array(chosen, np.int64)
    per_term: dict[str, list[int]] = {}
    for term, (rows, counts) in zip(distinct, postings, strict=True):
        dense = np.zeros(mirror.size, np.uint16) if rows.size * 8 > mirror.size else None
        if dense is not None:
            dense[rows] = counts
            per_term[term] = dense[wanted].tolist()
        else:
            per_term[term] = _counts_at(rows, counts, wanted)
    lengths: list[int] = mirror.lengths[wanted].tolist()
    return tuple(
        [
            TextCandidate.model_construct(
                id=mirror.ids[row], counts=tuple([per_term[term][place] for term in terms]), length=lengths[place]
            )
            for place, row in enumerate(chosen)
        ]
    )


def _counts_at(rows: NDArray[np.int64], counts: NDArray[np.uint16], wanted: NDArray[np.int64]) -> list[int]:
    """Return the counts at some rows, 0 where the term does not stand; `rows` may be in runs, each ascending."""
    if not rows.size:
        return [0] * wanted.size
    order = np.argsort(rows, kind="stable")
    rows, counts = rows[order], counts[order]
    at = np.minimum(np.searchsorted(rows, wanted), rows.size - 1)
    return np.where(rows[at] == wanted, counts[at], 0).tolist()


def term_stats(
    connection: sqlite3.Connection, mirror: Mirror, mask: NDArray[np.bool_], scope: Scope, terms: Sequence[str]
) -> TermStats:
    """Return term statistics over the rows of the mask."""
    distinct = list(dict.fromkeys(terms))
    postings = _admitted_postings(connection, mirror, scope.tenant, distinct, mask)
    documents = int(np.count_nonzero(mask))
    total = int(mirror.lengths[: mirror.size][mask].sum(dtype=np.int64))
    return TermStats(
        documents=documents,
        average_length=total / documents if documents else 0.0,
        frequencies={term: int(rows.size) for term, (rows, _) in zip(distinct, postings, strict=True)},
    )
