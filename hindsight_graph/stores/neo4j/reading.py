"""Reading rows by id, scanning them in order, and counting them."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

import numpy as np

from hindsight_graph.models.entity import Entity
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import EpisodeFilter, Filter, Order, Scope
from hindsight_graph.models.record import AuditEntry, Caption, IdempotencyRecord, Page, SessionRecord, StoreStats, Vector
from hindsight_graph.stores.cursor import decode_cursor, encode_cursor
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection, Row
from hindsight_graph.stores.neo4j.parameters import episode_parameters, filter_parameters, scope_parameters
from hindsight_graph.stores.neo4j.terms import alias_key, keys_query
from hindsight_graph.stores.neo4j.vectors import EMBEDDING

Item = TypeVar("Item")

_EVENT_ORDERS = (Order.EVENT_OLDEST, Order.EVENT_NEWEST)
_NEWEST = (Order.RECORDED_NEWEST, Order.EVENT_NEWEST)


async def _by_id(
    connection: Connection, statement: str, scope: Scope, ids: Sequence[str], make: Callable[[Row], Item], *, agent: bool = True
) -> tuple[Item, ...]:
    """Return visible rows in the order of their ids, each once."""
    distinct = list(dict.fromkeys(ids))
    if not distinct:
        return ()
    asked = scope_parameters(scope) if agent else {"tenant": scope.tenant}
    found = {row["id"]: make(row) for row in await connection.packed(statement, ids=distinct, **asked)}
    return tuple([found[key] for key in distinct if key in found])


async def get_memories(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Memory, ...]:
    """Return visible memories in the order asked."""
    distinct = list(dict.fromkeys(ids))
    if not distinct:
        return ()
    read = await connection.packed("read/get_memories", ids=distinct, **scope_parameters(scope))
    found = {row[0]: rows.memory_of(row) for row in read}
    return tuple([found[key] for key in distinct if key in found])


async def captions(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Caption]:
    """Return what visible memories are called."""
    if not ids:
        return {}
    read = await connection.packed("read/get_captions", ids=list(dict.fromkeys(ids)), **scope_parameters(scope))
    return {key: Caption(summary, tuple(raw_refs)) for key, summary, raw_refs in read}


async def get_episodes(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Episode, ...]:
    """Return visible episodes in the order asked."""
    return await _by_id(connection, "read/get_episodes", scope, ids, rows.episode_of)


async def get_entities(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Entity, ...]:
    """Return entities in the order asked."""
    return await _by_id(connection, "read/get_entities", scope, ids, rows.entity_of, agent=False)


async def get_vectors(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
    """Return the embeddings of visible memories."""
    if not ids:
        return {}
    found = await connection.rows("read/get_vectors", ids=list(ids), embedding=EMBEDDING, **scope_parameters(scope))
    return {row["id"]: np.array(row["vector"], np.float32) for row in found}


async def note_uses(connection: Connection, scope: Scope, ids: Sequence[str], at: datetime) -> None:
    """Note when memories were retrieved last, on the nodes themselves; no stored field of a memory reads it."""
    await connection.change(
        lambda transaction: transaction.run("write/note_uses", tenant=scope.tenant, ids=list(ids), at=rows.micros(at))
    )


async def last_uses(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, datetime]:
    """Return when memories were retrieved last."""
    found = await connection.rows("read/last_uses", tenant=scope.tenant, ids=list(ids))
    return {row["id"]: rows.moment_of(row["used_at"]) for row in found}


async def get_session(connection: Connection, scope: Scope, session_id: str) -> SessionRecord | None:
    """Return the session of the scope's agent; without an agent, the one written last."""
    found = await connection.rows("read/get_session", id=session_id, **scope_parameters(scope))
    return rows.session_of(found[0]["row"]) if found else None


async def list_sessions(connection: Connection, scope: Scope, limit: int) -> tuple[SessionRecord, ...]:
    """Return the sessions of the scope's agent, without an agent those of all, last written first."""
    found = await connection.rows("read/list_sessions", limit=limit, **scope_parameters(scope))
    return tuple(rows.session_of(row["row"]) for row in found)


async def find_response(connection: Connection, scope: Scope, key: str) -> IdempotencyRecord | None:
    """Return the record of an idempotency key of the scope's agent."""
    found = await connection.rows("read/find_response", tenant=scope.tenant, key_agent=scope.agent_id or "", key=key)
    return IdempotencyRecord(key=key, request_hash=found[0]["request_hash"], response=found[0]["response"]) if found else None


async def find_entities(connection: Connection, scope: Scope, normals: Sequence[str]) -> dict[str, Entity]:
    """Return for each normal form the entity of that name, else the first one with that alias."""
    distinct = list(dict.fromkeys(normals))
    if not distinct:
        return {}
    aliases = {alias_key(normal): normal for normal in distinct}
    asked = keys_query(scope.tenant, [aliases])
    read = await connection.packed("read/find_entities", tenant=scope.tenant, normals=distinct, keys=asked)
    aliased = [row for by_name, row in read if not by_name]
    found = {aliases[key]: row for row in aliased for key in row["keys"] if key in aliases}
    found.update({row["normal"]: row for by_name, row in read if by_name})
    return {normal: rows.entity_of(found[normal]) for normal in normals if normal in found}


