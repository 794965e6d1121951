"""The small facts about the whole store: counters and the embedding model record."""

import json
import sqlite3
from typing import Any

from hindsight_graph.errors import ModelMismatchError
from hindsight_graph.models.record import EmbeddingModel


def get_meta(connection: sqlite3.Connection, key: str) -> Any:
    """Return a value, or None."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def set_meta(connection: sqlite3.Connection, key: str, value: str | int) -> None:
    """Set a value."""
    connection.execute("INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value))


def read_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    """Return the embedding model record, if there is one."""
    text = get_meta(connection, "model")
    return None if text is None else EmbeddingModel.model_validate(json.loads(text))


def check_model(connection: sqlite3.Connection, expected: EmbeddingModel | None) -> None:
    """Raise ModelMismatchError when the store has changed to another model since it was opened with the expected one."""
    if expected is not None and get_meta(connection, "model") != json.dumps(expected.model_dump()):
        known = read_model(connection)
        raise ModelMismatchError(
            f"the store's vectors are by {known.name if known else 'no model'} now, not by {expected.name} as when it was opened",
            hint="open it again, with that embedder or with `auto`",
        )


def record_model(connection: sqlite3.Connection, model: EmbeddingModel) -> None:
    """Set the embedding model record; a no-op for the same model.

    Raises:
        ModelMismatchError: Another model is recorded, or there are vectors of another dimension.
    """
    known = read_model(connection)
    if known is not None and known != model:
        raise ModelMismatchError(
            f"the store's vectors are by {known.name} ({known.dimension} dimensions, preparation {known.preparation}),"
            f" not by {model.name} ({model.dimension}, {model.preparation})",
            hint=f"use the embedder {known.name}, or another store",
        )
    dimension = get_meta(connection, "dimension")
    if dimension is not None and dimension != model.dimension:
        raise ModelMismatchError(
            f"the store holds vectors of dimension {dimension}; {model.name} makes {model.dimension}",
            hint="use the model that made them",
        )
    if known is None:
        set_meta(connection, "model", json.dumps(model.model_dump()))
        set_meta(connection, "dimension", model.dimension)
