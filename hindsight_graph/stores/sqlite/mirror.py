"""One tenant's searchable columns in numpy arrays, kept in step with the tables by the change number of each row.

A row keeps its place once it has one. Vectors lie in blocks, so that growth never copies what is there. The mirror belongs to the
reader's thread.
"""

import json
import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.models.enums import Kind, Origin, Outcome, Status
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.stores.sqlite.postings import Postings
from hindsight_graph.stores.sqlite.predicates import Where, add_filter, needs_sql
from hindsight_graph.stores.sqlite.rows import micros

Mask = NDArray[np.bool_]
FAR = np.iinfo(np.int64).max
"""Stands for an open end."""
LONG_AGO = np.iinfo(np.int64).min
"""Stands for an open beginning."""
_CHUNK = 4096
_BLOCK = 4096
"""Rows in a block of vectors that grows; the first block has just the rows that were there."""

_STATUS_CODES = {status.value: code for code, status in enumerate(Status)}
_KIND_CODES = {kind.value: code for code, kind in enumerate(Kind)}
_ORIGIN_CODES = {origin.value: code for code, origin in enumerate(Origin)}
_OUTCOME_CODES: dict[str | None, int] = {None: -1, **{outcome.value: code for code, outcome in enumerate(Outcome)}}

_COLUMNS: tuple[tuple[str, str, type[np.generic]], ...] = (
    ("number", "num", np.int64),
    ("recorded_at", "recorded_at", np.int64),
    ("retired_at", f"coalesce(retired_at, {FAR})", np.int64),
    ("valid_from", "valid_from", np.int64),
    ("valid_to", f"coalesce(valid_to, {FAR})", np.int64),
    ("closed_at", f"coalesce(closed_at, {LONG_AGO + 1})", np.int64),
    ("prior_valid_to", f"coalesce(prior_valid_to, {FAR})", np.int64),
    ("expires_at", f"coalesce(expires_at, {FAR})", np.int64),
    ("trust", "trust", np.float64),
    ("is_current", "is_current", np.bool_),
    ("is_shared", "visibility = 'shared'", np.bool_),
    ("status", "status", np.int8),
    ("kind", "kind", np.int8),
    ("origin", "origin", np.int8),
    ("outcome", "outcome", np.int8),
    ("agent", "agent_id", np.int32),
    ("session", "session_id", np.int32),
)
_READ = f"SELECT {', '.join(sql for _, sql, _ in _COLUMNS)}, id, term_ids FROM memories"  # noqa: S608 - column names of ours
_CODES: dict[str, dict[Any, int]] = {
    "status": _STATUS_CODES,
    "kind": _KIND_CODES,
    "origin": _ORIGIN_CODES,
    "outcome": _OUTCOME_CODES,
}


