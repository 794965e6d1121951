"""What the vectors are made by, and the index over them; and the checks that vectors have to pass."""

from collections.abc import Sequence

import numpy as np

from hindsight_graph.errors import EmbeddingError, ModelMismatchError
from hindsight_graph.models.record import EmbeddingModel, NewMemory, Vector
from hindsight_graph.stores.neo4j.connection import Connection, Row, Transaction

EMBEDDING = "embedding_a"
"""The property that holds the vectors in use. Its twin, embedding_b, is for another model to fill while this one answers."""
INDEX = "memory_embedding_a"


def model_of(row: Row | None) -> EmbeddingModel | None:
    """Return the model of a record, if it names one."""
    if row is None or row.get("name") is None:
        return None
    return EmbeddingModel(name=row["name"], dimension=row["dimension"], preparation=row["preparation"])


async def read_record(connection: Connection) -> Row | None:
    """Return the record of the vectors, if there is one."""
    found = await connection.rows("maintain/read_meta", key="vectors")
    return found[0]["value"] if found else None


async def record_model(transaction: Transaction, model: EmbeddingModel) -> None:
    """Set the model of a store that has none; a no-op for the same model; see `Store.record_model`."""
    row = (await transaction.run("maintain/lock_vectors"))[0]
    known = model_of(row)
    if known is not None and known != model:
        raise ModelMismatchError(
            f"the store's vectors are by {known.name} ({known.dimension} dimensions, preparation {known.preparation}),"
            f" not by {model.name} ({model.dimension}, {model.preparation})",
            hint=f"use the embedder {known.name}, or another store",
        )
    dimension = row["dimension"]
    if dimension is not None and dimension != model.dimension:
        raise ModelMismatchError(
            f"the store holds vectors of dimension {dimension}; {model.name} makes {model.dimension}",
            hint="use the model that made them",
        )
    if known is None:
        await transaction.run(
            "maintain/record_vectors", name=model.name, dimension=model.dimension, preparation=model.preparation
        )


def check_model(row: Row | None, expected: EmbeddingModel | None) -> None:
    """Raise ModelMismatchError when the store has changed to another model since it was opened with the expected one."""
    known = model_of(row)
    if expected is not None and known != expected:
        raise ModelMismatchError(
            f"the store's vectors are by {known.name if known else 'no model'} now, not by {expected.name} as when it was opened",
            hint="open it again, with that embedder or with `auto`",
        )


async def check_vectors(transaction: Transaction, items: Sequence[NewMemory], known: int | None) -> int | None:
    """Check the vectors of new memories, and record the dimension of a store's first; returns the dimension.

    Args:
        transaction: The write's own.
        items: The new memories.
        known: The dimension, when it was read before; it never changes.
    """
    if all(item.vector is None for item in items):
        return known
    dimension = known
    if dimension is None:
        dimension = (await transaction.run("maintain/lock_vectors"))[0]["dimension"]
    is_first = dimension is None
    dimension = check_shapes(items, dimension)
    if is_first:
        await transaction.run("maintain/record_vectors", name=None, dimension=dimension, preparation=None)
    return dimension


def check_shapes(items: Sequence[NewMemory], dimension: int | None) -> int | None:
    """Check the vectors of new memories against the dimension, or against the first of them; returns the dimension.

    Raises:
        ModelMismatchError: One has another dimension. EmbeddingError: One is not normalised.
    """
    for item in items:
        if item.vector is not None:
            if dimension is None and item.vector.ndim == 1:
                dimension = int(item.vector.shape[0])
            _check_vector(item.memory.id, item.vector, dimension or 0)
    return dimension


def _check_vector(memory_id: str, vector: Vector, dimension: int) -> None:
    if vector.ndim != 1 or vector.shape[0] != dimension:
        raise ModelMismatchError(
            f"the vector of memory {memory_id} has shape {vector.shape}; this store's vectors have dimension {dimension}",
            hint="use the embedding model of this store (`hindsight-graph doctor` names it)",
        )
    length = float(np.dot(vector, vector))
    if vector.dtype != np.float32 or not 0.98 < length < 1.02:
        raise EmbeddingError(
            f"the vector of memory {memory_id} is {vector.dtype} with squared length {length:.4g}, not float32 with 1",
            hint="normalise it before it is written",
        )


def check_query(vector: Vector, dimension: int | None) -> list[float]:
    """Return the query vector as numbers.

    Raises:
        EmbeddingError: It is zero or not finite. ModelMismatchError: Its dimension is not that of the store.
    """
    if vector.ndim != 1 or (dimension is not None and vector.shape[0] != dimension):
        raise ModelMismatchError(
            f"the query vector has shape {vector.shape}; this store's vectors have dimension {dimension}",
            hint="use the embedding model of this store",
        )
    length = float(np.linalg.norm(vector.astype(np.float64)))
    if not np.isfinite(length) or length == 0.0:
        raise EmbeddingError("the query vector is zero or not finite", hint="check the embedder")
    return (vector / length).astype(np.float32).tolist()


async def ensure_index(connection: Connection, dimension: int, *, filtered: bool) -> None:
    """Make the vector index, if it is not there, and wait until it answers.

    One of another dimension is made anew, and so is one without the properties to filter by, left by a server before its upgrade.

    Args:
        connection: An open one.
        dimension: Of the vectors.
        filtered: The server's indexes can filter (from 2026.01).
    """
    found = [row for row in await connection.rows("maintain/show_indexes") if row["name"] == INDEX]
    if found and not _is_right(found[0], dimension, filtered=filtered):
        await connection.run_alone("maintain/drop_vectors_a")
        found = []
    if not found:
        statement = "maintain/create_filtered_vectors_a" if filtered else "maintain/create_vectors_a"
        options = {"indexConfig": {"vector.dimensions": dimension, "vector.similarity_function": "cosine"}}
        await connection.run_alone(statement, options=options)
    if not found or found[0]["state"] != "ONLINE":
        await connection.await_indexes()


def _is_right(row: Row, dimension: int, *, filtered: bool) -> bool:
    """Whether an index is one that the searches can use, now or once it is filled."""
    is_of_dimension = row["options"]["indexConfig"]["vector.dimensions"] == dimension
    return is_of_dimension and row["state"] != "FAILED" and (len(row["properties"]) > 1) == filtered
