"""Which two rows say the same, when a rule of the schema refused one of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection


class _Hashed(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def agent_id(self) -> str | None: ...
    @property
    def content_hash(self) -> str: ...


async def conflict(connection: Connection, tenant: str, batch: WriteBatch, refused: str) -> ConflictError:
    """Return the error that names the refused row and the one that says the same; nothing of the batch was written."""
    patched = await connection.rows("read/read_memories", tenant=tenant, ids=[patch.id for patch in batch.memory_patches])
    memories = [*(item.memory for item in batch.memories), *(rows.memory_of(row["row"]) for row in patched)]
    found = await _same_content(connection, tenant, "memory", memories)
    found = found or await _same_content(connection, tenant, "episode", batch.episodes)
    found = found or await _same_normal(connection, tenant, batch)
    return found or ConflictError(f"a row of the batch breaks a rule of the store: {refused}", hint="read again and repeat")


async def _same_content(connection: Connection, tenant: str, what: str, items: Sequence[_Hashed]) -> ConflictError | None:
    keys = {item.id: rows.content_key(item.agent_id, item.content_hash) for item in items}
    found = await connection.rows(f"read/find_{what}_twins", tenant=tenant, content_keys=list(set(keys.values())))
    stored = {row["content_key"]: row["id"] for row in found}
    seen: dict[str, str] = {}
    for item in items:
        key = keys[item.id]
        twin = stored.get(key)
        twin = twin if twin is not None and twin != item.id else seen.get(key)
        if twin is not None and twin != item.id:
            return ConflictError(
                f"{what} {item.id} says the same as {what} {twin} (content hash {item.content_hash[:12]})",
                hint="add evidence to that one instead",
            )
        seen[key] = item.id
    return None


async def _same_normal(connection: Connection, tenant: str, batch: WriteBatch) -> ConflictError | None:
    normals = list({entity.normal for entity in batch.entities})
    found = await connection.rows("read/find_entities_by_name", tenant=tenant, normals=normals)
    stored: Mapping[str, str] = {row["row"]["normal"]: row["row"]["id"] for row in found}
    twins = _twins(((entity.normal, entity.id) for entity in batch.entities), stored)
    if twins is None:
        return None
    normal, entity_id, twin = twins
    return ConflictError(f"entity {entity_id} has the normal form {normal!r} of entity {twin}", hint="make ids with `entity_id`")


def _twins(pairs: Iterable[tuple[str, str]], stored: Mapping[str, str]) -> tuple[str, str, str] | None:
    seen: dict[str, str] = dict(stored)
    for normal, entity_id in pairs:
        other = seen.setdefault(normal, entity_id)
        if other != entity_id:
            return normal, entity_id, other
    return None
