"""Rows as they are stored, page by page in the order in which they were written; and such rows written into this store.

A page is read along the table itself (`NOT INDEXED`): an index would have to be sorted anew for each page.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, cast

import numpy as np

from hindsight_graph.errors import InputError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.moving import OwnedJob, OwnedKey, StoredRow, Table
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import (
    AuditEntry,
    IdempotencyRecord,
    NewMemory,
    Page,
    SessionRecord,
    Vector,
    WriteBatch,
)
from hindsight_graph.stores.cursor import decode_cursor, encode_cursor
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.jobs import COLUMNS, job_of
from hindsight_graph.stores.sqlite.meta import get_meta
from hindsight_graph.stores.sqlite.packed import has_vector
from hindsight_graph.stores.sqlite.rows import dumps, micros, micros_or_none, moment_of, moment_or_none
from hindsight_graph.stores.sqlite.schema import VECTORS_PER_BLOCK
from hindsight_graph.stores.sqlite.terms import TermNumbers
from hindsight_graph.stores.sqlite.write_graph import GraphWriter
from hindsight_graph.stores.sqlite.writing import BatchWriter

_TENANTS = " UNION ".join(
    f"SELECT tenant FROM {table}"
    for table in ("tenants", "episodes", "entities", "edges", "sessions", "jobs", "audit", "idempotency")
)


def _of_table(table: str, columns: str) -> str:
    return (
        f"SELECT r.num, {columns} FROM {table} r NOT INDEXED WHERE r.num > ?1 AND r.tenant = ?2 ORDER BY r.num LIMIT ?3"
    )  # fmt: skip


_EPISODES = _of_table("episodes", ", ".join(rows.EPISODE_COLUMNS))
_ENTITIES = _of_table("entities", ", ".join(rows.ENTITY_COLUMNS))
_EDGES = _of_table("edges", ", ".join(rows.EDGE_COLUMNS))
_JOBS = _of_table("jobs", f"agent_id, {COLUMNS}")
_AUDIT = _of_table("audit", "id, at, actor, action, target_ids, reason, detail")
_MEMORIES = (
    f"SELECT r.slot, r.mirrored, r.term_ids, {rows.memory_read('r')} FROM memories r"
    " WHERE r.slot > ?1 AND r.tenant = ?2 ORDER BY r.slot LIMIT ?3"
)
_SESSIONS = (
    "SELECT id, agent, agent_id, state, version, updated_at, ended_at FROM sessions"
    " WHERE (id, agent) > (?1, ?2) AND tenant = ?3 ORDER BY id, agent LIMIT ?4"
)
_KEYS = (
    "SELECT agent, key, request_hash, response FROM idempotency WHERE (agent, key) > (?1, ?2) AND tenant = ?3"
    " ORDER BY agent, key LIMIT ?4"
)


def tenants(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the name of every tenant that has a row, sorted."""
    return tuple(sorted(row[0] for row in connection.execute(_TENANTS)))


def export(connection: sqlite3.Connection, scope: Scope, table: Table, cursor: str | None, limit: int) -> Page[StoredRow]:
    """Return one page of a table; see `Store.export`."""
    if scope.agent_id is not None:
        raise InputError(f"an export is of a whole tenant, not of agent {scope.agent_id!r}", hint="name no agent")
    kind = f"export of {table.value}"
    if table in _BY_NAME:
        statement, make = _BY_NAME[table]
        position: list[Any] = ["", ""] if cursor is None else decode_cursor(cursor, kind, 2)
        found = connection.execute(statement, (*position, scope.tenant, limit)).fetchall()
        made = [make(row) for row in found]
        after = found[-1][:2] if found else ()
    else:
        position = [-1] if cursor is None else decode_cursor(cursor, kind, 1)
        statement, make_all = _BY_NUMBER[table]
        found = connection.execute(statement, (*position, scope.tenant, limit)).fetchall()
        made = make_all(connection, scope.tenant, found)
        after = found[-1][:1] if found else ()
    following = encode_cursor(kind, after) if len(found) == limit else None
    return Page[StoredRow].model_construct(rows=tuple(made), cursor=following)


# -- rows that are read


def _memories(connection: sqlite3.Connection, tenant: str, found: list[rows.Row]) -> list[StoredRow]:
    vectors = _vectors(connection, tenant, [row[0] for row in found if has_vector(row[1])])
    numbers = [np.frombuffer(row[2] or b"", np.int32).tolist() for row in found]
    words: dict[int, str] = dict(
        connection.execute(
            "SELECT id, term FROM terms WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted({number for row in numbers for number in row})),),
        ).fetchall()
    )
    return [
        NewMemory.model_construct(
            memory=rows.memory_of(row[3:]), vector=vectors.get(row[0]), terms=tuple([words[number] for number in terms])
        )
        for row, terms in zip(found, numbers, strict=True)
    ]


