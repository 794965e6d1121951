"""Rows as they are stored, page by page; and such rows written into this store.

Entities come in the order in which they were written, edges by the id of their owner and then as they were written: what answers
depend on when rows tie. The rest comes by id.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from hindsight_graph.errors import InputError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.moving import OwnedJob, OwnedKey, StoredRow, Table
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import AuditEntry, IdempotencyRecord, NewMemory, Page, SessionRecord, WriteBatch
from hindsight_graph.stores.cursor import decode_cursor, encode_cursor
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection, Row, Transaction
from hindsight_graph.stores.neo4j.vectors import EMBEDDING
from hindsight_graph.stores.neo4j.writing import BatchWriter, new_rows

_NOTHING: Row = {}
_ALONE = (Table.ENTITIES, Table.SESSIONS, Table.JOBS, Table.KEYS)
"""Tables whose rows are written as they are; the rest is written as any batch is."""
_BY_POSITION = (Table.SESSIONS, Table.KEYS)
"""Tables whose keys are any text: Neo4j sorts by code point but compares some strings by UTF-16, so a key says no place."""


async def tenants(connection: Connection) -> tuple[str, ...]:
    """Return the name of every tenant that has a row, sorted."""
    return tuple(sorted(row["tenant"] for row in await connection.rows("read/list_tenants")))


async def export(connection: Connection, scope: Scope, table: Table, cursor: str | None, limit: int) -> Page[StoredRow]:
    """Return one page of a table; see `Store.export`."""
    if scope.agent_id is not None:
        raise InputError(f"an export is of a whole tenant, not of agent {scope.agent_id!r}", hint="name no agent")
    kind = f"export of {table.value}"
    after: Any = [-1, ""] if table is Table.ENTITIES else [0] if table in _BY_POSITION else [""]
    if cursor is not None:
        after = decode_cursor(cursor, kind, len(after))
    asked: dict[str, Any] = {"tenant": scope.tenant, "limit": limit, "after": after[-1]}
    if table is Table.ENTITIES:
        asked["after_added"] = after[0]
    elif table is Table.MEMORIES:
        asked["embedding"] = EMBEDDING
    last: Row
    if table is Table.EDGES:
        made, last, is_full = await _edges(connection, asked)
    else:
        found = await connection.rows(f"read/export_{table.value}", **asked)
        made = [_MAKE[table](row) for row in found]
        is_full = len(found) == limit
        last = found[-1]["row"] if is_full else _NOTHING
        if is_full and table is Table.MEMORIES:
            last = {"id": found[-1]["row"][0]}
    if not is_full:
        following = None
    elif table in _BY_POSITION:
        following = encode_cursor(kind, [after[0] + limit])
    else:
        following = encode_cursor(kind, [last["added"], last["id"]] if table is Table.ENTITIES else [last["id"]])
    return Page[StoredRow].model_construct(rows=tuple(made), cursor=following)


async def _edges(connection: Connection, asked: dict[str, Any]) -> tuple[list[Edge], Row, bool]:
    """Return the edges of a page of owners, the last owner, and whether the page is full."""
    owners = await connection.rows("read/export_owners", **asked)
    sources = sorted({source for owner in owners for source in owner["sources"]})
    found: list[rows.EdgeRow] = await connection.packed(
        "read/export_edges", tenant=asked["tenant"], owners=[owner["id"] for owner in owners], sources=sources
    )
    found.sort(key=lambda row: (row[3], row[0]))
    return [rows.edge_of(row) for row in found], owners[-1] if owners else _NOTHING, len(owners) == asked["limit"]


# -- rows that are read


def _memory(row: Row) -> NewMemory:
    vector = None if row["vector"] is None else np.array(row["vector"], np.float32)
    return NewMemory.model_construct(memory=rows.memory_of(row["row"]), vector=vector, terms=tuple(row["terms"] or ()))


def _job(row: Row) -> OwnedJob:
    return OwnedJob(agent_id=row["row"].get("agent_id"), job=rows.job_of(row["row"]))


def _key(row: Row) -> OwnedKey:
    key = row["row"]
    record = IdempotencyRecord(key=key["key"], request_hash=key["request_hash"], response=key.get("response"))
    return OwnedKey(agent_id=key["agent"] or None, record=record)


_MAKE: dict[Table, Callable[[Row], StoredRow]] = {
    Table.EPISODES: lambda row: rows.episode_of(row["row"]),
    Table.ENTITIES: lambda row: rows.entity_of(row["row"]),
    Table.MEMORIES: _memory,
    Table.SESSIONS: lambda row: rows.session_of(row["row"]),
    Table.JOBS: _job,
    Table.AUDIT: lambda row: rows.audit_of(row["row"]),
    Table.KEYS: _key,
}


# -- rows that are written


def batch_of(given: Sequence[StoredRow]) -> WriteBatch:
    """Return the batch of the rows that are written as any others are."""
    return WriteBatch(
        episodes=tuple([row for row in given if isinstance(row, Episode)]),
        entities=tuple([row for row in given if isinstance(row, Entity)]),
        memories=tuple([row for row in given if isinstance(row, NewMemory)]),
        edges=tuple([row for row in given if isinstance(row, Edge)]),
        audit=tuple([row for row in given if isinstance(row, AuditEntry)]),
    )


async def import_(
    transaction: Transaction, scope: Scope, table: Table, given: Sequence[StoredRow], operation: str, dimension: int | None
) -> int | None:
    """Write rows as they are; returns the dimension of the store's vectors, when it is known. See `Store.import_`."""
    tenant = scope.tenant
    if table not in _ALONE:
        writer = BatchWriter(transaction, scope, batch_of(given), operation, dimension)
        await writer.write()
        return writer.dimension
    await transaction.run("write/begin_operation", tenant=tenant, operation=operation)
    if table is Table.ENTITIES:
        entities = cast("Sequence[Entity]", given)
        values = [
            {"id": entity.id, "properties": rows.entity_properties(tenant, entity), "place": place}
            for place, entity in enumerate(entities)
        ]
        await transaction.run("write/create_rows", **new_rows(tenant, entities=values))
    elif table is Table.SESSIONS:
        sessions = cast("Sequence[SessionRecord]", given)
        values = [
            {"id": record.id, "agent": record.agent_id or "", "properties": rows.session_properties(record)}
            for record in sessions
        ]
        await transaction.run("write/import_sessions", tenant=tenant, rows=values)
    elif table is Table.JOBS:
        jobs = cast("Sequence[OwnedJob]", given)
        values = [{"id": row.job.id, "properties": rows.job_properties(tenant, row.agent_id, row.job)} for row in jobs]
        await transaction.run("write/create_rows", **new_rows(tenant, jobs=values))
    else:
        keys = cast("Sequence[OwnedKey]", given)
        values = [
            {
                "agent": row.agent_id or "", "key": row.record.key, "request_hash": row.record.request_hash,
                "response": row.record.response,
            }
            for row in keys
        ]  # fmt: skip
        await transaction.run("write/import_keys", tenant=tenant, rows=values)
    return dimension
