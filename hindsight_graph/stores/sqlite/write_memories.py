"""Writing memories: new ones with their terms, vector and index rows, and patches with the edges that follow."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from hindsight_graph.errors import ConflictError, EmbeddingError, InputError, ModelMismatchError, NotFoundError
from hindsight_graph.models.enums import Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import PATCHABLE, MemoryPatch, NewMemory, Vector
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.meta import get_meta, set_meta
from hindsight_graph.stores.sqlite.packed import has_vector, pack
from hindsight_graph.stores.sqlite.predicates import CONTENT_HOLDS
from hindsight_graph.stores.sqlite.rows import key_of
from hindsight_graph.stores.sqlite.schema import VECTORS_PER_BLOCK
from hindsight_graph.stores.sqlite.terms import TermNumbers
from hindsight_graph.stores.sqlite.twins import same_content

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
_READ = f"SELECT {rows.memory_read('m')}, m.num, m.slot, m.mirrored FROM memories m WHERE m.tenant = ? AND m.id = ?"
_INSERT = (
    f"INSERT INTO memories (tenant, slot, seq, mirrored, term_ids, slot_normal, {', '.join(rows.MEMORY_COLUMNS)})"
    f" VALUES (?, ?, ?, ?, ?, ?{', ?' * len(rows.MEMORY_COLUMNS)})"
)


class MemoryWriter:
    """Writes memories of one tenant through a connection that holds the write transaction.

    Attributes:
        slots: Slot of each memory that was inserted here, by id.
    """

    def __init__(self, connection: sqlite3.Connection, tenant: str, terms: TermNumbers) -> None:
        self._connection = connection
        self._tenant = tenant
        self._terms = terms
        self._change = 0
        self.slots: dict[str, int] = {}

    def _change_number(self) -> int:
        """Return the change number of this transaction, at which mirrors see that a memory is another."""
        if not self._change:
            self._change = self._connection.execute(
                "UPDATE tenants SET change = change + 1 WHERE tenant = ? RETURNING change", (self._tenant,)
            ).fetchone()[0]
        return self._change

    # -- new memories

    def insert(self, items: Sequence[NewMemory]) -> None:
        """Insert memories whose ids are new."""
        connection, tenant = self._connection, self._tenant
        dimension = self._check_vectors(items)
        first = self._take_slots(len(items))
        numbers = self._terms.resolve(connection, tenant, {term for item in items for term in item.terms})
        values: list[tuple[Any, ...]] = []
        for slot, item in enumerate(items, first):
            memory = item.memory
            terms = np.array([numbers[term] for term in item.terms], np.int32).tobytes() if item.terms else None
            normal = key_of(memory.slot.subject) if memory.slot else None
            packed = pack(memory, has_vector=item.vector is not None)
            values.append((tenant, slot, 0, packed, terms, normal, *rows.memory_row(memory)))
            self.slots[memory.id] = slot
        try:
            connection.executemany(_INSERT, values)
        except sqlite3.IntegrityError as error:
            memories = [item.memory for item in items]
            raise same_content(connection, tenant, "memory", "memories", memories, CONTENT_HOLDS) from error
        if dimension:
            self._insert_vectors(items, first, dimension)
        for table, column in (("tags", "tag"), ("tools", "tool"), ("bands", "band")):
            index = [(tenant, value, slot) for slot, item in enumerate(items, first) for value in getattr(item.memory, table)]
            index.sort()  # in the order of the table, each of its pages is touched once
            if index:
                connection.executemany(f"INSERT OR IGNORE INTO memory_{table} (tenant, {column}, slot) VALUES (?, ?, ?)", index)

    def _take_slots(self, count: int) -> int:
        """Return the first of `count` slots that are this transaction's; its change number comes with them."""
        after, self._change = self._connection.execute(
            "INSERT INTO tenants (tenant, next_slot, change) VALUES (?1, ?2, 1)"
            " ON CONFLICT (tenant) DO UPDATE SET next_slot = next_slot + ?2, change = change + 1 RETURNING next_slot, change",
            (self._tenant, count),
        ).fetchone()
        return int(after) - count

    def _check_vectors(self, items: Sequence[NewMemory]) -> int:
        """Return the store's dimension, 0 when no item has a vector and none is known."""
        known = get_meta(self._connection, "dimension")
        dimension = int(known or 0)
        for item in items:
            if item.vector is not None:
                if not dimension and item.vector.ndim == 1:
                    dimension = int(item.vector.shape[0])
                _check_vector(item.memory.id, item.vector, dimension)
        if known is None and dimension:
            set_meta(self._connection, "dimension", dimension)
        return dimension

    def _insert_vectors(self, items: Sequence[NewMemory], first: int, dimension: int) -> None:
        """Put the vectors in their places: whole new blocks at once, the rest into the block that is there."""
        blocks: dict[int, list[tuple[int, Vector]]] = {}
        for slot, item in enumerate(items, first):
            if item.vector is not None:
                blocks.setdefault(slot // VECTORS_PER_BLOCK, []).append((slot % VECTORS_PER_BLOCK, item.vector))
        width = 4 * dimension
        for block, vectors in blocks.items():
            found = self._connection.execute(
                "SELECT num FROM memory_vectors WHERE tenant = ? AND block = ?", (self._tenant, block)
            ).fetchone()
            if found is None:
                filled = bytearray(width * VECTORS_PER_BLOCK)
                for place, vector in vectors:
                    filled[place * width : (place + 1) * width] = vector.tobytes()
                self._connection.execute(
                    "INSERT INTO memory_vectors (tenant, block, vectors) VALUES (?, ?, ?)", (self._tenant, block, filled)
                )
                continue
            with self._connection.blobopen("memory_vectors", "vectors", found[0]) as blob:
                for place, vector in vectors:
                    blob.seek(place * width)
                    blob.write(vector.tobytes())

    # -- patches

    def patch(self, patches: Sequence[MemoryPatch], *, is_repeat: bool) -> None:
        """Change memories and the edges they own; those that stop being current first.

        Args:
            patches: The changes.
            is_repeat: Everything else of the batch was written before: a patch that has taken effect is no conflict then.
        """
        for patch in sorted(patches, key=_gives_way_first):
            self._patch(patch, is_repeat=is_repeat)

    def _patch(self, patch: MemoryPatch, *, is_repeat: bool) -> None:
        unknown = sorted(patch.changes.keys() - PATCHABLE)
        if unknown:
            raise InputError(
                f"memory {patch.id}: {', '.join(unknown)} may not change", hint="write a new version that supersedes this one"
            )
        row = self._connection.execute(_READ, (self._tenant, patch.id)).fetchone()
        if row is None:
            raise NotFoundError(f"no memory {patch.id}", hint="check the id and the tenant")
        memory, (number, slot, packed) = rows.memory_of(row[:-3]), row[-3:]
        patched, columns = rows.patched(memory, {**patch.changes, **_more_evidence(memory, patch)})
        if patch.expect_current and not memory.is_current:
            if is_repeat and patched == memory:
                return
            raise ConflictError(
                f"memory {patch.id} is no longer current (status {memory.status.value})",
                hint="read its history and change the newest version",
            )
        if not (is_repeat and patched == memory):
            patch.check_status(memory)
        if patched == memory:
            return
        sets = ", ".join(f"{name} = ?" for name in columns)
        mirrored = pack(patched, has_vector=has_vector(packed))
        try:
            self._connection.execute(
                f"UPDATE memories SET seq = ?, mirrored = ?, {sets} WHERE num = ?",
                (self._change_number(), mirrored, *columns.values(), number),
            )
        except sqlite3.IntegrityError as error:
            raise same_content(self._connection, self._tenant, "memory", "memories", [memory], CONTENT_HOLDS) from error
        if patched.tags != memory.tags:
            self._connection.execute(
                "DELETE FROM memory_tags WHERE tenant = ? AND slot = ? AND tag IN (SELECT value FROM json_each(?))",
                (self._tenant, slot, rows.dumps(memory.tags, "tags")),
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO memory_tags (tenant, tag, slot) VALUES (?, ?, ?)",
                [(self._tenant, tag, slot) for tag in patched.tags],
            )
        copies = {name: columns[name] for name in _EDGE_COPIES if name in columns}
        if copies:
            sets = ", ".join(f"{name} = ?" for name in copies)
            self._connection.execute(
                f"UPDATE edges SET {sets} WHERE tenant = ? AND owner_id = ?", (*copies.values(), self._tenant, patch.id)
            )


def _check_vector(memory_id: str, vector: Vector, dimension: int) -> None:
    if vector.ndim != 1 or vector.shape[0] != dimension:
        raise ModelMismatchError(
            f"the vector of memory {memory_id} has shape {vector.shape}; this store's vectors have dimension {dimension}",
            hint="use the embedding model of this store (`hindsight-graph doctor` names it)",
        )
    length = float(np.dot(vector, vector))
    if vector.dtype != np.float32 or not 0.98 < length < 1.02:
        raise EmbeddingError(
            f"the vector of memory {memory_id} is {vector.dtype} with squared length {length:.4g}, not float32 with 1",
            hint="normalise it before it is written",
        )


def _gives_way_first(patch: MemoryPatch) -> bool:
    """Sort key: memories that stop being current come first, so that another one may take their content in the same batch."""
    return not (patch.changes.get("is_current") is False or patch.changes.get("status") == Status.REJECTED)


def _more_evidence(memory: Memory, patch: MemoryPatch) -> dict[str, tuple[str, ...]]:
    """Return the evidence columns with what the patch adds, each once and in order; nothing when it adds nothing new."""
    if not patch.add_evidence:
        return {}
    episodes = (*memory.episode_ids, *(episode_id for episode_id, _ in patch.add_evidence))
    references = (*memory.raw_refs, *(raw_ref for _, raw_ref in patch.add_evidence if raw_ref is not None))
    return {"episode_ids": tuple(dict.fromkeys(episodes)), "raw_refs": tuple(dict.fromkeys(references))}
