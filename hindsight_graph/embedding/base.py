"""The embedding port: text in, unit vectors out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import EmbeddingError
from hindsight_graph.models.record import EmbeddingModel

Matrix = NDArray[np.float32]
"""Embeddings: float32, shape (texts, dimension), each row of length 1."""


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
