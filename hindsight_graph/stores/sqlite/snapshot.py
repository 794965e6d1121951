"""The store as of one moment: its reads on the reader's connection, in the reader's thread, and programs of them."""

import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hindsight_graph.errors import HindsightGraphError, StoreStalledError
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.record import EdgePage, EmbeddingModel, Page, ScoredId, TermStats, TextCandidate, Vector
from hindsight_graph.resilience.limits import left, within
from hindsight_graph.stores.program import Program, Read, Reply
from hindsight_graph.stores.sqlite import graph, meta, reading, refilling, search
from hindsight_graph.stores.sqlite.connection import translate
from hindsight_graph.stores.sqlite.mirror import Mask, Mirror

Result = TypeVar("Result")

MAX_MIRRORS = 32
"""Tenants whose search data is kept in memory; the one searched longest ago goes first."""
_STEPS = 20_000
"""Steps of SQLite's machine, about a millisecond, between two looks at the clock."""


class Mirrors:
    """The mirrors of the tenants searched last, each in step with the snapshot in which it is asked for.

    Attributes:
        writes: How often this process wrote; `PRAGMA data_version` tells of the writes of others.
    """

    def __init__(self) -> None:
        self.writes = 0
        self._known: OrderedDict[str, tuple[Mirror, tuple[int, int]]] = OrderedDict()

    def __contains__(self, tenant: str) -> bool:
        return tenant in self._known

    def tenants(self) -> list[str]:
        """Return the tenants that have a mirror."""
        return list(self._known)

    def of(self, connection: sqlite3.Connection, tenant: str) -> Mirror:
        """Return the tenant's mirror, in step with the snapshot the connection holds."""
        version = (connection.execute("PRAGMA data_version").fetchone()[0], self.writes)
        known = self._known.pop(tenant, None)
        mirror = known[0] if known else Mirror(tenant)
        if known is None or known[1] != version:
            epoch = int(meta.get_meta(connection, refilling.EPOCH) or 0)
            if mirror.epoch != epoch:
                mirror = Mirror(tenant, epoch)
            mirror.refresh(connection, int(meta.get_meta(connection, "dimension") or 0))
        self._known[tenant] = (mirror, version)
        while len(self._known) > MAX_MIRRORS:
            self._known.popitem(last=False)
        return mirror

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()


