"""One tenant's searchable values in numpy arrays, kept in step with the tables by the change number of each row.

Row n is the memory in slot n. Vectors lie in blocks, so that growth never copies what is there. The mirror belongs to the
reader's thread.
"""

import sqlite3
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.stores.sqlite.kept import Kept
from hindsight_graph.stores.sqlite.packed import KIND_CODES, OPEN, ORIGIN_CODES, OUTCOME_CODES, PACKED, STATUS_CODES
from hindsight_graph.stores.sqlite.postings import Postings
from hindsight_graph.stores.sqlite.predicates import slot_sets
from hindsight_graph.stores.sqlite.rows import micros
from hindsight_graph.stores.sqlite.schema import VECTORS_PER_BLOCK

Mask = NDArray[np.bool_]
_CHUNK = 4096
_GROWTH = 4096
"""Rows of a block of vectors that is added later, a multiple of VECTORS_PER_BLOCK; the first has the rows that were there."""
_COLUMNS = tuple(name for name in PACKED.names or () if name != "spare")
_READ = "SELECT slot, id, agent_id, mirrored, term_ids FROM memories WHERE tenant = :tenant AND"
_READ_NEW = f"{_READ} slot >= :before"
_READ_CHANGED = f"{_READ} seq > 0 AND seq > :change AND slot < :before"
_TIMES = tuple(name for name in _COLUMNS if PACKED[name] == np.dtype("<i8"))


MOST_KEPT = 20_000
"""Memories, and edges, of a tenant that are kept as models: about 2 kB each."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """The rows of a view, and how long they stay: no time of any row lies between the view's `now` and `until` (microseconds)."""

    view: View
    until: int
    mask: Mask

    def serves(self, view: View) -> bool:
        """Whether these are the rows of that view, too."""
        if self.view.now != view.now:
            same = self.view == view.model_copy(update={"now": self.view.now})
            return same and self.view.now < view.now and micros(view.now) < self.until
        return self.view == view


