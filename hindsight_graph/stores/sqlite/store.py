"""The SQLite store: one file, any number of processes, exact search in memory."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from hindsight_graph.errors import InputError, StoreUnavailableError
from hindsight_graph.models.access import ApiKey
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.moving import StoredRow, Table
from hindsight_graph.models.query import MAX_HOPS, EpisodeFilter, Filter, Order, Scope, SystemScope, View
from hindsight_graph.models.record import (
    AuditEntry,
    Caption,
    EdgePage,
    EmbeddingModel,
    IdempotencyRecord,
    Job,
    JobState,
    MigrationReport,
    Page,
    Precedents,
    ScoredId,
    SessionRecord,
    StoredPaths,
    StoreInfo,
    StoreStats,
    StoreTotals,
    TermStats,
    TextCandidate,
    UnfilledMemory,
    Vector,
    WriteBatch,
    WriteKeys,
    WriteReceipt,
)
from hindsight_graph.models.status import Check
from hindsight_graph.stores.program import Program
from hindsight_graph.stores.sqlite import (
    checking,
    graph,
    jobs,
    keys,
    meta,
    moving,
    precedents,
    reading,
    refilling,
    schema,
    search,
    uses,
)
from hindsight_graph.stores.sqlite.connection import Lane, check_path, checkpoint, in_snapshot, in_transaction, read_mounts
from hindsight_graph.stores.sqlite.snapshot import Mirrors, Snapshot
from hindsight_graph.stores.sqlite.terms import TermNumbers
from hindsight_graph.stores.sqlite.totals import totals
from hindsight_graph.stores.sqlite.writing import BatchWriter
from hindsight_graph.stores.walk import Bounds

Result = TypeVar("Result")

MEMORY = ":memory:"
"""The path of a store that lives as long as it is open."""
BULK = 500
"""Memories in a transaction from which on its pages are copied from the log into the file after the caller has the answer, and
plans the next ones meanwhile."""


class SqliteStore:
    """The `Store` protocol on one SQLite file.

    Writes run in one thread on one connection, reads in another; several processes may share the file. What is searched (vectors,
    terms, times, states) is mirrored in memory per tenant at its first search: about 2 kB for a memory of 384 dimensions.

    Args:
        path: The file, made if missing, with its folder; `:memory:` for none.
        busy_timeout: Seconds to wait for another process's write.
        bounds: What one search for paths may cost.
        mounts: Returns the machine's mount table.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        busy_timeout: float = 5.0,
        bounds: Bounds | None = None,
        mounts: Callable[[], str] = read_mounts,
    ) -> None:
        self._path = MEMORY if str(path) == MEMORY else str(Path(path).expanduser().absolute())
        self._busy_timeout = busy_timeout
        self._bounds = bounds or Bounds()
        self._mounts = mounts
        self._writer: Lane | None = None
        self._reader: Lane | None = None
        self._model: EmbeddingModel | None = None
        self._terms = TermNumbers()
        self._mirrors = Mirrors()
        self._blas = search.OneThread()

    # -- life

    async def open(self) -> None:
        """Connect and make the store usable; see `Store.open`."""
        if self._writer is not None:
            return
        if self._path != MEMORY:
            check_path(Path(self._path), self._mounts())
        lane = Lane(self._path, self._busy_timeout, "writer")
        try:
            await lane.open()
            await lane.run(partial(_migrate, path=self._path))
            reader = lane
            if self._path != MEMORY:
                reader = Lane(self._path, self._busy_timeout, "reader")
                try:
                    await reader.open()
                except BaseException:
                    await reader.close()
                    raise
        except BaseException:
            await lane.close()
            raise
        self._writer, self._reader = lane, reader

    async def close(self) -> None:
        """Release everything; safe to call twice."""
        writer, reader = self._writer, self._reader
        self._writer = self._reader = None
        if reader is not None and reader is not writer:
            await reader.close()
        if writer is not None:
            await writer.close()
        self._mirrors.clear()

    async def migrate(self, *, dry_run: bool = False) -> MigrationReport:
        """Bring the schema to this version; works on a store that is not open, too."""
        if self._writer is not None:
            return await self._writer.run(partial(_migrate, path=self._path, dry_run=dry_run))
        if self._path != MEMORY:
            if dry_run and self._is_missing():
                return MigrationReport(before=0, after=schema.SCHEMA_VERSION, steps=schema.pending(0), applied=False)
            check_path(Path(self._path), self._mounts())
        lane = Lane(self._path, self._busy_timeout, "migration")
        try:
            await lane.open()
            return await lane.run(partial(_migrate, path=self._path, dry_run=dry_run))
        finally:
            await lane.close()

    def _is_missing(self) -> bool:
        return not Path(self._path).exists()

    async def info(self) -> StoreInfo:
        """Return kind, location, schema version, capabilities and the embedding model record."""

        def work(connection: sqlite3.Connection) -> StoreInfo:
            return StoreInfo(
                kind="sqlite",
                engine=f"SQLite {sqlite3.sqlite_version}",
                location=self._path,
                schema_version=schema.stored_version(connection, self._path),
                capabilities=("exact_vectors", "exact_text", "many_processes")
                if self._path != MEMORY
                else ("exact_vectors", "exact_text"),
                embedding=meta.read_model(connection),
                filling=refilling.read_next(connection),
            )

        return await self._read(work)

    async def record_model(self, model: EmbeddingModel) -> None:
        """Set the embedding model record of a store that has none; see `Store.record_model`."""
        await self._write(partial(meta.record_model, model=model))
        self._model = model

    async def begin_vectors(self, scope: SystemScope, model: EmbeddingModel) -> None:
        """Begin, or go on, to fill a second set of vectors, by another model; see `Store.begin_vectors`."""
        del scope
        await self._write(partial(refilling.begin, model=model))

    async def unfilled_vectors(self, scope: SystemScope, limit: int = 256) -> tuple[UnfilledMemory, ...]:
        """Return memories that have no vector in the second set; see `Store.unfilled_vectors`."""
        del scope
        return await self._read(partial(refilling.unfilled, limit=limit))

    async def fill_vectors(self, scope: Scope, vectors: Mapping[str, Vector]) -> None:
        """Put vectors into the second set; see `Store.fill_vectors`."""
        await self._write(partial(refilling.fill, scope=scope, vectors=vectors))

    async def filled_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors that these memories have in the second set."""
        return await self._read(partial(refilling.filled, scope=scope, ids=ids))

    async def switch_vectors(self, scope: SystemScope) -> int:
        """Let the second set take the place of the first; see `Store.switch_vectors`."""
        del scope
        return await self._write(refilling.switch)

    async def drop_vectors(self, scope: SystemScope) -> bool:
        """Remove the second set; returns whether there was one."""
        del scope
        return await self._write(refilling.drop)

    async def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        if self._reader is None:
            raise StoreUnavailableError(f"the store {self._path} is not open", hint="open it first")
        return await self._reader.run(in_snapshot(work))

    async def _write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        if self._writer is None:
            raise StoreUnavailableError(f"the store {self._path} is not open", hint="open it first")

        def call(connection: sqlite3.Connection) -> Result:
            result = in_transaction(connection, partial(work, connection))
            self._mirrors.writes += 1
            return result

        return await self._writer.run(call)

    # -- writing

    async def write(self, scope: Scope, batch: WriteBatch) -> WriteReceipt:
        """Write everything in one transaction, or nothing; see `Store.write`."""

        def work(connection: sqlite3.Connection) -> WriteReceipt:
            if any(item.vector is not None for item in batch.memories):
                meta.check_model(connection, self._model)
            return BatchWriter(connection, scope, batch, self._terms).write()

        receipt = await self._write_terms(work)
        if self._writer is not None and len(batch.memories) >= BULK:
            self._writer.afterwards(checkpoint)
        return receipt

    async def import_(self, scope: Scope, table: Table, rows: Sequence[StoredRow]) -> None:
        """Write exported rows in one transaction, exactly as they are; see `Store.import_`."""
        await self._write_terms(partial(moving.import_, scope=scope, table=table, given=rows, terms=self._terms))

    async def _write_terms(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Write what may number new terms."""
        try:
            result = await self._write(work)
        except BaseException:
            self._terms.rolled_back()
            raise
        self._terms.committed()
        return result

    # -- jobs, uses and keys

    async def note_uses(self, scope: Scope, ids: Sequence[str], at: datetime) -> None:
        """Note that memories were retrieved; see `Store.note_uses`."""
        await self._write(partial(uses.note, scope=scope, ids=ids, at=at))

    async def last_uses(self, scope: Scope, ids: Sequence[str]) -> dict[str, datetime]:
        """Return when memories were retrieved last."""
        return await self._read(partial(uses.last, scope=scope, ids=ids))

    async def claim_jobs(
        self,
        scope: SystemScope,
        kinds: Sequence[str],
        limit: int,
        now: datetime,
        lease: timedelta,
        *,
        owner: str | None = None,
        eager: bool = False,
    ) -> tuple[tuple[Scope, Job], ...]:
        """Lease jobs that are due and those whose lease ran out; see `Store.claim_jobs`."""
        del scope
        asked = jobs.Claim(tuple(kinds), limit, now, lease, owner, eager)
        if not await self._read(partial(jobs.has_claimable, asked=asked)):
            return ()
        return await self._write(partial(jobs.claim, asked=asked))

    async def heartbeat(self, scope: Scope, job_id: str, attempt: int, until: datetime) -> Job:
        """Extend a lease; see `Store.heartbeat`."""
        return await self._write(partial(jobs.heartbeat, scope=scope, job_id=job_id, attempt=attempt, until=until))

    async def get_jobs(self, scope: Scope, ids: Sequence[str]) -> tuple[Job, ...]:
        """Return visible jobs in the order asked."""
        return await self._read(partial(jobs.get, scope=scope, ids=ids))

    async def scan_jobs(
        self,
        scope: Scope,
        *,
        states: Sequence[JobState] = (),
        kinds: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Job]:
        """List jobs, newest first."""
        return await self._read(partial(jobs.scan, scope=scope, states=states, kinds=kinds, cursor=cursor, limit=limit))

    async def find_key(self, scope: SystemScope, key_id: str) -> ApiKey | None:
        """Return an API key by its public part."""
        del scope
        return await self._read(partial(keys.find, key_id=key_id))

    async def list_keys(self, scope: Scope | SystemScope, *, limit: int = 1000) -> tuple[ApiKey, ...]:
        """List API keys, oldest first."""
        return await self._read(partial(keys.list_all, scope=scope, limit=limit))

    # -- reading

    async def find_precedents(self, scope: Scope, keys: WriteKeys) -> Precedents:
        """Return what is stored under the keys of a write in the making, in one snapshot."""
        return await self._read(partial(precedents.find_precedents, scope=scope, keys=keys))

    async def find_response(self, scope: Scope, key: str) -> IdempotencyRecord | None:
        """Return the record of an idempotency key, if there is one."""
        return await self._read(partial(reading.find_response, scope=scope, key=key))

    async def get_episodes(self, scope: Scope, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Return visible episodes in the order asked."""
        return await self._read(partial(reading.get_episodes, scope=scope, ids=ids))

    async def get_memories(self, scope: Scope, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return visible memories in the order asked."""
        return await self._read(partial(reading.get_memories, scope=scope, ids=ids))

    async def captions(self, scope: Scope, ids: Sequence[str]) -> dict[str, Caption]:
        """Return what visible memories are called."""
        return await self._read(partial(reading.captions, scope=scope, ids=ids))

    async def get_entities(self, scope: Scope, ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities in the order asked."""
        return await self._read(partial(reading.get_entities, scope=scope, ids=ids))

    async def get_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the embeddings of visible memories."""
        return await self._read(lambda connection: self._snapshot(connection).get_vectors(scope, ids))

    async def get_session(self, scope: Scope, session_id: str) -> SessionRecord | None:
        """Return a working-memory object."""
        return await self._read(partial(reading.get_session, scope=scope, session_id=session_id))

    async def list_sessions(self, scope: Scope, limit: int = 50) -> tuple[SessionRecord, ...]:
        """Return working-memory objects, last written first."""
        return await self._read(partial(reading.list_sessions, scope=scope, limit=limit))

    async def scan_memories(
        self, scope: Scope, where: Filter, order: Order = Order.RECORDED_NEWEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Memory]:
        """List memories in order."""
        return await self._read(partial(reading.scan_memories, scope=scope, where=where, order=order, cursor=cursor, limit=limit))

    async def scan_episodes(
        self, scope: Scope, where: EpisodeFilter, order: Order = Order.EVENT_OLDEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Episode]:
        """List episodes in order."""
        return await self._read(partial(reading.scan_episodes, scope=scope, where=where, order=order, cursor=cursor, limit=limit))

    async def scan_entities(
        self, scope: Scope, *, prefix: str = "", canonical_only: bool = True, cursor: str | None = None, limit: int = 100
    ) -> Page[Entity]:
        """List entities by normal form."""
        return await self._read(
            partial(reading.scan_entities, scope=scope, prefix=prefix, canonical_only=canonical_only, cursor=cursor, limit=limit)
        )

    async def scan_audit(self, scope: Scope, *, target_id: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
        """List audit entries, newest first."""
        return await self._read(partial(reading.scan_audit, scope=scope, target_id=target_id, limit=limit))

    async def find_entities(self, scope: Scope, normals: Sequence[str]) -> dict[str, Entity]:
        """Return the entity of each normal form."""
        return await self._read(partial(reading.find_entities, scope=scope, normals=normals))

    async def tenants(self, scope: SystemScope) -> tuple[str, ...]:
        """Return the name of every tenant that has a row, sorted."""
        del scope
        return await self._read(moving.tenants)

    async def export(self, scope: Scope, table: Table, cursor: str | None = None, limit: int = 500) -> Page[StoredRow]:
        """Return the rows of a tenant as they are stored, in the order in which they were written; see `Store.export`."""
        return await self._read(partial(moving.export, scope=scope, table=table, cursor=cursor, limit=limit))

    async def stats(self, scope: Scope) -> StoreStats:
        """Count what the scope sees."""
        return await self._read(partial(reading.stats, scope=scope))

    async def totals(self, scope: SystemScope) -> StoreTotals:
        """Count the whole file, all tenants together."""
        del scope
        return await self._read(partial(totals, path=self._path))

    # -- searching

    def _snapshot(self, connection: sqlite3.Connection) -> Snapshot:
        return Snapshot(connection, self._mirrors, self._model, self._blas)

    async def run_program(self, scope: Scope, program: Program[Result]) -> Result:
        """Run a program of reads in the reader's thread; see `hindsight_graph.stores.program`."""
        context = copy_context()  # the time that is left is the caller's

        def work(connection: sqlite3.Connection) -> Result:
            return context.run(self._snapshot(connection).run, scope, program, self._path)

        return await self._read(work)

    async def vector_topk(self, scope: Scope, vector: Vector, k: int, where: Filter) -> tuple[ScoredId, ...]:
        """Return the k nearest memories by cosine; exact, best first, ties by id."""
        return await self._read(lambda connection: self._snapshot(connection).vector_topk(scope, vector, k, where))

    async def text_topk(self, scope: Scope, terms: Sequence[str], k: int, where: Filter) -> tuple[TextCandidate, ...]:
        """Return the k most promising memories holding a term; exact in its order (see `sqlite.search`)."""
        return await self._read(lambda connection: self._snapshot(connection).text_topk(scope, terms, k, where))

    async def term_stats(self, scope: Scope, terms: Sequence[str], where: Filter) -> TermStats:
        """Return term statistics over the memories the filter admits."""
        return await self._read(lambda connection: self._snapshot(connection).term_stats(scope, terms, where))

    # -- the graph

    async def edges_of(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, limit_per_node: int, view: View
    ) -> EdgePage:
        """Return the newest edges of each node."""
        return await self._read(
            partial(graph.edges_of, scope=scope, ids=ids, types=types, direction=direction, limit=limit_per_node, view=view)
        )

    async def degrees(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, view: View, cap: int = 1000
    ) -> dict[str, int]:
        """Return how many edges each node has, counting no further than `cap`."""
        return await self._read(
            partial(graph.degrees, scope=scope, ids=ids, types=types, direction=direction, view=view, cap=cap)
        )

    async def paths(
        self,
        scope: Scope,
        sources: Sequence[str],
        targets: Sequence[str] | None,
        types: Sequence[EdgeType],
        direction: Direction,
        max_hops: int,
        limit: int,
        view: View,
    ) -> StoredPaths:
        """Return paths over canonical ids; see `Store.paths` and `hindsight_graph.stores.walk`."""
        if not 1 <= max_hops <= MAX_HOPS:
            raise InputError(f"max_hops is {max_hops}; a chain has 1 to {MAX_HOPS} hops")
        return await self._read(
            partial(
                graph.paths, scope=scope, sources=sources, targets=targets, types=types, direction=direction, max_hops=max_hops,
                limit=limit, view=view, bounds=self._bounds,
            )
        )  # fmt: skip

    async def owned_edges(self, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
        """Return every edge these memories own, whatever its state."""
        return await self._read(partial(graph.owned_edges, scope=scope, memory_ids=memory_ids))

    # -- checking

    async def diagnose(self) -> tuple[Check, ...]:
        """Return nothing: a file has no server."""
        return ()

    async def check(self) -> tuple[str, ...]:
        """Compare tables, indexes and mirrors with each other; one sentence per finding."""

        def work(connection: sqlite3.Connection) -> tuple[str, ...]:
            return checking.check(connection, [self._mirrors.of(connection, tenant) for tenant in self._mirrors.tenants()])

        return await self._read(work)


def _migrate(connection: sqlite3.Connection, path: str, *, dry_run: bool = False) -> MigrationReport:
    version = schema.stored_version(connection, path)
    if version == schema.SCHEMA_VERSION or dry_run:
        return MigrationReport(before=version, after=schema.SCHEMA_VERSION, steps=schema.pending(version), applied=not dry_run)

    def work() -> MigrationReport:
        before = schema.stored_version(connection, path)
        schema.apply(connection, before)
        return MigrationReport(before=before, after=schema.SCHEMA_VERSION, steps=schema.pending(before))

    return in_transaction(connection, work)
