"""The cache in front of an embedder."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from hindsight_graph.embedding.cache import CachedEmbedder
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import EmbeddingError
from hindsight_graph.models.record import EmbeddingModel


class _Counting(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__(64)
        self.passages: list[str] = []
        self.queries: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.passages += texts
        return await super().embed_passages(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries.append(text)
        return await super().embed_query(text)


@pytest.mark.requirement("R-10")
async def test_a_question_asked_again_is_not_embedded_again():
    inner = _Counting()
    cache = CachedEmbedder(inner, 8)
    first = await cache.embed_query("why?")
    assert await cache.embed_query("why?") is first
    assert inner.queries == ["why?"]
    assert (cache.hits, cache.misses) == (1, 1)


@pytest.mark.requirement("R-10")
async def test_the_least_recently_used_question_goes_first():
    inner = _Counting()
    cache = CachedEmbedder(inner, 2)
    for question in ("a1", "b2", "a1", "c3", "a1", "b2"):
        await cache.embed_query(question)
    assert inner.queries == ["a1", "b2", "c3", "b2"]


async def test_a_cache_of_size_zero_keeps_nothing():
    inner = _Counting()
    cache = CachedEmbedder(inner, 0)
    await cache.embed_query("a")
    await cache.embed_query("a")
    assert inner.queries == ["a", "a"]


async def test_repeated_passages_are_embedded_once_and_come_back_in_order():
    inner = _Counting()
    matrix = await CachedEmbedder(inner, 2).embed_passages(["one", "two", "one"])
    assert inner.passages == ["one", "two"]
    assert np.array_equal(matrix[0], matrix[2])
    assert not np.array_equal(matrix[0], matrix[1])


async def test_no_passages_give_no_rows():
    assert (await CachedEmbedder(_Counting()).embed_passages([])).shape == (0, 64)


async def test_a_cached_vector_cannot_be_changed():
    vector = await CachedEmbedder(_Counting()).embed_query("a")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0


class _Zero(HashingEmbedder):
    async def embed_query(self, text: str) -> NDArray[np.float32]:
        del text
        return np.zeros(self.model.dimension, dtype=np.float32)

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(name="zero", dimension=16)


async def test_a_zero_vector_is_refused():
    with pytest.raises(EmbeddingError, match="zero or non-finite"):
        await CachedEmbedder(_Zero(16)).embed_query("a")
