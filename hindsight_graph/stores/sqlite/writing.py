"""One batch, one transaction: everything in it is written, or nothing."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hindsight_graph.errors import ConflictError, EmbeddingError, IdempotencyError, InputError, ModelMismatchError, NotFoundError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType, Status, StructureType
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import (
    PATCHABLE,
    EntityPatch,
    FinishedJob,
    JobState,
    MemoryPatch,
    NewMemory,
    SessionRecord,
    WriteBatch,
    WriteReceipt,
)
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.meta import get_meta, set_meta
from hindsight_graph.stores.sqlite.rows import dumps, key_of, list_or_none, micros, micros_or_none

_EDGE_COPIES = (
    "status",
    "is_current",
    "retired_at",
    "valid_to",
    "closed_at",
    "prior_valid_to",
    "expires_at",
    "trust",
    "visibility",
)
"""Columns an edge copies from its owner."""
_OWNER_STATE = ("status", "is_current", "retired_at", "trust", "visibility")
"""Those of them that an edge takes from its owner when it joins an older memory; its validity is its own then."""
_INSERT_MEMORY = (
    f"INSERT INTO memories (num, tenant, seq, term_ids, slot_normal, {', '.join(rows.MEMORY_COLUMNS)})"  # noqa: S608 - column names of ours
    f" VALUES (?, ?, ?, ?, ?{', ?' * len(rows.MEMORY_COLUMNS)})"
)
_INSERT_EDGE = f"INSERT INTO edges (tenant, {', '.join(rows.EDGE_COLUMNS)}) VALUES (?{', ?' * len(rows.EDGE_COLUMNS)})"  # noqa: S608
_INSERT_EPISODE = (
    f"INSERT INTO episodes (tenant, {', '.join(rows.EPISODE_COLUMNS)}) VALUES (?{', ?' * len(rows.EPISODE_COLUMNS)})"  # noqa: S608
)
_INSERT_ENTITY = f"INSERT INTO entities (tenant, {', '.join(rows.ENTITY_COLUMNS)}) VALUES (?{', ?' * len(rows.ENTITY_COLUMNS)})"  # noqa: S608
TERM_CACHE = 200_000
"""Terms whose ids a writer remembers; about 20 MB when full, then it starts anew."""


class TermIds:
    """Ids of terms this writer has seen; ids are never reused, so what is remembered stays right."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str, str], int] = {}
        self._fresh: list[tuple[str, str]] = []

    def resolve(self, connection: sqlite3.Connection, tenant: str, terms: Iterable[str]) -> dict[str, int]:
        """Return the id of each term, giving new ones to new terms."""
        wanted = set(terms)
        found = {term: self._ids[tenant, term] for term in wanted if (tenant, term) in self._ids}
        missing = sorted(wanted - found.keys())
        if not missing:
            return found
        if len(self._ids) > TERM_CACHE:
            self._ids.clear()
        connection.execute(
            "INSERT OR IGNORE INTO terms (tenant, term) SELECT ?, value FROM json_each(?)", (tenant, dumps(missing, "terms"))
        )
        for term, number in connection.execute(
            "SELECT term, id FROM terms WHERE tenant = ? AND term IN (SELECT value FROM json_each(?))",
            (tenant, dumps(missing, "terms")),
        ):
            found[term] = self._ids[tenant, term] = number
            self._fresh.append((tenant, term))
        return found

    def committed(self) -> None:
        """Keep what the transaction added."""
        self._fresh.clear()

    def rolled_back(self) -> None:
        """Forget what the transaction added."""
        for key in self._fresh:
            self._ids.pop(key, None)
        self._fresh.clear()


