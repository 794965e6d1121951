"""Which two rows say the same, when a unique index refused one of them."""

import sqlite3
from collections.abc import Sequence
from typing import Protocol

from hindsight_graph.errors import ConflictError
from hindsight_graph.stores.sqlite.predicates import HASH, hash_keys


class Hashed(Protocol):
    """A row whose content an agent has once."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def agent_id(self) -> str | None:
        """Its agent."""
        ...

    @property
    def content_hash(self) -> str:
        """What is the same for the same content."""
        ...


def same_content(
    connection: sqlite3.Connection, tenant: str, what: str, table: str, items: Sequence[Hashed], condition: str
) -> ConflictError:
    """Return the error that names the refused row and the one that says the same; `condition` is that of the index."""
    seen: dict[tuple[str | None, str], str] = {}
    for item in items:
        other = connection.execute(
            f"SELECT id FROM {table} WHERE tenant = ? AND coalesce(agent_id, '') = ? AND {HASH} = ? AND id <> ? AND {condition}",
            (tenant, item.agent_id or "", *hash_keys([item.content_hash]), item.id),
        ).fetchone()
        twin = other[0] if other else seen.get((item.agent_id, item.content_hash))
        if twin is not None and twin != item.id:
            return ConflictError(
                f"{what} {item.id} says the same as {what} {twin} (content hash {item.content_hash[:12]})",
                hint="add evidence to that one instead",
            )
        seen[item.agent_id, item.content_hash] = item.id
    return ConflictError(f"one of {len(items)} {table} breaks a rule of the store")
