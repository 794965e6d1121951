"""The embedder that is always there: signed feature hashing of terms and character n-grams; no weights, no download.

Each term (`hindsight_graph.text.tokens`: stems, technical tokens and their parts, CJK bigrams) adds itself and its character
n-grams of 3 to 5 with boundary marks (as fastText: Bojanowski et al. 2017) to a vector of fixed dimension; place and sign come
from a hash (Weinberger et al. 2009). It knows no meaning, but it forgives spelling, inflection and word order, and it gives
the same vector in every process and on every platform.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from math import sqrt
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

_BATCH = 512
"""Texts whose features are summed at once: one pass of numpy over all of them costs a fifth of a pass for each."""

_Contribution = NDArray[np.float64]
"""Shape (features, 2): place and signed value."""


def _features(term: str) -> tuple[list[int], list[float]]:
    """Return hashes and weights of a term's features: the term as a whole, then its n-grams."""
    if is_cjk(term[0]):
        grams = [character.encode() for character in term]
    elif term.isascii():
        marked = f"<{term[:_GRAM_LIMIT]}>".encode()
        grams = [marked[at : at + size] for size in _GRAM_SIZES for at in range(len(marked) - size + 1) if size < len(marked)]
    else:
        text = f"<{term[:_GRAM_LIMIT]}>"
        grams = [text[at : at + size].encode() for size in _GRAM_SIZES for at in range(len(text) - size + 1) if size < len(text)]
    share = _GRAM_WEIGHT / sqrt(len(grams)) if grams else 0.0
    return [crc32(f"={term}".encode()), *map(crc32, grams)], [_TERM_WEIGHT, *[share] * len(grams)]


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
        self._term_cache = term_cache
        self._known: dict[str, _Contribution] = {}

    @property
    def model(self) -> EmbeddingModel:
        """Name `hashing-DIMENSION`, dimension, preparation 1."""
        return self._model

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, shape (texts, dimension), each of length 1; raises EmbeddingError for an empty text."""
        matrix = np.empty((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            matrix[start : start + _BATCH] = self._embed(batch, [index_terms(text) for text in batch])
        return matrix

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,), length 1; its question words do not count."""
        return self._embed([text], [query_terms(text)])[0].astype(np.float32)

    def _contributions(self, terms: Iterable[str]) -> dict[str, _Contribution]:
        """Return each term's contribution; those that are not cached are made together."""
        wanted = set(terms)
        found = {term: known for term in wanted if (known := self._known.get(term)) is not None}
        missing = sorted(wanted - found.keys())
        if not missing:
            return found
        hashes: list[int] = []
        values: list[float] = []
        ends: list[int] = []
        for term in missing:
            more, weights = _features(term)
            hashes += more
            values += weights
            ends.append(len(hashes))
        mixed = np.array(hashes, np.uint64) * np.uint64(0x9E3779B1) & np.uint64(0xFFFFFFFF)
        made = np.empty((len(hashes), 2))
        made[:, 0] = (mixed & np.uint64(0x7FFFFFFF)) * np.uint64(self._dimension) >> np.uint64(31)
        made[:, 1] = np.where(mixed >> np.uint64(31), values, np.negative(values))
        fresh = {term: part.copy() for term, part in zip(missing, np.split(made, ends[:-1]), strict=True)}
        if len(self._known) + len(fresh) > self._term_cache:
            self._known.clear()
        self._known.update(islice(fresh.items(), self._term_cache))
        return found | fresh

    def _embed(self, texts: Sequence[str], terms: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        """Return the vectors of texts by their terms, shape (texts, dimension); every text's features are summed in order."""
        counts = [Counter(of_text or _plain_words(text)) for text, of_text in zip(texts, terms, strict=True)]
        known = self._contributions(chain.from_iterable(counts))
        parts = [known[term] for count in counts for term in count]
        sizes = np.fromiter(map(len, parts), np.intp, len(parts))
        features = np.concatenate(parts)
        row_of_part = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
        places = np.repeat(row_of_part * self._dimension, sizes) + features[:, 0].astype(np.intp)
        often = np.fromiter(chain.from_iterable(count.values() for count in counts), np.float64, len(parts))
        weights = features[:, 1] * np.repeat(1 + np.log(often), sizes)
        vectors = np.bincount(places, weights=weights, minlength=len(counts) * self._dimension).reshape(len(counts), -1)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        for row in np.flatnonzero(lengths < 1e-6):  # features that cancel out exactly: the first one stays alone
            place, value = known[next(iter(counts[row]))][0]
            vectors[row] = 0.0
            vectors[row, int(place)] = lengths[row] = value
        return vectors / lengths[:, None]


def _plain_words(text: str) -> list[str]:
    words = text.split()
    if not words:
        raise EmbeddingError("an empty text has no vector", hint="give it at least one character that is not white space")
    return words
