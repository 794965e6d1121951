"""What the embedders of local weights share: a prefix before each text, weights read once, batches in threads."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Matrix, check_texts
from hindsight_graph.embedding.batches import in_batches
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["PrefixedEmbedder"]

Weights = TypeVar("Weights")


class PrefixedEmbedder(ABC, Generic[Weights]):
    """An embedder whose weights are read at the first call, or at `load`; thread-safe. A kind says how they are read and run.

    Args:
        model: What the store records. query_prefix, passage_prefix: what the model was trained to see before a text.
    """

    def __init__(self, model: EmbeddingModel, query_prefix: str, passage_prefix: str) -> None:
        self._model = model
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._lock = Lock()
        self._loaded: Weights | None = None

    @property
    def model(self) -> EmbeddingModel:
        """Its name and dimension; preparation 1 is the prefixes."""
        return self._model

    async def load(self) -> None:
        """Read the weights, making or fetching them first if need be and allowed."""
        if self._loaded is None:
            await asyncio.to_thread(self._ready)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, shape (texts, dimension). Raises EmbeddingError, MissingExtraError."""
        return await self._embed_all(self._passage_prefix, texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,). Raises EmbeddingError, MissingExtraError."""
        check_texts((text,))
        return (await asyncio.to_thread(self._embed, [self._query_prefix + text]))[0]

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Return one row per question. Raises EmbeddingError, MissingExtraError."""
        return await self._embed_all(self._query_prefix, texts)

    async def _embed_all(self, prefix: str, texts: Sequence[str]) -> Matrix:
        check_texts(texts)
        await self.load()
        return await in_batches([prefix + text for text in texts], self._model.dimension, self._embed)

    def _ready(self) -> Weights:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    @abstractmethod
    def _load(self) -> Weights:
        """Read the weights; called once, in a thread."""

    @abstractmethod
    def _embed(self, texts: Sequence[str]) -> Matrix:
        """Return one row of length 1 per text, prefix included; called in threads."""