class Mirror:
    """The columns, vectors and postings of one tenant.

    Attributes:
        tenant: Whose.
        epoch: Number of the set of vectors it was read from.
        size: Rows.
        ids: Memory id per row.
        lengths: int32, terms per row.
        blocks: float32 matrices of shape (rows, dimension); rows without an embedding are zero.
        postings: Which rows hold which term.
        memories: Rows that were read as models, in step like everything here.
        edges: Edges that were read as models, by their number; as long as nothing at all is written.
    """

    def __init__(self, tenant: str, epoch: int = 0) -> None:
        self.tenant = tenant
        self.epoch = epoch
        self._change = 0
        self._columns: dict[str, NDArray[Any]] = {name: np.zeros(0, PACKED[name]) for name in _COLUMNS}
        self._agent: NDArray[np.int32] = np.zeros(0, np.int32)
        self._agents: dict[str | None, int] = {None: 0}
        self.size = 0
        self.ids: list[str] = []
        self.lengths: NDArray[np.int32] = np.zeros(0, np.int32)
        self.blocks: list[NDArray[np.float32]] = []
        self.postings = Postings()
        self.memories: Kept[str, Memory] = Kept(MOST_KEPT)
        self.edges: Kept[int, Edge] = Kept(MOST_KEPT)
        self._seen: _Seen | None = None

    # -- keeping in step

    def refresh(self, connection: sqlite3.Connection, dimension: int) -> None:
        """Take in what was written since the last time; the caller holds a snapshot."""
        self.edges.clear()
        found = connection.execute("SELECT next_slot, change FROM tenants WHERE tenant = ?", (self.tenant,)).fetchone()
        if found is None or found[1] == self._change:
            return
        before = self.size
        slots, change = found
        self._grow(slots)
        self._read_rows(connection, before)
        if slots > before and dimension:
            self._read_vectors(connection, before, dimension)
        self._change = change
        self._seen = None

    def _grow(self, size: int) -> None:
        capacity = self.lengths.size
        if size > capacity:
            more = size - capacity if not capacity else max(size - capacity, 1024, capacity // 8)
            for name in _COLUMNS:
                self._columns[name] = np.concatenate((self._columns[name], np.zeros(more, PACKED[name])))
            self._agent = np.concatenate((self._agent, np.zeros(more, np.int32)))
            self.lengths = np.concatenate((self.lengths, np.zeros(more, np.int32)))
        self.ids.extend([""] * (size - self.size))
        self.size = size

    def _read_rows(self, connection: sqlite3.Connection, before: int) -> None:
        """Read the values of every row that is new or changed, and the terms of the new ones."""
        statement = f"{_READ_NEW} UNION ALL {_READ_CHANGED}" if before else _READ_NEW
        cursor = connection.execute(statement, {"tenant": self.tenant, "before": before, "change": self._change})
        tokens: list[bytes] = []
        token_rows: list[NDArray[np.int64]] = []
        while chunk := cursor.fetchmany(_CHUNK):
            slots, ids, agents, packed, terms = zip(*chunk, strict=True)
            self.memories.drop(ids)
            rows = np.array(slots, np.int64)
            in_order = bool((np.diff(rows) == 1).all())
            places = slice(slots[0], slots[-1] + 1) if in_order else rows  # a slice takes a third of the time
            values = np.frombuffer(b"".join(packed), PACKED)
            for name in _COLUMNS:
                self._columns[name][places] = values[name]
            for agent in set(agents):
                self._agents.setdefault(agent, len(self._agents))
            self._agent[places] = list(map(self._agents.__getitem__, agents))
            if in_order:
                self.ids[slots[0] : slots[-1] + 1] = ids
            else:
                for slot, memory_id in zip(slots, ids, strict=True):
                    self.ids[slot] = memory_id
            blobs = [blob if blob and slot >= before else b"" for slot, blob in zip(slots, terms, strict=True)]
            lengths = np.fromiter(map(len, blobs), np.int32, len(blobs)) // 4
            new = rows[lengths > 0]
            self.lengths[new] = lengths[lengths > 0]
            tokens.extend(blobs)
            token_rows.append(np.repeat(rows, lengths))
        if tokens:
            self.postings.add(np.frombuffer(b"".join(tokens), np.int32), np.concatenate(token_rows))

    def _read_vectors(self, connection: sqlite3.Connection, before: int, dimension: int) -> None:
        """Read the vectors of the rows from `before` on; what lies in the same stored block is read again."""
        have = sum(len(block) for block in self.blocks)
        while have < self.size:
            rows = -(-self.size // VECTORS_PER_BLOCK) * VECTORS_PER_BLOCK if not self.blocks else _GROWTH
            self.blocks.append(np.zeros((rows, dimension), np.float32))
            have += rows
        cursor = connection.execute(
            "SELECT block, vectors FROM memory_vectors WHERE tenant = ? AND block >= ? ORDER BY block",
            (self.tenant, before // VECTORS_PER_BLOCK),
        )
        start, number = 0, 0
        for block, vectors in cursor:
            row = block * VECTORS_PER_BLOCK
            while row >= start + len(self.blocks[number]):
                start += len(self.blocks[number])
                number += 1
            self.blocks[number][row - start : row - start + VECTORS_PER_BLOCK] = np.frombuffer(vectors, np.float32).reshape(
                -1, dimension
            )

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return copies of the vectors of some ascending rows, shape (rows, dimension)."""
        parts: list[NDArray[np.float32]] = []
        start = 0
        for block in self.blocks:
            low, high = np.searchsorted(rows, (start, start + len(block)))
            if high > low:
                parts.append(block[rows[low:high] - start])
            start += len(block)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    # -- which rows

    def admitted(self, connection: sqlite3.Connection, scope: Scope, where: Filter) -> Mask:
        """Return which rows the scope sees and the filter admits, shape (size,)."""
        mask = self.in_view(where.view)
        mask &= self._in_scope(scope)
        self._test_columns(where, mask)
        for statement, parameters in slot_sets(where):
            found = connection.execute(statement, {**parameters, "tenant": scope.tenant}).fetchall()
            chosen = np.zeros(self.size, np.bool_)
            chosen[np.fromiter(chain.from_iterable(found), np.int64, len(found))] = True
            mask &= chosen
        return mask

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of one column, shape (size,)."""
        return self._columns[name][: self.size]

    def in_view(self, view: View) -> Mask:
        """Return which rows the time rule lets through, as an array that the caller may change.

        One recall asks four times, and the next one a moment later: the last answer is kept until a row changes or a time comes.
        """
        if self._seen is None or not self._seen.serves(view):
            self._seen = _Seen(view, self._next_time(micros(view.now)), self._holding(view))
        return self._seen.mask.copy()

    def _next_time(self, now: int) -> int:
        """Return the first time after `now` at which a row could come or go."""
        waits = [(self.column(name) - (now + 1)).view(np.uint64).min(initial=OPEN) for name in _TIMES]  # what is past wraps round
        return min(OPEN, now + 1 + int(min(waits)))

    def _holding(self, view: View) -> Mask:
        """Return which rows the time rule lets through: `View.holds`, for all rows at once."""
        status = self.column("status")
        asked = np.zeros(len(Status), np.bool_)
        asked[[STATUS_CODES[name] for name in view.statuses]] = True
        trusted = self.column("trust") >= view.min_trust
        if view.timeless:
            return trusted & asked[status]
        active_code = STATUS_CODES[Status.ACTIVE]
        if view.is_historical:
            asked[STATUS_CODES[Status.SUPERSEDED]] = True
        elif not asked[active_code]:
            return trusted & asked[status]
        known, event = micros(view.record_time), micros(view.event_time)
        lives = self.column("expires_at") > known
        holds = self.column("recorded_at") <= known
        holds &= self.column("retired_at") > known
        holds &= self.column("valid_from") <= event
        valid_to = self.column("valid_to")
        closed_later = self.column("closed_at") > known
        if closed_later.any():
            valid_to = np.where(closed_later, self.column("prior_valid_to"), valid_to)
        holds &= valid_to > event
        is_active = status == active_code
        if view.is_historical:
            return trusted & asked[status] & holds & (lives | ~is_active)
        holds &= lives
        holds &= self.column("is_current")
        holds &= is_active
        asked[active_code] = False
        return trusted & (holds | asked[status]) if asked.any() else trusted & holds

    def _agent_codes(self, agents: tuple[str, ...]) -> list[int]:
        return [self._agents[agent] for agent in agents if agent in self._agents]

    def _in_scope(self, scope: Scope) -> Mask | np.bool_:
        if scope.agent_id is None:
            return np.bool_(True)
        return np.isin(self._agent[: self.size], [0, *self._agent_codes((scope.agent_id,))]) | self.column("is_shared")

    def _test_columns(self, where: Filter, mask: Mask) -> None:
        if where.kinds:
            mask &= np.isin(self.column("kind"), [KIND_CODES[kind] for kind in where.kinds])
        if where.origins:
            mask &= np.isin(self.column("origin"), [ORIGIN_CODES[origin] for origin in where.origins])
        if where.agent_ids:
            mask &= np.isin(self._agent[: self.size], self._agent_codes(where.agent_ids))
        if where.outcome is not None:
            mask &= self.column("outcome") == OUTCOME_CODES[where.outcome]
        if where.since is not None:
            mask &= self.column("valid_from") >= micros(where.since)
        if where.until is not None:
            mask &= self.column("valid_from") < micros(where.until)

    # -- comparing

    def differences(self, connection: sqlite3.Connection, dimension: int) -> list[str]:
        """Say where this mirror differs from one made anew from the tables; vectors are compared block by block."""
        other = Mirror(self.tenant)
        other.refresh(connection, 0)
        if self.ids != other.ids:
            return [f"the mirror of tenant {self.tenant!r} has {self.size} memories, its table {other.size}, or others"]
        found = [name for name in _COLUMNS if not np.array_equal(self.column(name), other.column(name))]
        if self._agents_by_row() != other._agents_by_row():
            found.append("agent_id")
        if not np.array_equal(self.lengths[: self.size], other.lengths[: self.size]) or not self.postings.equals(other.postings):
            found.append("terms")
        for block, vectors in connection.execute("SELECT block, vectors FROM memory_vectors WHERE tenant = ?", (self.tenant,)):
            stored = np.frombuffer(vectors, np.float32).reshape(-1, dimension)
            first = int(block) * VECTORS_PER_BLOCK
            rows = np.arange(first, min(first + VECTORS_PER_BLOCK, self.size), dtype=np.int64)
            if not np.array_equal(self.gather(rows), stored[: rows.size]):
                found.append(f"vectors of block {block}")
                break
        return [f"the mirror of tenant {self.tenant!r} differs from its table in {name}" for name in found]

    def _agents_by_row(self) -> list[str | None]:
        agents = list(self._agents)
        codes: list[int] = self._agent[: self.size].tolist()
        return [agents[code] for code in codes]