class BatchWriter:
    """Writes one batch through a connection that holds the write transaction."""

    def __init__(self, connection: sqlite3.Connection, scope: Scope, batch: WriteBatch, terms: TermIds) -> None:
        self._connection = connection
        self._scope = scope
        self._tenant = scope.tenant
        self._batch = batch
        self._terms = terms
        self._numbers: dict[str, int] = {}

    def write(self) -> WriteReceipt:
        """Write the batch; any exception means the transaction must be rolled back."""
        batch = self._batch
        answered = self._check_key()
        if answered is not None:
            return answered
        episodes = self._new("episodes", batch.episodes)
        memories = self._new("memories", tuple(item.memory for item in batch.memories))
        fresh = {memory.id for memory in memories}
        edges = self._new("edges", batch.edges)
        audit = self._new("audit", batch.audit)
        given = len(batch.episodes) + len(batch.memories) + len(batch.edges) + len(batch.audit)
        is_repeat = given > 0 and not (episodes or memories or edges or audit)
        self._insert_episodes(episodes)
        early = [patch for patch in batch.memory_patches if patch.id not in fresh]
        self._patch_memories(early, is_repeat=is_repeat)
        if batch.entities:
            self._merge_entities(batch.entities)
        if memories:
            self._insert_memories([item for item in batch.memories if item.memory.id in fresh])
        if edges:
            self._insert_edges(edges, fresh)
        self._patch_memories([patch for patch in batch.memory_patches if patch.id in fresh], is_repeat=is_repeat)
        if batch.entity_patches:
            self._patch_entities(batch.entity_patches)
        self._write_jobs()
        for record in batch.sessions:
            self._write_session(record)
        self._write_audit(audit)
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

    def _write_key(self) -> None:
        record = self._batch.idempotency
        if record is not None:
            self._connection.execute(
                "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET response = coalesce(excluded.response, response)",
                (self._tenant, self._scope.agent_id or "", record.key, record.request_hash, record.response),
            )

    def _new(self, table: str, items: Sequence[Any]) -> list[Any]:
        """Return the items whose id the table does not hold yet, each id once."""
        if not items:
            return []
        by_id: dict[str, Any] = {}
        for item in items:
            by_id.setdefault(item.id, item)
        for (known,) in self._connection.execute(
            f"SELECT id FROM {table} WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",  # noqa: S608 - a table name of ours
            (self._tenant, json.dumps(list(by_id))),
        ).fetchall():
            del by_id[known]
        return list(by_id.values())

    # -- episodes and memories

    def _insert_episodes(self, episodes: list[Episode]) -> None:
        if not episodes:
            return
        values = [(self._tenant, *rows.episode_row(episode)) for episode in episodes]
        try:
            self._connection.executemany(_INSERT_EPISODE, values)
        except sqlite3.IntegrityError as error:
            raise self._same_content("episode", "episodes", episodes, "1") from error

    def _insert_memories(self, items: list[NewMemory]) -> None:
        connection, tenant = self._connection, self._tenant
        self._check_vectors(items)
        change, first = self._next_change(), int(get_meta(connection, "next_memory"))
        ids = self._terms.resolve(connection, tenant, {term for item in items for term in item.terms})
        values: list[tuple[Any, ...]] = []
        for number, item in enumerate(items, first):
            memory = item.memory
            terms = np.fromiter((ids[term] for term in item.terms), np.int32, len(item.terms)).tobytes() if item.terms else None
            values.append(
                (number, tenant, change, terms, key_of(memory.slot.subject) if memory.slot else None, *rows.memory_row(memory))
            )
            self._numbers[memory.id] = number
        set_meta(connection, "next_memory", first + len(items))
        try:
            connection.executemany(_INSERT_MEMORY, values)
        except sqlite3.IntegrityError as error:
            raise self._same_content(
                "memory", "memories", [item.memory for item in items], "is_current = 1 AND status <> 'rejected'"
            ) from error
        connection.executemany(
            "INSERT INTO memory_vectors VALUES (?, ?)",
            [(number, item.vector.tobytes()) for number, item in enumerate(items, first) if item.vector is not None],
        )
        numbered = [(number, item.memory) for number, item in enumerate(items, first)]
        for table, column, pairs in (
            ("memory_tags", "tag", [(tenant, tag, number) for number, memory in numbered for tag in memory.tags]),
            ("memory_tools", "tool", [(tenant, tool, number) for number, memory in numbered for tool in memory.tools]),
            ("memory_bands", "band", [(tenant, band, number) for number, memory in numbered for band in memory.bands]),
        ):
            if pairs:
                connection.executemany(f"INSERT OR IGNORE INTO {table} (tenant, {column}, num) VALUES (?, ?, ?)", pairs)  # noqa: S608

    def _check_vectors(self, items: list[NewMemory]) -> None:
        vectors = [(item.memory.id, item.vector) for item in items if item.vector is not None]
        if not vectors:
            return
        dimension = get_meta(self._connection, "dimension")
        if dimension is None:
            dimension = int(vectors[0][1].shape[0]) if vectors[0][1].ndim == 1 else 0
            set_meta(self._connection, "dimension", dimension)
        for memory_id, vector in vectors:
            if vector.ndim != 1 or vector.shape[0] != dimension:
                raise ModelMismatchError(
                    f"the vector of memory {memory_id} has shape {vector.shape}; this store's vectors have dimension {dimension}",
                    hint="use the embedding model of this store (`hindsight-graph doctor` names it)",
                )
            if vector.dtype != np.float32:
                raise EmbeddingError(f"the vector of memory {memory_id} is {vector.dtype}, not float32", hint="convert it")
            length = float(np.dot(vector, vector))
            if not 0.98 < length < 1.02:
                raise EmbeddingError(
                    f"the vector of memory {memory_id} has squared length {length:.4g}, not 1",
                    hint="normalise it before it is written",
                )

    def _same_content(self, what: str, table: str, items: Sequence[Any], condition: str) -> Exception:
        """Return the error for a unique index that refused one of these rows."""
        seen: dict[tuple[str | None, str], str] = {}
        for item in items:
            other = self._connection.execute(
                f"SELECT id FROM {table} WHERE tenant = ? AND coalesce(agent_id, '') = ? AND content_hash = ? AND id <> ? AND {condition}",  # noqa: S608
                (self._tenant, item.agent_id or "", item.content_hash, item.id),
            ).fetchone()
            twin = other[0] if other else seen.get((item.agent_id, item.content_hash))
            if twin is not None:
                return ConflictError(
                    f"{what} {item.id} says the same as {what} {twin} (content hash {item.content_hash[:12]})",
                    hint="add evidence to that one instead",
                )
            seen[item.agent_id, item.content_hash] = item.id
        return ConflictError(f"one of {len(items)} {table} breaks a rule of the store")

    def _next_change(self) -> int:
        change = int(get_meta(self._connection, "change")) + 1
        set_meta(self._connection, "change", change)
        return change

    # -- patches of memories

    def _patch_memories(self, patches: Sequence[MemoryPatch], *, is_repeat: bool) -> None:
        if not patches:
            return
        change = self._next_change()
        for patch in sorted(patches, key=_gives_way_first):
            self._patch_memory(patch, change, is_repeat=is_repeat)

    def _patch_memory(self, patch: MemoryPatch, change: int, *, is_repeat: bool) -> None:
        unknown = sorted(patch.changes.keys() - PATCHABLE)
        if unknown:
            raise InputError(
                f"memory {patch.id}: {', '.join(unknown)} may not change", hint="write a new version that supersedes this one"
            )
        row = self._connection.execute(
            f"SELECT {', '.join(rows.MEMORY_COLUMNS)}, num FROM memories WHERE tenant = ? AND id = ?",  # noqa: S608
            (self._tenant, patch.id),
        ).fetchone()
        if row is None:
            raise NotFoundError(f"no memory {patch.id}", hint="check the id and the tenant")
        memory, number = rows.memory_of(row[:-1]), int(row[-1])
        columns = rows.patch_columns(memory, patch.changes)
        if patch.expect_current and not memory.is_current:
            if is_repeat and columns == rows.patch_columns(memory, {name: getattr(memory, name) for name in columns}):
                return
            raise ConflictError(
                f"memory {patch.id} is no longer current (status {memory.status.value})",
                hint="read its history and change the newest version",
            )
        if not columns:
            return
        sets = ", ".join(f"{name} = ?" for name in columns)
        try:
            self._connection.execute(f"UPDATE memories SET seq = ?, {sets} WHERE num = ?", (change, *columns.values(), number))  # noqa: S608
        except sqlite3.IntegrityError as error:
            raise self._same_content("memory", "memories", [memory], "is_current = 1 AND status <> 'rejected'") from error
        if "tags" in patch.changes:
            self._connection.execute("DELETE FROM memory_tags WHERE num = ? AND tenant = ?", (number, self._tenant))
            self._connection.executemany(
                "INSERT OR IGNORE INTO memory_tags (tenant, tag, num) VALUES (?, ?, ?)",
                [(self._tenant, tag, number) for tag in patch.changes["tags"]],
            )
        copies = {name: columns[name] for name in _EDGE_COPIES if name in columns}
        if copies:
            sets = ", ".join(f"{name} = ?" for name in copies)
            self._connection.execute(
                f"UPDATE edges SET {sets} WHERE tenant = ? AND owner_id = ?",  # noqa: S608
                (*copies.values(), self._tenant, patch.id),
            )

    # -- entities

    def _merge_entities(self, entities: Sequence[Entity]) -> None:
        known = {row[0]: rows.entity_of(row) for row in self._connection.execute(
            f"SELECT {', '.join(rows.ENTITY_COLUMNS)} FROM entities WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",  # noqa: S608
            (self._tenant, json.dumps([entity.id for entity in entities])),
        )}  # fmt: skip
        new: dict[str, Entity] = {}
        changed: dict[str, Entity] = {}
        for entity in entities:
            before = changed.get(entity.id) or known.get(entity.id) or new.get(entity.id)
            if before is None:
                new[entity.id] = entity
                continue
            after = _merged(before, (entity.name, *entity.aliases), entity.type)
            if after is not before:
                (new if entity.id in new else changed)[entity.id] = after
        if new:
            try:
                self._connection.executemany(
                    _INSERT_ENTITY, [(self._tenant, *rows.entity_row(entity)) for entity in new.values()]
                )
            except sqlite3.IntegrityError as error:
                raise self._same_normal(new.values()) from error
            self._index_names(new.values())
        for entity in changed.values():
            self._store_entity(entity)

    def _same_normal(self, entities: Iterable[Entity]) -> Exception:
        for entity in entities:
            other = self._connection.execute(
                "SELECT id FROM entities WHERE tenant = ? AND normal = ? AND id <> ?", (self._tenant, entity.normal, entity.id)
            ).fetchone()
            if other is not None:
                return ConflictError(
                    f"entity {entity.id} has the normal form {entity.normal!r} of entity {other[0]}",
                    hint="make ids with `entity_id`",
                )
        return ConflictError("two new entities have one normal form", hint="make ids with `entity_id`")

    def _store_entity(self, entity: Entity) -> None:
        self._connection.execute(
            "UPDATE entities SET aliases = ?, type = ? WHERE tenant = ? AND id = ?",
            (list_or_none(entity.aliases), entity.type.value, self._tenant, entity.id),
        )
        self._index_names([entity])

    def _index_names(self, entities: Iterable[Entity]) -> None:
        """Index the aliases by normal form; names are found in the entities table."""
        pairs = [(key_of(alias), self._tenant, entity.id) for entity in entities for alias in entity.aliases]
        if pairs:
            self._connection.executemany(
                "INSERT OR IGNORE INTO entity_names (normal, tenant, entity) SELECT ?1, ?2, num FROM entities WHERE tenant = ?2 AND id = ?3",
                pairs,
            )

    def _patch_entities(self, patches: Sequence[EntityPatch]) -> None:
        for patch in patches:
            row = self._connection.execute(
                f"SELECT {', '.join(rows.ENTITY_COLUMNS)} FROM entities WHERE tenant = ? AND id = ?",  # noqa: S608
                (self._tenant, patch.id),
            ).fetchone()
            if row is None:
                raise NotFoundError(f"no entity {patch.id}", hint="check the id and the tenant")
            before = rows.entity_of(row)
            after = _merged(before, patch.add_aliases, EntityType.OTHER)
            if patch.type is not None:
                after = after.model_copy(update={"type": patch.type})
            if after != before:
                self._store_entity(after)
            if patch.canonical_id is not None and patch.canonical_id != before.canonical_id:
                self._move_entity(patch.id, before.canonical_id, patch.canonical_id)
        self._check_no_chain([patch.id for patch in patches if patch.canonical_id is not None])

    def _move_entity(self, entity_id: str, old: str, new: str) -> None:
        self._connection.execute(
            "UPDATE entities SET canonical_id = ? WHERE tenant = ? AND id = ?", (new, self._tenant, entity_id)
        )
        for side in ("source", "target"):
            self._connection.execute(
                f"UPDATE edges SET {side}_canonical = ? WHERE tenant = ? AND {side}_canonical = ? AND {side}_id = ?",  # noqa: S608
                (new, self._tenant, old, entity_id),
            )

    def _check_no_chain(self, ids: list[str]) -> None:
        """Refuse canonical ids that do not exist, or that were merged themselves."""
        for entity_id, canonical, further in self._connection.execute(
            "SELECT e.id, e.canonical_id, c.canonical_id FROM entities e LEFT JOIN entities c ON c.tenant = e.tenant AND c.id = e.canonical_id"
            " WHERE e.tenant = ?1 AND e.canonical_id <> e.id AND (c.id IS NULL OR c.canonical_id <> c.id)"
            " AND (e.id IN (SELECT value FROM json_each(?2)) OR e.canonical_id IN (SELECT value FROM json_each(?2)))",
            (self._tenant, json.dumps(ids)),
        ).fetchall():
            if further is None:
                raise NotFoundError(
                    f"no entity {canonical}, into which {entity_id} would be merged", hint="check the id and the tenant"
                )
            raise ConflictError(
                f"entity {entity_id} would be merged into {canonical}, which is merged into {further} itself",
                hint=f"give every entity that was merged into {canonical} the canonical id {further}, in the same batch",
            )

    # -- edges

    def _insert_edges(self, edges: list[Edge], fresh: set[str]) -> None:
        connection, tenant = self._connection, self._tenant
        merged = self._merged_nodes(edges)
        values: list[tuple[Any, ...]] = []
        for edge in edges:
            row = rows.edge_row(edge)
            if merged and (edge.source_id in merged or edge.target_id in merged):
                source, target = merged.get(edge.source_id, row[3]), merged.get(edge.target_id, row[4])
                row = (*row[:3], source, target, *row[5:])
            values.append((tenant, *row))
        connection.executemany(_INSERT_EDGE, values)
        older = [edge.id for edge in edges if edge.owner_id not in fresh]
        if older:
            columns = ", ".join(_OWNER_STATE)
            connection.execute(
                f"UPDATE edges SET ({columns}) = (SELECT {columns} FROM memories m WHERE m.tenant = edges.tenant AND m.id = edges.owner_id)"  # noqa: S608
                " WHERE tenant = ?1 AND id IN (SELECT value FROM json_each(?2))"
                " AND EXISTS (SELECT 1 FROM memories m WHERE m.tenant = edges.tenant AND m.id = edges.owner_id)",
                (tenant, json.dumps(older)),
            )
        mentions = [edge for edge in edges if edge.type is StructureType.MENTIONS]
        known = [(tenant, edge.target_id, self._numbers[edge.source_id]) for edge in mentions if edge.source_id in self._numbers]
        connection.executemany("INSERT OR IGNORE INTO memory_entities (tenant, entity_id, num) VALUES (?, ?, ?)", known)
        connection.executemany(
            "INSERT OR IGNORE INTO memory_entities (tenant, entity_id, num) SELECT ?1, ?2, num FROM memories WHERE tenant = ?1 AND id = ?3",
            [(tenant, edge.target_id, edge.source_id) for edge in mentions if edge.source_id not in self._numbers],
        )

    def _merged_nodes(self, edges: list[Edge]) -> dict[str, str]:
        """Return the canonical id of each merged entity among the ends: a writer may not have seen a merge yet."""
        nodes = {node for edge in edges for node in (edge.source_id, edge.target_id)}
        return dict(
            self._connection.execute(
                "SELECT id, canonical_id FROM entities WHERE tenant = ? AND canonical_id <> id AND id IN (SELECT value FROM json_each(?))",
                (self._tenant, json.dumps(sorted(nodes))),
            ).fetchall()
        )

    # -- jobs, sessions, audit

    def _write_jobs(self) -> None:
        if self._batch.jobs:
            self._connection.executemany(
                "INSERT INTO jobs (tenant, agent_id, id, kind, payload, state, attempts, created_at, lease_until, finished_at, error)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id) DO NOTHING",
                [
                    (
                        self._tenant, self._scope.agent_id, job.id, job.kind, dumps(job.payload, f"payload of job {job.id}"), job.state.value,
                        job.attempts, micros(job.created_at), micros_or_none(job.lease_until), micros_or_none(job.finished_at), job.error,
                    )
                    for job in self._batch.jobs
                ],
            )  # fmt: skip
        for finished in self._batch.finished_jobs:
            self._finish_job(finished)

    def _finish_job(self, finished: FinishedJob) -> None:
        found = self._connection.execute(
            "SELECT state FROM jobs WHERE tenant = ? AND id = ?", (self._tenant, finished.id)
        ).fetchone()
        if found is None:
            raise NotFoundError(f"no job {finished.id}", hint="check the id and the tenant")
        if found[0] == finished.state.value:
            return
        if found[0] in (JobState.DONE.value, JobState.FAILED.value):
            raise ConflictError(f"job {finished.id} is {found[0]} already, and cannot become {finished.state.value}")
        self._connection.execute(
            "UPDATE jobs SET state = ?, finished_at = ?, error = ?, lease_until = NULL WHERE tenant = ? AND id = ?",
            (finished.state.value, micros(finished.finished_at), finished.error, self._tenant, finished.id),
        )

    def _write_session(self, record: SessionRecord) -> None:
        agent = record.agent_id or ""
        values = (
            dumps(record.state, f"state of session {record.id}"), record.version, micros(record.updated_at), micros_or_none(record.ended_at)
        )  # fmt: skip
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
            "INSERT INTO sessions (tenant, agent, id, agent_id, state, version, updated_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (tenant, id, agent) DO UPDATE SET state = excluded.state, version = excluded.version,"
            " updated_at = excluded.updated_at, ended_at = excluded.ended_at",
            (self._tenant, agent, record.id, record.agent_id, *values),
        )

    def _write_audit(self, entries: Sequence[Any]) -> None:
        for entry in entries:
            number = self._connection.execute(
                "INSERT INTO audit (tenant, id, at, actor, action, target_ids, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._tenant, entry.id, micros(entry.at), entry.actor, entry.action, json.dumps(entry.target_ids), entry.reason,
                    dumps(entry.detail, f"detail of audit entry {entry.id}"),
                ),
            ).lastrowid  # fmt: skip
            self._connection.executemany(
                "INSERT OR IGNORE INTO audit_targets (tenant, target_id, entry) VALUES (?, ?, ?)",
                [(self._tenant, target, number) for target in entry.target_ids],
            )


def _gives_way_first(patch: MemoryPatch) -> bool:
    """Sort key: memories that stop being current come first, so that another one may take their content in the same batch."""
    return not (patch.changes.get("is_current") is False or patch.changes.get("status") == Status.REJECTED)


def _merged(before: Entity, names: Iterable[str], kind: EntityType) -> Entity:
    """Return `before` with these spellings as aliases, and the type where it had none; the same object when nothing is new."""
    spellings = dict.fromkeys((before.name, *before.aliases))
    known = len(spellings)
    spellings.update(dict.fromkeys(names))
    changes: dict[str, Any] = {}
    if len(spellings) > known:
        changes["aliases"] = tuple(spellings)[1:]
    if before.type is EntityType.OTHER and kind is not EntityType.OTHER:
        changes["type"] = kind
    return before.model_copy(update=changes) if changes else before
