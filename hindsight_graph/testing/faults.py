"""Faults to try an engine with: dependencies that stall for real, in threads that nothing can end."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder, Matrix
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["Stall", "StallingEmbedder", "stall_reads"]

Result = TypeVar("Result")


class Stall:
    """A gate that threads pass by; closed, it holds them."""

    def __init__(self) -> None:
        self._gate = threading.Event()
        self._gate.set()

    def close(self) -> None:
        """Hold whoever comes by."""
        self._gate.clear()

    def open(self) -> None:
        """Let everybody go on."""
        self._gate.set()

    def pass_by(self) -> None:
        """Return at once while the gate is open, else when it opens."""
        self._gate.wait()


class StallingEmbedder:
    """Another embedder behind a gate: questions pass by it in a thread, as a local model's do; passages do not."""

    def __init__(self, inner: Embedder, stall: Stall) -> None:
        self._inner = inner
        self._stall = stall

    @property
    def model(self) -> EmbeddingModel:
        """The inner embedder's model."""
        return self._inner.model

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return the inner embedder's rows."""
        return await self._inner.embed_passages(texts)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the inner embedder's vector, once the gate is open."""
        await asyncio.to_thread(self._stall.pass_by)
        return await self._inner.embed_query(text)


def stall_reads(memory: AsyncHindsightGraph, stall: Stall) -> None:
    """Put a gate before every read of an open memory's SQLite store: its own reading thread is held, and what queues behind it.

    Raises:
        TypeError: The store does not read through a thread of its own.
    """
    store: Any = getattr(memory, "_store")  # noqa: B009 - a fault is put in from outside
    inner = getattr(store, "_read", None)
    if inner is None:
        raise TypeError(f"{type(store).__name__} has no reading thread to stall")

    async def read(work: Callable[[Any], Result]) -> Result:
        def held(connection: Any) -> Result:
            stall.pass_by()
            return work(connection)

        return await inner(held)

    setattr(store, "_read", read)  # noqa: B010
