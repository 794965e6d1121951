"""Okapi BM25 from term counts: scored here, so that every store ranks alike.

Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", with the non-negative idf of Lucene.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.models.record import TermStats

__all__ = ["K1", "B", "bm25", "inverse_frequencies"]

Floats = NDArray[np.float64]

K1 = 0.9
"""How soon repeats stop counting; 0.9 suits single statements (sweep in docs/ranking.md)."""
B = 0.4
"""How much length counts against a text, 0..1."""


def inverse_frequencies(terms: Sequence[str], stats: TermStats) -> Floats:
    """Return idf = ln(1 + (N - n + 0.5) / (n + 0.5)) per term, shape (terms,); never negative."""
    seen = np.array([stats.frequencies.get(term, 0) for term in terms], dtype=np.float64)
    return np.log1p((max(stats.documents, int(seen.max(initial=0))) - seen + 0.5) / (seen + 0.5))


def bm25(counts: Floats, lengths: Floats, idf: Floats, average_length: float, *, k1: float = K1, b: float = B) -> Floats:
    """Return BM25 scores, shape (texts,).

    Args:
        counts: Occurrences, shape (texts, terms).
        lengths: All terms of each text, shape (texts,).
        idf: Weight per term, shape (terms,).
        average_length: In terms, of the collection; at least 1 is used.
        k1: Above 0.
        b: 0..1.
    """
    norm = k1 * (1 - b + b * lengths / max(average_length, 1.0))
    return (counts * (k1 + 1) / (counts + norm[:, np.newaxis])) @ idf