def _way(order: Order) -> str:
    return "newest" if order in _NEWEST else "oldest"


async def scan_memories(
    connection: Connection, scope: Scope, where: Filter, order: Order, cursor: str | None, limit: int
) -> Page[Memory]:
    """List memories in order."""
    after = (None, None) if cursor is None else decode_cursor(cursor, order.value, 2)
    found = await connection.packed(
        f"read/scan_memories_{_way(order)}", by_event=order in _EVENT_ORDERS, limit=limit + 1,
        **filter_parameters(scope, where, cursor_time=after[0], cursor_id=after[1]),
    )  # fmt: skip
    page = found[:limit]
    following = encode_cursor(order.value, (page[-1][0], page[-1][1][0])) if len(found) > limit else None
    return Page[Memory].model_construct(rows=tuple([rows.memory_of(row) for _, row in page]), cursor=following)


async def scan_episodes(
    connection: Connection, scope: Scope, where: EpisodeFilter, order: Order, cursor: str | None, limit: int
) -> Page[Episode]:
    """List episodes in order; ties by their place in the session, then id."""
    after = (None, None, None) if cursor is None else decode_cursor(cursor, order.value, 3)
    found = await connection.rows(
        f"read/scan_episodes_{_way(order)}", by_event=order in _EVENT_ORDERS, limit=limit + 1,
        **episode_parameters(scope, where, cursor_time=after[0], cursor_sequence=after[1], cursor_id=after[2]),
    )  # fmt: skip
    page = found[:limit]
    last = page[-1] if page else None
    following = (
        encode_cursor(order.value, (last["time"], last["row"]["sequence"], last["row"]["id"]))
        if last is not None and len(found) > limit
        else None
    )
    return Page[Episode].model_construct(rows=tuple([rows.episode_of(row["row"]) for row in page]), cursor=following)


async def scan_entities(
    connection: Connection, scope: Scope, prefix: str, canonical_only: bool, cursor: str | None, limit: int
) -> Page[Entity]:
    """List entities by normal form; only those on an edge whose owner the scope sees."""
    after = None if cursor is None else decode_cursor(cursor, "entities", 1)[0]
    found = await connection.rows(
        "read/scan_entities", prefix=prefix, canonical_only=canonical_only, after_normal=after, limit=limit + 1,
        **scope_parameters(scope),
    )  # fmt: skip
    entities = tuple([rows.entity_of(row["row"]) for row in found[:limit]])
    following = encode_cursor("entities", (entities[-1].normal,)) if len(found) > limit else None
    return Page[Entity].model_construct(rows=entities, cursor=following)


async def scan_audit(connection: Connection, scope: Scope, target_id: str | None, limit: int) -> tuple[AuditEntry, ...]:
    """List audit entries, newest first."""
    found = await connection.rows("read/scan_audit", tenant=scope.tenant, target_id=target_id, limit=limit)
    return tuple([rows.audit_of(row["row"]) for row in found])


_NODE_BYTES = 1_500
_EDGE_BYTES = 700
_NUMBER_BYTES = 8
"""Neo4j tells no size of its data. These are its record format's: 15 and 34 bytes for a node and an edge, 41 for each group of up
to four small properties, 128 for each piece of a longer text; filled as ours are."""


def estimated_bytes(nodes: int, edges: int, numbers: int) -> int:
    """Return about what these nodes, edges and numbers of vectors take on disk, by the record format."""
    return nodes * _NODE_BYTES + edges * _EDGE_BYTES + numbers * _NUMBER_BYTES


async def stats(connection: Connection, scope: Scope, dimension: int | None) -> StoreStats:
    """Count what the scope sees; `size_bytes` is an estimate by the record format."""
    asked = scope_parameters(scope)
    kinds: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    without_vector = 0
    for row in await connection.rows("read/count_memories", embedding=EMBEDDING, **asked):
        kinds[row["kind"]] += row["count"]
        statuses[row["status"]] += row["count"]
        without_vector += row["without_vector"]
    rest = (await connection.rows("read/count_rest", **asked))[0]
    nodes = kinds.total() + rest["episodes"] + rest["entities"]
    numbers = (kinds.total() - without_vector) * (dimension or 0)
    size = estimated_bytes(nodes, rest["edges"], numbers)
    return StoreStats(
        memories=kinds.total(), memories_by_kind=dict(sorted(kinds.items())), memories_by_status=dict(sorted(statuses.items())),
        without_vector=without_vector, size_bytes=size,
        **rest,
    )  # fmt: skip
