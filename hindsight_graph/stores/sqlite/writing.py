"""One batch, one transaction: everything in it is written, or nothing."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Protocol, TypeVar

from hindsight_graph.errors import ConflictError, IdempotencyError
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import AuditEntry, SessionRecord, WriteBatch, WriteReceipt
from hindsight_graph.stores.sqlite import jobs, keys, rows
from hindsight_graph.stores.sqlite.predicates import among
from hindsight_graph.stores.sqlite.rows import dumps, micros, micros_or_none
from hindsight_graph.stores.sqlite.terms import TermNumbers
from hindsight_graph.stores.sqlite.twins import same_content
from hindsight_graph.stores.sqlite.write_graph import GraphWriter
from hindsight_graph.stores.sqlite.write_memories import MemoryWriter

_INSERT_EPISODE = (
    f"INSERT INTO episodes (tenant, {', '.join(rows.EPISODE_COLUMNS)}) VALUES (?{', ?' * len(rows.EPISODE_COLUMNS)})"
)


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=_HasId)


class BatchWriter:
    """Writes one batch through a connection that holds the write transaction."""

    def __init__(self, connection: sqlite3.Connection, scope: Scope, batch: WriteBatch, terms: TermNumbers) -> None:
        self._connection = connection
        self._scope = scope
        self._tenant = scope.tenant
        self._batch = batch
        self._memories = MemoryWriter(connection, scope.tenant, terms)
        self._graph = GraphWriter(connection, scope.tenant)

    def write(self) -> WriteReceipt:
        """Write the batch; any exception means the transaction must be rolled back."""
        batch = self._batch
        answered = self._check_key()
        if answered is not None:
            return answered
        by_id = {item.memory.id: item for item in reversed(batch.memories)}
        episodes, audit = self._new("episodes", batch.episodes), self._new("audit", batch.audit)
        fresh = {memory.id: by_id[memory.id] for memory in self._new("memories", [item.memory for item in batch.memories])}
        edges = self._graph.new_edges(batch.edges, fresh)
        given = bool(batch.episodes or batch.memories or batch.edges or batch.audit)
        is_repeat = given and not (episodes or fresh or edges or audit)
        if not is_repeat:
            self._check_slots()
        self._insert_episodes(episodes)
        self._memories.patch([patch for patch in batch.memory_patches if patch.id not in fresh], is_repeat=is_repeat)
        if batch.entities:
            self._graph.merge(batch.entities)
        if fresh:
            self._memories.insert(list(fresh.values()))
        if edges:
            self._graph.insert_edges(edges, self._memories.slots)
        self._memories.patch([patch for patch in batch.memory_patches if patch.id in fresh], is_repeat=is_repeat)
        if batch.entity_patches:
            self._graph.patch(batch.entity_patches)
        if batch.jobs:
            jobs.insert(self._connection, self._scope, batch.jobs)
        for finished in batch.finished_jobs:
            jobs.finish(self._connection, self._tenant, finished)
        for change in batch.job_changes:
            jobs.change(self._connection, self._scope, change)
        keys.put(self._connection, self._tenant, batch.keys)
        for record in batch.sessions:
            self._write_session(record)
        self._insert_audit(audit)
        self._write_key()
        return WriteReceipt()

    def _check_key(self) -> WriteReceipt | None:
        record = self._batch.idempotency
        if record is None:
            return None
        found = self._connection.execute(
            "SELECT request_hash, response FROM idempotency WHERE tenant = ? AND agent = ? AND key = ?",
            (self._tenant, self._scope.agent_id or "", record.key),
        ).fetchone()
        if found is None:
            return None
        if found[0] != record.request_hash:
            raise IdempotencyError(
                f"idempotency key {record.key!r} was used for another request", hint="give each request a key of its own"
            )
        return None if found[1] is None else WriteReceipt(repeated=True, response=found[1])

    def _check_slots(self) -> None:
        """Refuse a batch that was planned against other holders of a slot than there are now."""
        for expected in self._batch.expected_slots:
            found = self._connection.execute(
                "SELECT id FROM memories WHERE tenant = ? AND slot_normal = ? AND slot_attribute = ?"
                " AND coalesce(agent_id, '') = ? AND is_current = 1 AND status = 'active'",
                (self._tenant, *expected.slot, expected.agent_id or ""),
            ).fetchall()
            if frozenset(str(row[0]) for row in found) != expected.ids:
                raise ConflictError(
                    f"the value of {' / '.join(expected.slot)} was changed by another writer", hint="plan the write anew"
                )

    def _write_key(self) -> None:
        record = self._batch.idempotency
        if record is not None:
            self._connection.execute(
                "INSERT INTO idempotency (tenant, agent, key, request_hash, response) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET response = coalesce(excluded.response, response)",
                (self._tenant, self._scope.agent_id or "", record.key, record.request_hash, record.response),
            )

    def _new(self, table: str, items: Sequence[Item]) -> list[Item]:
        """Return the items whose id the table does not hold yet, each id once."""
        if not items:
            return []
        by_id: dict[str, Item] = {}
        for item in items:
            by_id.setdefault(item.id, item)
        asked, parameters = among("id", list(by_id))
        known = self._connection.execute(
            f"SELECT id FROM {table} WHERE tenant = :tenant AND id {asked}", {"tenant": self._tenant, **parameters}
        ).fetchall()
        for (known_id,) in known:
            del by_id[known_id]
        return list(by_id.values())

    def _insert_episodes(self, episodes: list[Episode]) -> None:
        if not episodes:
            return
        values = [(self._tenant, *rows.episode_row(episode)) for episode in episodes]
        try:
            self._connection.executemany(_INSERT_EPISODE, values)
        except sqlite3.IntegrityError as error:
            raise same_content(self._connection, self._tenant, "episode", "episodes", episodes, "1") from error

    def _write_session(self, record: SessionRecord) -> None:
        agent, state = record.agent_id or "", dumps(record.state, f"state of session {record.id}")
        values = (state, record.version, micros(record.updated_at), micros_or_none(record.ended_at))
        found = self._connection.execute(
            "SELECT state, version, updated_at, ended_at FROM sessions WHERE tenant = ? AND id = ? AND agent = ?",
            (self._tenant, record.id, agent),
        ).fetchone()
        if found == values:
            return
        stored = 0 if found is None else int(found[1])
        if record.version != stored + 1:
            raise ConflictError(
                f"session {record.id} is at version {stored}; version {record.version} cannot follow",
                hint="read it again and repeat",
            )
        self._connection.execute(
            "INSERT INTO sessions (tenant, agent, id, agent_id, state, version, updated_at, ended_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (tenant, id, agent) DO UPDATE SET state = excluded.state, version = excluded.version,"
            " updated_at = excluded.updated_at, ended_at = excluded.ended_at",
            (self._tenant, agent, record.id, record.agent_id, *values),
        )

    def _insert_audit(self, entries: Sequence[AuditEntry]) -> None:
        for entry in entries:
            number = self._connection.execute(
                "INSERT INTO audit (tenant, id, at, actor, action, target_ids, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._tenant, entry.id, micros(entry.at), entry.actor, entry.action, json.dumps(entry.target_ids),
                    entry.reason,
                    dumps(entry.detail, f"detail of audit entry {entry.id}"),
                ),
            ).lastrowid  # fmt: skip
            self._connection.executemany(
                "INSERT OR IGNORE INTO audit_targets (tenant, target_id, entry) VALUES (?, ?, ?)",
                [(self._tenant, target, number) for target in entry.target_ids],
            )