class Snapshot:
    """The reads of the protocol that programs are made of, by the same names; the caller holds the transaction.

    Args:
        connection: The reader's. mirrors: What is searched. model: The embedder's model; None before one is recorded.
        blas: Runs matrix products.
    """

    def __init__(
        self, connection: sqlite3.Connection, mirrors: Mirrors, model: EmbeddingModel | None, blas: search.OneThread
    ) -> None:
        self._connection = connection
        self._mirrors = mirrors
        self._model = model
        self._blas = blas
        self._mirror: Mirror | None = None
        self._admitted: list[tuple[Scope, Filter, Mask]] = []
        self._found: tuple[Mask, tuple[str, ...], list[search.Term]] | None = None

    def _searched(self, scope: Scope, where: Filter) -> tuple[Mirror, Mask]:
        """Return the tenant's mirror and which of its rows the filter admits; the mask is shared and must not be changed."""
        mirror = self._mirror_of(scope)
        for known_scope, known, mask in self._admitted:
            if known is where and known_scope is scope:
                return mirror, mask
        mask = mirror.admitted(self._connection, scope, where)
        self._admitted.append((scope, where, mask))
        return mirror, mask

    def _mirror_of(self, scope: Scope) -> Mirror:
        if self._mirror is None or self._mirror.tenant != scope.tenant:
            self._mirror = self._mirrors.of(self._connection, scope.tenant)
        return self._mirror

    def vector_topk(self, scope: Scope, vector: Vector, k: int, where: Filter) -> tuple[ScoredId, ...]:
        """Return the k nearest memories by cosine."""
        mirror, mask = self._searched(scope, where)
        meta.check_model(self._connection, self._model)
        asked = search.check_query(vector, meta.get_meta(self._connection, "dimension"))
        return search.vector_topk(mirror, mask, asked, k, self._blas)

    def text_topk(self, scope: Scope, terms: Sequence[str], k: int, where: Filter) -> tuple[TextCandidate, ...]:
        """Return the k most promising memories holding a term."""
        mirror, mask = self._searched(scope, where)
        return search.text_topk(mirror, mask, terms, self._terms(scope, mirror, mask, terms), k)

    def term_stats(self, scope: Scope, terms: Sequence[str], where: Filter) -> TermStats:
        """Return term statistics over the memories the filter admits."""
        mirror, mask = self._searched(scope, where)
        return search.term_stats(mirror, mask, terms, self._terms(scope, mirror, mask, terms))

    def _terms(self, scope: Scope, mirror: Mirror, mask: Mask, terms: Sequence[str]) -> list[search.Term]:
        """Return where each distinct term stands; statistics and candidates of a recall ask for the same."""
        distinct = tuple(dict.fromkeys(terms))
        known = self._found
        if known is None or known[0] is not mask or known[1] != distinct:
            known = (mask, distinct, search.admitted_terms(self._connection, mirror, scope.tenant, distinct, mask))
            self._found = known
        return known[2]

    def get_memories(self, scope: Scope, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return visible memories in the order asked."""
        return reading.keep_memories(self._connection, scope, ids, self._mirror_of(scope).memories)

    def scan_memories(
        self, scope: Scope, where: Filter, order: Order = Order.RECORDED_NEWEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Memory]:
        """List memories in order."""
        kept = self._mirror_of(scope).memories
        return reading.keep_scanned(self._connection, scope, where, order, cursor, limit, kept)

    def get_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the embeddings of visible memories."""
        mirror = self._mirrors.of(self._connection, scope.tenant) if scope.tenant in self._mirrors else None
        return reading.get_vectors(self._connection, scope, ids, mirror)

    def get_entities(self, scope: Scope, ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities in the order asked."""
        return reading.get_entities(self._connection, scope, ids)

    def find_entities(self, scope: Scope, normals: Sequence[str]) -> dict[str, Entity]:
        """Return the entity of each normal form."""
        return reading.find_entities(self._connection, scope, normals)

    def edges_of(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, limit_per_node: int, view: View
    ) -> EdgePage:
        """Return the newest edges of each node."""
        kept = self._mirror_of(scope).edges
        return graph.edges_of(self._connection, scope, ids, types, direction, limit_per_node, view, kept)

    # -- programs

    def run(self, scope: Scope, program: Program[Result], path: str) -> Result:
        """Run a program of these reads; `path` is the store's, for messages."""
        clock = _Interrupting()
        self._connection.set_progress_handler(clock.is_due, _STEPS)
        try:
            reads = next(program)
            while True:
                reads = program.send(tuple([self._reply(scope, read, path, clock) for read in reads]))
        except StopIteration as end:
            return end.value
        finally:
            self._connection.set_progress_handler(None, 0)
            program.close()

    def _reply(self, scope: Scope, read: Read[Any], path: str, clock: "_Interrupting") -> Reply[Any]:
        method: Callable[..., Any] = getattr(self, read.name)
        began = time.perf_counter()
        error: HindsightGraphError
        try:
            with within(read.seconds):
                clock.begin()
                return Reply(method(scope, *read.arguments, **read.named), None, began, time.perf_counter())
        except HindsightGraphError as raised:
            error = raised
        except sqlite3.Error as raised:
            error = clock.stopped(raised) or translate(raised, path)
        return Reply(None, error, began, time.perf_counter())


class _Interrupting:
    """Ends a statement when the time of its read is over."""

    def __init__(self) -> None:
        self._limit: float | None = None
        self._until: float | None = None

    def begin(self) -> None:
        """Take the time that is left; raises StoreStalledError when there is none."""
        self._limit = left()
        if self._limit is not None and self._limit <= 0:
            raise StoreStalledError("no time was left to ask the store")
        self._until = None if self._limit is None else time.monotonic() + self._limit

    def is_due(self) -> bool:
        """Whether the time is over; SQLite ends the statement then."""
        return self._until is not None and time.monotonic() > self._until

    def stopped(self, error: sqlite3.Error) -> StoreStalledError | None:
        """Return the error of a read that was ended here."""
        if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_INTERRUPT:
            return None
        return StoreStalledError(
            f"the store did not answer within {1000 * (self._limit or 0):.0f} ms", hint="is it overloaded, or stuck?"
        )
