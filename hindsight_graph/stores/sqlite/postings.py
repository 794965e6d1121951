"""Text postings in memory: which rows hold a term, and how often.

Sorted segments in the manner of a log-structured merge: each refresh adds one small segment, and neighbours of like size are
merged, so there are at most about log2(rows) of them and each posting is copied that often at most.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_ROW_BITS = 32
_SPREAD_SHARE = 16
"""Looking one row up costs about as much as spreading 16 postings over an array by row."""


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that hold a term, ascending, and how often each does."""

    rows: NDArray[np.int64]
    counts: NDArray[np.uint16]

    def among(self, admitted: NDArray[np.bool_]) -> "Run":
        """Return the run without the rows that are not admitted."""
        inside = admitted[self.rows]
        return Run(self.rows[inside], self.counts[inside])

    def counts_at(self, wanted: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return how often each wanted row holds the term, 0 where it does not."""
        if not self.rows.size or not wanted.size:
            return np.zeros(wanted.size, np.uint16)
        if wanted.size * _SPREAD_SHARE > self.rows.size:
            spread = np.zeros(max(self.rows[-1], wanted.max()) + 1, np.uint16)
            spread[self.rows] = self.counts
            return spread[wanted]
        at = np.minimum(np.searchsorted(self.rows, wanted), self.rows.size - 1)
        return np.where(self.rows[at] == wanted, self.counts[at], np.uint16(0))


@dataclass(frozen=True)
class Segment:
    """Postings sorted by term, then row.

    Attributes:
        keys: int64, term id << 32 | row, strictly increasing.
        counts: uint16, occurrences of the term in the row (65,535 at most).
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.uint16]

    @classmethod
    def of_tokens(cls, terms: NDArray[np.int32], rows: NDArray[np.int64]) -> "Segment":
        """Count the tokens of some rows; `terms` and `rows` run in parallel."""
        keys = (terms.astype(np.int64) << _ROW_BITS) | rows
        keys.sort()
        first = np.empty(keys.size, np.bool_)
        first[:1] = True
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        counts = np.diff(starts, append=keys.size)
        return cls(keys[starts], np.minimum(counts, 65_535).astype(np.uint16))

    def merge(self, newer: "Segment") -> "Segment":
        """Return both as one; they share no row."""
        keys = np.concatenate((self.keys, newer.keys))
        order = np.argsort(keys, kind="stable")
        return Segment(keys[order], np.concatenate((self.counts, newer.counts))[order])

    def find(self, term: int) -> Run:
        """Return the rows that hold a term."""
        start, end = np.searchsorted(self.keys, (term << _ROW_BITS, (term + 1) << _ROW_BITS))
        return Run(self.keys[start:end] & ((1 << _ROW_BITS) - 1), self.counts[start:end])


class Postings:
    """All segments of one tenant."""

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def add(self, terms: NDArray[np.int32], rows: NDArray[np.int64]) -> None:
        """Add the tokens of rows that were not added before."""
        if not terms.size:
            return
        self._segments.append(Segment.of_tokens(terms, rows))
        while len(self._segments) > 1 and self._segments[-1].keys.size * 2 > self._segments[-2].keys.size:
            newer = self._segments.pop()
            self._segments[-1] = self._segments[-1].merge(newer)

    def find(self, term: int) -> list[Run]:
        """Return the rows that hold a term, each once, in runs."""
        return [run for segment in self._segments if (run := segment.find(term)).rows.size]

    def equals(self, other: "Postings") -> bool:
        """Whether both hold the same postings, however they are cut into segments."""
        mine, theirs = self._merged(), other._merged()  # noqa: SLF001 - of the same class
        return np.array_equal(mine.keys, theirs.keys) and np.array_equal(mine.counts, theirs.counts)

    def _merged(self) -> Segment:
        merged = Segment(np.empty(0, np.int64), np.empty(0, np.uint16))
        for segment in self._segments:
            merged = merged.merge(segment)
        return merged
