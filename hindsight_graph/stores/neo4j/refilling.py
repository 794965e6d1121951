"""A second set of vectors, by another model, beside the one in use: filled page by page, then put in its place at once.

It lies in the property embedding_b, which no index covers. The switch is one transaction over all memories, so that it needs the
memory for it: about 4 kB a memory of 384 dimensions.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from hindsight_graph.errors import ConflictError, InputError, ModelMismatchError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EmbeddingModel, UnfilledMemory, Vector
from hindsight_graph.stores.neo4j import vectors
from hindsight_graph.stores.neo4j.connection import Connection, Transaction
from hindsight_graph.stores.neo4j.parameters import scope_parameters

NEXT = "embedding_b"


async def read_next(connection: Connection) -> EmbeddingModel | None:
    """Return the model of the second set, if one is being filled."""
    found = await connection.rows("maintain/read_meta", key="vectors_next")
    return vectors.model_of(found[0]["value"]) if found else None


async def begin(transaction: Transaction, model: EmbeddingModel) -> None:
    """Begin, or go on; see `Store.begin_vectors`."""
    if vectors.model_of((await transaction.run("maintain/lock_vectors"))[0]) == model:
        raise InputError(f"the store's vectors are by {model.name} already", hint="nothing is to be done")
    found = await transaction.run("maintain/lock_next_vectors")
    known = vectors.model_of(found[0]) if found else None
    if known is not None and known != model:
        raise ConflictError(
            f"vectors by {known.name} are being filled",
            hint=f"`hindsight-graph models switch {known.name}` goes on, `hindsight-graph models switch --drop` gives up",
        )
    await transaction.run(
        "maintain/record_next_vectors", name=model.name, dimension=model.dimension, preparation=model.preparation
    )


async def unfilled(connection: Connection, limit: int) -> tuple[UnfilledMemory, ...]:
    """Return memories without a vector in the second set; see `Store.unfilled_vectors`."""
    if await read_next(connection) is None:
        return ()
    found = await connection.rows("maintain/list_unfilled", limit=limit)
    return tuple(UnfilledMemory(**{name: row[name] for name in ("tenant", "id", "summary", "context")}) for row in found)


async def fill(transaction: Transaction, scope: Scope, given: Mapping[str, Vector]) -> None:
    """Put vectors into the second set; see `Store.fill_vectors`."""
    model = await _being_filled(transaction)
    for memory_id, vector in given.items():
        if vector.shape != (model.dimension,):
            raise ModelMismatchError(
                f"the vector of memory {memory_id} has shape {vector.shape}; {model.name} makes {model.dimension} dimensions"
            )
    rows = [{"id": memory_id, "vector": vector.astype(np.float32).tolist()} for memory_id, vector in sorted(given.items())]
    await transaction.run("write/fill_vectors", tenant=scope.tenant, rows=rows)


async def filled(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
    """Return vectors of the second set; see `Store.filled_vectors`."""
    found = await connection.rows("read/get_vectors", ids=list(ids), embedding=NEXT, **scope_parameters(scope))
    return {row["id"]: np.array(row["vector"], np.float32) for row in found}


async def switch(transaction: Transaction) -> tuple[int, EmbeddingModel]:
    """Put the second set in the place of the first, unless one is missing; returns how many are, and its model."""
    await transaction.run("maintain/lock_vectors")
    model = await _being_filled(transaction)
    missing: int = (await transaction.run("maintain/count_unfilled"))[0]["count"]
    if not missing:
        await transaction.run("maintain/switch_vectors")
        await transaction.run(
            "maintain/record_vectors", name=model.name, dimension=model.dimension, preparation=model.preparation
        )
        await transaction.run("maintain/drop_next_vectors")
    return missing, model


async def drop(transaction: Transaction) -> bool:
    """Remove the second set; see `Store.drop_vectors`."""
    if not await transaction.run("maintain/lock_next_vectors"):
        return False
    await transaction.run("maintain/drop_next_vectors")
    return True


async def _being_filled(transaction: Transaction) -> EmbeddingModel:
    found = await transaction.run("maintain/lock_next_vectors")
    model = vectors.model_of(found[0]) if found else None
    if model is None:
        raise ConflictError("no second set of vectors is being filled", hint="begin with `hindsight-graph models switch NAME`")
    return model
