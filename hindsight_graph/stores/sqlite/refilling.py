"""A second set of vectors, by another model, beside the one in use: filled page by page, then put in its place at once.

Its table is there only while it is being filled. What is filled stays when the process dies, and a memory that is written
meanwhile is one more to fill: the switch happens in a transaction in which none is missing.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np

from hindsight_graph.errors import ConflictError, InputError, ModelMismatchError
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import EmbeddingModel, UnfilledMemory, Vector
from hindsight_graph.stores.sqlite.meta import get_meta, read_model, set_meta
from hindsight_graph.stores.sqlite.packed import HAS_VECTOR_BYTE
from hindsight_graph.stores.sqlite.schema import VECTORS_PER_BLOCK

_NEXT = "model_next"
EPOCH = "vectors"
"""Key of the number of the set in use: a mirror of another number is made anew."""
_UNFILLED = "FROM memories m WHERE NOT EXISTS (SELECT 1 FROM vectors_next n WHERE n.tenant = m.tenant AND n.slot = m.slot)"


def read_next(connection: sqlite3.Connection) -> EmbeddingModel | None:
    """Return the model of the second set, if one is being filled."""
    text = get_meta(connection, _NEXT)
    return None if text is None else EmbeddingModel.model_validate(json.loads(text))


def begin(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    """Begin, or go on; see `Store.begin_vectors`."""
    if read_model(connection) == model:
        raise InputError(f"the store's vectors are by {model.name} already", hint="nothing is to be done")
    known = read_next(connection)
    if known is not None and known != model:
        raise ConflictError(
            f"vectors by {known.name} are being filled",
            hint=f"`hindsight-graph models switch {known.name}` goes on, `hindsight-graph models switch --drop` gives up",
        )
    connection.execute(
        "CREATE TABLE IF NOT EXISTS vectors_next (tenant TEXT NOT NULL, slot INTEGER NOT NULL, vector BLOB NOT NULL,"
        " PRIMARY KEY (tenant, slot)) STRICT, WITHOUT ROWID"
    )
    set_meta(connection, _NEXT, json.dumps(model.model_dump()))


def unfilled(connection: sqlite3.Connection, limit: int) -> tuple[UnfilledMemory, ...]:
    """Return memories without a vector in the second set; see `Store.unfilled_vectors`."""
    if read_next(connection) is None:
        return ()
    found = connection.execute(
        f"SELECT m.tenant, m.id, m.summary, m.context {_UNFILLED} ORDER BY m.tenant, m.slot LIMIT ?", (limit,)
    )
    return tuple(UnfilledMemory(tenant=row[0], id=row[1], summary=row[2], context=row[3]) for row in found)


def fill(connection: sqlite3.Connection, scope: Scope, vectors: Mapping[str, Vector]) -> None:
    """Put vectors into the second set; see `Store.fill_vectors`."""
    model = _being_filled(connection)
    for memory_id, vector in vectors.items():
        if vector.shape != (model.dimension,):
            raise ModelMismatchError(
                f"the vector of memory {memory_id} has shape {vector.shape}; {model.name} makes {model.dimension} dimensions"
            )
    connection.executemany(
        "INSERT INTO vectors_next (tenant, slot, vector) SELECT tenant, slot, ?3 FROM memories WHERE tenant = ?1 AND id = ?2"
        " ON CONFLICT (tenant, slot) DO UPDATE SET vector = excluded.vector",
        [(scope.tenant, memory_id, vector.astype(np.float32).tobytes()) for memory_id, vector in vectors.items()],
    )


def filled(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
    """Return vectors of the second set; see `Store.filled_vectors`."""
    if read_next(connection) is None:
        return {}
    rows = connection.execute(
        "SELECT m.id, n.vector FROM memories m JOIN vectors_next n ON n.tenant = m.tenant AND n.slot = m.slot"
        " WHERE m.tenant = ? AND m.id IN (SELECT value FROM json_each(?))",
        (scope.tenant, json.dumps(list(ids))),
    )
    return {memory_id: np.frombuffer(vector, np.float32) for memory_id, vector in rows}


def switch(connection: sqlite3.Connection) -> int:
    """Put the second set in the place of the first; see `Store.switch_vectors`."""
    model = _being_filled(connection)
    missing: int = connection.execute(f"SELECT count(*) {_UNFILLED}").fetchone()[0]
    if missing:
        return missing
    connection.execute("DELETE FROM memory_vectors")
    width = 4 * model.dimension
    rows = connection.execute("SELECT tenant, slot, vector FROM vectors_next ORDER BY tenant, slot")
    for (tenant, block), members in groupby(rows, key=lambda row: (row[0], row[1] // VECTORS_PER_BLOCK)):
        content = bytearray(width * VECTORS_PER_BLOCK)
        for _, slot, vector in members:
            place = slot % VECTORS_PER_BLOCK * width
            content[place : place + width] = vector
        connection.execute("INSERT INTO memory_vectors (tenant, block, vectors) VALUES (?, ?, ?)", (tenant, block, content))
    _mark_all(connection)
    set_meta(connection, "model", json.dumps(model.model_dump()))
    set_meta(connection, "dimension", model.dimension)
    set_meta(connection, EPOCH, int(get_meta(connection, EPOCH) or 0) + 1)
    _remove(connection)
    return 0


def drop(connection: sqlite3.Connection) -> bool:
    """Remove the second set; see `Store.drop_vectors`."""
    if read_next(connection) is None:
        return False
    _remove(connection)
    return True


def _mark_all(connection: sqlite3.Connection) -> None:
    """Say of the memories that had no vector before that they have one now."""
    at = HAS_VECTOR_BYTE - 1
    without = connection.execute(
        f"SELECT num, mirrored FROM memories WHERE substr(mirrored, {HAS_VECTOR_BYTE}, 1) = x'00'"
    ).fetchall()
    connection.executemany(
        "UPDATE memories SET mirrored = ? WHERE num = ?",
        [(packed[:at] + b"\x01" + packed[at + 1 :], number) for number, packed in without],
    )


def _remove(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE vectors_next")
    connection.execute("DELETE FROM meta WHERE key = ?", (_NEXT,))


def _being_filled(connection: sqlite3.Connection) -> EmbeddingModel:
    model = read_next(connection)
    if model is None:
        raise ConflictError("no second set of vectors is being filled", hint="begin with `hindsight-graph models switch NAME`")
    return model