class Mirror:
    """The columns, vectors and postings of one tenant.

    Attributes:
        size: Rows.
        ids: Memory id per row.
        lengths: int32, terms per row. has_vector: whether the row has an embedding.
        postings: Which rows hold which term.
    """

    def __init__(self, tenant: str) -> None:
        self._tenant = tenant
        self._change = 0
        self._capacity = 0
        self._columns: dict[str, NDArray[Any]] = {}
        self._agents: dict[str | None, int] = {None: -1}
        self._sessions: dict[str | None, int] = {None: -1}
        self.size = 0
        self.ids: list[str] = []
        self.lengths: NDArray[np.int32] = np.zeros(0, np.int32)
        self.has_vector: Mask = np.zeros(0, np.bool_)
        self.blocks: list[NDArray[np.float32]] = []
        self.postings = Postings()

    # -- keeping in step

    def refresh(self, connection: sqlite3.Connection, dimension: int) -> None:
        """Take in what was written since the last time; the caller holds a snapshot."""
        change: int = connection.execute(
            "SELECT coalesce(max(seq), 0) FROM memories WHERE tenant = ?", (self._tenant,)
        ).fetchone()[0]
        if change <= self._change:
            return
        since = self._change
        numbers = np.fromiter(
            (
                row[0]
                for row in connection.execute("SELECT num FROM memories WHERE tenant = ? AND seq > ?", (self._tenant, since))
            ),
            np.int64,
        )
        newest = self._columns["number"][self.size - 1] if self.size else 0
        fresh = np.sort(numbers[numbers > newest])
        before = self.size
        self._reserve(before + fresh.size)
        if fresh.size:
            self._columns["number"][before : before + fresh.size] = fresh
            self.size = before + int(fresh.size)
            self.ids.extend([""] * fresh.size)
        self._read_rows(connection, since, before)
        if fresh.size and dimension:
            self._read_vectors(connection, before, dimension)
        self._change = change

    def _reserve(self, rows: int) -> None:
        if rows <= self._capacity:
            return
        self._capacity = rows if not self._capacity else rows + max(1024, rows // 8)
        for name, _, kind in _COLUMNS:
            grown = np.zeros(self._capacity, kind)
            if self.size:
                grown[: self.size] = self._columns[name][: self.size]
            self._columns[name] = grown
        self.lengths = np.concatenate((self.lengths, np.zeros(self._capacity - self.lengths.size, np.int32)))
        self.has_vector = np.concatenate((self.has_vector, np.zeros(self._capacity - self.has_vector.size, np.bool_)))

    def _read_rows(self, connection: sqlite3.Connection, since: int, before: int) -> None:
        """Read the columns of every row that changed, and the terms of the new ones."""
        cursor = connection.execute(f"{_READ} WHERE tenant = ? AND seq > ?", (self._tenant, since))
        tokens: list[bytes] = []
        token_rows: list[NDArray[np.int64]] = []
        token_lengths: list[NDArray[np.int32]] = []
        while chunk := cursor.fetchmany(_CHUNK):
            *columns, ids, terms = zip(*chunk, strict=True)
            rows = self.rows_of(np.array(columns[0], np.int64))
            for (name, _, kind), values in zip(_COLUMNS, columns, strict=True):
                self._columns[name][rows] = self._encode(name, values, kind)
            places: list[int] = rows.tolist()
            for place, memory_id in zip(places, ids, strict=True):
                self.ids[place] = memory_id
            is_new = rows >= before
            lengths = np.array([len(blob) // 4 if blob else 0 for blob in terms], np.int32)
            self.lengths[rows[is_new]] = lengths[is_new]
            tokens.extend(blob for blob, new in zip(terms, is_new.tolist(), strict=True) if blob and new)
            token_rows.append(rows[is_new])
            token_lengths.append(lengths[is_new])
        if tokens:
            rows = np.repeat(np.concatenate(token_rows), np.concatenate(token_lengths))
            self.postings.add(np.frombuffer(b"".join(tokens), np.int32), rows)

    def _encode(self, name: str, values: Sequence[Any], kind: type[np.generic]) -> NDArray[Any]:
        if name in _CODES:
            codes = _CODES[name]
            return np.array([codes[value] for value in values], kind)
        if name in ("agent", "session"):
            known = self._agents if name == "agent" else self._sessions
            return np.array([known.setdefault(value, len(known)) for value in values], kind)
        return np.array(values, kind)

    def _read_vectors(self, connection: sqlite3.Connection, before: int, dimension: int) -> None:
        """Read the vectors of the rows from `before` on."""
        have = sum(len(block) for block in self.blocks)
        while have < self.size:
            rows = self.size - have if not self.blocks else _BLOCK
            self.blocks.append(np.zeros((rows, dimension), np.float32))
            have += rows
        cursor = connection.execute(
            "SELECT v.num, v.vector FROM memories m JOIN memory_vectors v ON v.num = m.num WHERE m.tenant = ? AND m.seq > ? AND m.num >= ?",
            (self._tenant, self._change, int(self._columns["number"][before])),
        )
        while chunk := cursor.fetchmany(_CHUNK):
            rows = self.rows_of(np.array([number for number, _ in chunk], np.int64))
            self._place(rows, np.frombuffer(b"".join(vector for _, vector in chunk), np.float32).reshape(len(chunk), dimension))
            self.has_vector[rows] = True

    def _place(self, rows: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        start = 0
        for block in self.blocks:
            inside = (rows >= start) & (rows < start + len(block))
            if inside.any():
                block[rows[inside] - start] = vectors[inside]
            start += len(block)

    def rows_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of these memory numbers; all must be known."""
        return np.searchsorted(self._columns["number"][: self.size], numbers).astype(np.int64, copy=False)

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
        if needs_sql(where):
            clause = Where()
            clause.add("m.tenant = :tenant", tenant=scope.tenant)
            add_filter(clause, where, "m", mirrored=False)
            found = connection.execute(f"SELECT m.num FROM memories m WHERE {clause.sql}", clause.parameters).fetchall()  # noqa: S608
            chosen = np.zeros(self.size, np.bool_)
            chosen[self.rows_of(np.fromiter(chain.from_iterable(found), np.int64, len(found)))] = True
            mask &= chosen
        return mask

    def _column(self, name: str) -> NDArray[Any]:
        return self._columns[name][: self.size] if self._columns else np.zeros(0, np.int64)

    def in_view(self, view: View) -> Mask:
        """Return which rows the time rule lets through: `View.holds`, for all rows at once."""
        status = self._column("status")
        asked = np.zeros(len(Status), np.bool_)
        asked[[_STATUS_CODES[name.value] for name in view.statuses]] = True
        trusted = self._column("trust") >= view.min_trust
        if view.timeless:
            return trusted & asked[status]
        active_code = _STATUS_CODES[Status.ACTIVE.value]
        if view.is_historical:
            asked[_STATUS_CODES[Status.SUPERSEDED.value]] = True
        elif not asked[active_code]:
            return trusted & asked[status]
        known, event = micros(view.record_time), micros(view.event_time)
        lives = self._column("expires_at") > known
        holds = self._column("recorded_at") <= known
        holds &= self._column("retired_at") > known
        holds &= self._column("valid_from") <= event
        valid_to = self._column("valid_to")
        closed_later = self._column("closed_at") > known
        if closed_later.any():
            valid_to = np.where(closed_later, self._column("prior_valid_to"), valid_to)
        holds &= valid_to > event
        is_active = status == active_code
        if view.is_historical:
            return trusted & asked[status] & holds & (lives | ~is_active)
        holds &= lives
        holds &= self._column("is_current")
        holds &= is_active
        asked[active_code] = False
        return trusted & (holds | asked[status]) if asked.any() else trusted & holds

    def _in_scope(self, scope: Scope) -> Mask | np.bool_:
        if scope.agent_id is None:
            return np.bool_(True)
        agent = self._column("agent")
        return (agent == -1) | (agent == self._agents.get(scope.agent_id, -2)) | self._column("is_shared")

    def _test_columns(self, where: Filter, mask: Mask) -> None:
        if where.kinds:
            mask &= np.isin(self._column("kind"), [_KIND_CODES[kind.value] for kind in where.kinds])
        if where.origins:
            mask &= np.isin(self._column("origin"), [_ORIGIN_CODES[origin.value] for origin in where.origins])
        if where.agent_ids:
            mask &= np.isin(self._column("agent"), [self._agents.get(agent, -2) for agent in where.agent_ids])
        if where.outcome is not None:
            mask &= self._column("outcome") == _OUTCOME_CODES[where.outcome.value]
        if where.session_id is not None:
            mask &= self._column("session") == self._sessions.get(where.session_id, -2)
        if where.since is not None:
            mask &= self._column("valid_from") >= micros(where.since)
        if where.until is not None:
            mask &= self._column("valid_from") < micros(where.until)

    # -- comparing

    def differences(self, connection: sqlite3.Connection, dimension: int) -> list[str]:
        """Say where this mirror differs from one made anew from the tables."""
        other = Mirror(self._tenant)
        other.refresh(connection, dimension)
        found: list[str] = []
        if self.ids != other.ids:
            return [f"mirror of tenant {self._tenant!r} has {self.size} rows, its table has {other.size}"]
        for name, _, _ in _COLUMNS:
            if name in ("agent", "session"):
                mine, theirs = self._words(name), other._words(name)
                same = mine == theirs
            else:
                same = bool(np.array_equal(self._column(name), other._column(name)))
            if not same:
                found.append(f"mirror of tenant {self._tenant!r} differs from the table in {name}")
        if self.size:
            everything = np.arange(self.size)
            if not np.array_equal(self.has_vector[: self.size], other.has_vector[: self.size]) or (
                self.blocks and not np.array_equal(self.gather(everything), other.gather(everything))
            ):
                found.append(f"mirror of tenant {self._tenant!r} differs from the table in its vectors")
            if (
                not np.array_equal(self.lengths[: self.size], other.lengths[: self.size])
                or self.postings.size != other.postings.size
            ):
                found.append(f"mirror of tenant {self._tenant!r} differs from the table in its terms")
        return found

    def _words(self, name: str) -> list[str | None]:
        words = list(self._agents if name == "agent" else self._sessions)
        codes: list[int] = self._column(name).tolist()
        return [None if code == -1 else words[code] for code in codes]


def term_ids(connection: sqlite3.Connection, tenant: str, terms: Sequence[str]) -> list[int | None]:
    """Return the id of each term in the tenant, None for terms no memory has."""
    found: dict[str, int] = dict(
        connection.execute(
            "SELECT term, id FROM terms WHERE tenant = ? AND term IN (SELECT value FROM json_each(?))",
            (tenant, json.dumps(list(terms))),
        ).fetchall()
    )
    return [found.get(term) for term in terms]
