"""The embedder that is always there: signed feature hashing of terms and character n-grams; no weights, no download.

Each term (`hindsight_graph.text.tokens`: stems, technical tokens and their parts, CJK bigrams) adds itself and its character
n-grams of 3 to 5 with boundary marks (as fastText: Bojanowski et al. 2017) to a vector of fixed dimension; place and sign come
from a hash (Weinberger et al. 2009). It knows no meaning, but it forgives spelling, inflection and word order, and it gives
the same vector in every process and on every platform.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log, sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Matrix
from hindsight_graph.errors import EmbeddingError
from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.text.tokens import index_terms, is_cjk, query_terms

__all__ = ["DIMENSION", "HashingEmbedder"]

DIMENSION = 384
"""Default dimension: that of e5-small, so that a store's memory budget does not depend on the model."""
_CACHE_SIZE = 16_384
_GRAM_SIZES = (3, 4, 5)
_TERM_WEIGHT = 1.0
_GRAM_WEIGHT = 0.8
"""Length of a term's own part against that of its n-grams together (docs/ranking.md has the sweep)."""
_GRAM_LIMIT = 32
"""Characters of a term whose n-grams count; longer ones are encoded data."""

_Contribution = NDArray[np.float64]
"""Shape (2, features): places above, values below; one array, because joining many small ones is what costs."""


def _grams(term: str) -> list[str]:
    if is_cjk(term[0]):
        return list(term)
    marked = f"<{term[:_GRAM_LIMIT]}>"
    return [marked[at : at + size] for size in _GRAM_SIZES for at in range(len(marked) - size + 1) if size < len(marked)]


def _place(feature: str, dimension: int) -> tuple[int, float]:
    mixed = crc32(feature.encode()) * 0x9E3779B1 & 0xFFFFFFFF
    return (mixed & 0x7FFFFFFF) * dimension >> 31, 1.0 if mixed >> 31 else -1.0


class HashingEmbedder:
    """Feature hashing into `dimension` places; thread-safe, no state but a bounded cache of term contributions.

    Args:
        dimension: Places, at least 16. Fewer places, more collisions: see docs/ranking.md for the loss.
        term_cache: Terms whose contribution is kept; about 600 bytes each.
    """

    def __init__(self, dimension: int = DIMENSION, *, term_cache: int = _CACHE_SIZE) -> None:
        if dimension < 16:
            raise EmbeddingError(f"dimension {dimension} is below 16", hint=f"use {DIMENSION}")
        self._model = EmbeddingModel(name=f"hashing-{dimension}", dimension=dimension)
        self._dimension = dimension
        self._contribution = lru_cache(maxsize=term_cache)(self._make_contribution)

    @property
    def model(self) -> EmbeddingModel:
        """Name `hashing-DIMENSION`, dimension, preparation 1."""
        return self._model

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, shape (texts, dimension), each of length 1; raises EmbeddingError for an empty text."""
        matrix = np.empty((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            matrix[row] = self._embed(text, index_terms(text))
        return matrix

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,), length 1; its question words do not count."""
        return self._embed(text, query_terms(text)).astype(np.float32)

    def _make_contribution(self, term: str) -> _Contribution:
        grams = _grams(term)
        share = _GRAM_WEIGHT / sqrt(len(grams)) if grams else 0.0
        places: list[int] = []
        values: list[float] = []
        for feature, value in ((f"={term}", _TERM_WEIGHT), *((gram, share) for gram in grams)):
            place, sign = _place(feature, self._dimension)
            places.append(place)
            values.append(sign * value)
        return np.array([places, values], dtype=np.float64)

    def _embed(self, text: str, terms: tuple[str, ...]) -> NDArray[np.float64]:
        if not terms:
            terms = tuple(text.split())
            if not terms:
                raise EmbeddingError("an empty text has no vector", hint="give it at least one character that is not white space")
        if len(set(terms)) == len(terms):
            parts = [self._contribution(term) for term in terms]
        else:
            parts = [
                self._contribution(term) if count == 1 else self._contribution(term) * np.array([[1.0], [1 + log(count)]])
                for term, count in Counter(terms).items()
            ]
        joined = np.concatenate(parts, axis=1)
        vector = np.bincount(joined[0].astype(np.intp), weights=joined[1], minlength=self._dimension)
        length = sqrt(float(vector @ vector))
        if length < 1e-6:  # features that cancel out exactly: the first one stays alone
            vector = np.zeros(self._dimension)
            vector[int(joined[0, 0])] = length = float(joined[1, 0])
        return vector / length
