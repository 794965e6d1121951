"""An embedder that is decided when the store is open: by the model that filled it, or in a new store by what is installed."""

from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder, Matrix, load
from hindsight_graph.errors import EmbeddingError
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["Decide", "LateEmbedder"]

Decide = Callable[[EmbeddingModel | None], Awaitable[Embedder]]
"""The store's model record, if it has one, to an embedder."""


Questions = Callable[[Sequence[str]], Awaitable[Matrix]]


class LateEmbedder:
    """Stands in for an embedder until `settle` decides which; nothing is read or asked before that."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._inner: Embedder | None = None

    @property
    def inner(self) -> Embedder:
        """The embedder decided on; raises EmbeddingError before that."""
        if self._inner is None:
            raise EmbeddingError("the embedder is decided when the store is open", hint="open the engine first")
        return self._inner

    @property
    def model(self) -> EmbeddingModel:
        """The model decided on; raises EmbeddingError before that."""
        return self.inner.model

    async def settle(self, recorded: EmbeddingModel | None) -> None:
        """Decide, by the store's model record; again when it changed."""
        if self._inner is None or (recorded is not None and recorded != self._inner.model):
            self._inner = await self._decide(recorded)

    async def load(self) -> None:
        """Let it load."""
        await load(self.inner)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text."""
        return await self.inner.embed_passages(texts)

    @property
    def embed_queries(self) -> Questions | None:
        """What makes one row per question, of an embedder that can make many at once; None for others."""
        return getattr(self.inner, "embed_queries", None)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return await self.inner.embed_query(text)
