"""The embedding port: text in, unit vectors out."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import EmbeddingError
from hindsight_graph.models.record import EmbeddingModel

Matrix = NDArray[np.float32]
"""Embeddings: float32, shape (texts, dimension), each row of length 1."""
Tell = Callable[[str], None]
"""Told, in one line, what takes long."""


class Embedder(Protocol):
    """Makes embeddings. Questions and passages may be prepared differently (prefixes)."""

    @property
    def model(self) -> EmbeddingModel:
        """Name, dimension and preparation; what the store records."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text that is stored."""
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, shape (dimension,)."""
        ...


async def load(embedder: Embedder) -> None:
    """Let an embedder read now what its first call would wait for: one with weights has a method `load`, which others lack.

    Raises:
        EmbeddingError, MissingExtraError: It cannot.
    """
    method = getattr(embedder, "load", None)
    if method is not None:
        await method()


async def settle(embedder: Embedder, recorded: EmbeddingModel | None) -> None:
    """Let an embedder that is decided late be decided, by the store's model record; others are what they are."""
    method = getattr(embedder, "settle", None)
    if method is not None:
        await method(recorded)


def check_matrix(matrix: Matrix, count: int, model: EmbeddingModel) -> Matrix:
    """Return `matrix`; raises EmbeddingError when its shape is wrong or a row is zero or not finite."""
    if matrix.shape != (count, model.dimension):
        raise EmbeddingError(f"{model.name} gave shape {matrix.shape} for {count} texts of dimension {model.dimension}")
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths < 1e-6))
    if bad.size:
        raise EmbeddingError(
            f"{model.name} gave a zero or non-finite vector for text {int(bad[0])}", hint="choose another embedder or text"
        )
    return matrix


def passage_of(summary: str, context: str) -> str:
    """Return what is embedded of a memory."""
    return f"{summary} {context}".strip()


def check_texts(texts: Sequence[str]) -> None:
    """Raise EmbeddingError for a text without a character that is not white space: it has no vector."""
    for text in texts:
        if not text.strip():
            raise EmbeddingError("an empty text has no vector", hint="give it at least one character that is not white space")


def unit_rows(matrix: NDArray[np.floating]) -> Matrix:
    """Return `matrix` with rows of length 1, as float32; a zero row stays zero, which `check_matrix` refuses."""
    rows: Matrix = np.asarray(matrix, dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return rows / lengths[:, None]