def _vectors(connection: sqlite3.Connection, tenant: str, slots: list[int]) -> dict[int, Vector]:
    """Return the vectors in some ascending slots."""
    if not slots:
        return {}
    dimension = int(get_meta(connection, "dimension"))
    blocks = dict(
        connection.execute(
            "SELECT block, vectors FROM memory_vectors WHERE tenant = ? AND block BETWEEN ? AND ?",
            (tenant, slots[0] // VECTORS_PER_BLOCK, slots[-1] // VECTORS_PER_BLOCK),
        ).fetchall()
    )
    matrices = {block: np.frombuffer(vectors, np.float32).reshape(-1, dimension) for block, vectors in blocks.items()}
    return {slot: matrices[slot // VECTORS_PER_BLOCK][slot % VECTORS_PER_BLOCK] for slot in slots}


def _each(make: Callable[[rows.Row], StoredRow]) -> Callable[[sqlite3.Connection, str, list[rows.Row]], list[StoredRow]]:
    return lambda _connection, _tenant, found: [make(row[1:]) for row in found]


def _job(row: rows.Row) -> OwnedJob:
    return OwnedJob(agent_id=row[0], job=job_of(row[1:]))


def _entry(row: rows.Row) -> AuditEntry:
    id_, at, actor, action, targets, reason, detail = row
    return AuditEntry(
        id=id_, at=moment_of(at), actor=actor, action=action, target_ids=tuple(json.loads(targets)), reason=reason,
        detail=json.loads(detail),
    )  # fmt: skip


def _session(row: rows.Row) -> SessionRecord:
    id_, _, agent_id, state, version, updated_at, ended_at = row
    return SessionRecord(
        id=id_, agent_id=agent_id, state=json.loads(state), version=version, updated_at=moment_of(updated_at),
        ended_at=moment_or_none(ended_at),
    )  # fmt: skip


def _key(row: rows.Row) -> OwnedKey:
    agent, key, request_hash, response = row
    return OwnedKey(agent_id=agent or None, record=IdempotencyRecord(key=key, request_hash=request_hash, response=response))


_BY_NUMBER: dict[Table, tuple[str, Callable[[sqlite3.Connection, str, list[rows.Row]], list[StoredRow]]]] = {
    Table.EPISODES: (_EPISODES, _each(rows.episode_of)),
    Table.ENTITIES: (_ENTITIES, _each(rows.entity_of)),
    Table.MEMORIES: (_MEMORIES, _memories),
    Table.EDGES: (_EDGES, _each(rows.edge_of)),
    Table.JOBS: (_JOBS, _each(_job)),
    Table.AUDIT: (_AUDIT, _each(_entry)),
}
_BY_NAME: dict[Table, tuple[str, Callable[[rows.Row], StoredRow]]] = {
    Table.SESSIONS: (_SESSIONS, _session),
    Table.KEYS: (_KEYS, _key),
}
"""Statements whose first two columns are their order, and what makes a row."""


# -- rows that are written


def import_(connection: sqlite3.Connection, scope: Scope, table: Table, given: Sequence[StoredRow], terms: TermNumbers) -> None:
    """Write rows as they are; the caller holds the write transaction. See `Store.import_`."""
    if table is Table.ENTITIES:
        GraphWriter(connection, scope.tenant).insert([row for row in given if isinstance(row, Entity)])
    elif table is Table.SESSIONS:
        _import_sessions(connection, scope.tenant, [row for row in given if isinstance(row, SessionRecord)])
    elif table is Table.KEYS:
        _import_keys(connection, scope.tenant, [row for row in given if isinstance(row, OwnedKey)])
    elif table is Table.JOBS:
        for agent_id, jobs in groupby(cast("Sequence[OwnedJob]", given), key=lambda row: row.agent_id):
            batch = WriteBatch(jobs=tuple([row.job for row in jobs]))
            BatchWriter(connection, Scope(tenant=scope.tenant, agent_id=agent_id), batch, terms).write()
    else:
        batch = WriteBatch(
            episodes=tuple([row for row in given if isinstance(row, Episode)]),
            memories=tuple([row for row in given if isinstance(row, NewMemory)]),
            edges=tuple([row for row in given if isinstance(row, Edge)]),
            audit=tuple([row for row in given if isinstance(row, AuditEntry)]),
        )
        BatchWriter(connection, scope, batch, terms).write()


def _import_sessions(connection: sqlite3.Connection, tenant: str, records: Sequence[SessionRecord]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO sessions (tenant, agent, id, agent_id, state, version, updated_at, ended_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                tenant, record.agent_id or "", record.id, record.agent_id, dumps(record.state, f"state of session {record.id}"),
                record.version, micros(record.updated_at), micros_or_none(record.ended_at),
            )
            for record in records
        ],
    )  # fmt: skip


def _import_keys(connection: sqlite3.Connection, tenant: str, keys: Sequence[OwnedKey]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO idempotency (tenant, agent, key, request_hash, response) VALUES (?, ?, ?, ?, ?)",
        [(tenant, key.agent_id or "", key.record.key, key.record.request_hash, key.record.response) for key in keys],
    )
