"""The Neo4j store: one database, any number of processes, the graph as people see it in Neo4j Browser."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from time import time
from typing import Any

from neo4j.exceptions import ConstraintError

from hindsight_graph.errors import InputError, SchemaError
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
from hindsight_graph.stores.neo4j import (
    adding,
    checking,
    graph,
    health,
    jobs,
    keys,
    moving,
    reading,
    refilling,
    schema,
    together,
    twins,
    vectors,
)
from hindsight_graph.stores.neo4j.address import Address, parse_address
from hindsight_graph.stores.neo4j.connection import Connection, Limits, Transaction, new_mark
from hindsight_graph.stores.neo4j.precedents import find_precedents
from hindsight_graph.stores.neo4j.search import Search
from hindsight_graph.stores.neo4j.server import Server, read_server
from hindsight_graph.stores.neo4j.totals import totals
from hindsight_graph.stores.neo4j.warming import plan_statements
from hindsight_graph.stores.neo4j.write_graph import GraphWriter, Known
from hindsight_graph.stores.neo4j.writing import BatchWriter
from hindsight_graph.stores.program import Read
from hindsight_graph.stores.walk import Bounds

_LEDGER_HOURS = 24
_LEDGER_SWEEP = 10_000


class Neo4jStore:
    """The `Store` protocol on a Neo4j database, 5.26 LTS or 2026.x, Community or more.

    Nothing of the data is kept in this process, so any number of them may serve one database; the statistics of tenants with more
    than 2,000 memories are counted at most once a minute.

    Args:
        address: Where the database is, or its store URL.
        password: Of the address's user; None for a server without authentication.
        bounds: What one search for paths may cost.
        limits: How long things may take.
        warn: Make a Python warning of each of the server's notifications.
        wall: This machine's clock in seconds since 1970, to compare with the server's.
    """

    def __init__(
        self,
        address: Address | str,
        password: str | None = None,
        *,
        bounds: Bounds | None = None,
        limits: Limits | None = None,
        warn: bool = False,
        wall: Callable[[], float] = time,
    ) -> None:
        self._address = parse_address(address) if isinstance(address, str) else address
        self._bounds = bounds or Bounds()
        self._connection = Connection(self._address, password, limits or Limits(), warn=warn)
        self._server: Server | None = None
        self._search: Search | None = None
        self._dimension: int | None = None
        self._making_index = asyncio.Lock()
        self._wall = wall
        self._model: EmbeddingModel | None = None
        self._is_ready = False

    # -- life

    async def open(self) -> None:
        """Connect and make the store usable; see `Store.open`. A server that just started plans its statements first: seconds."""
        if self._is_ready:
            return
        try:
            server = await self._connect()
            await schema.migrate(self._connection, dry_run=False)
            record = await vectors.read_record(self._connection)
            self._dimension = record.get("dimension") if record else None
            if self._dimension is not None:
                await vectors.ensure_index(self._connection, self._dimension, filtered=server.filters_vectors)
            self._search = Search(self._connection, filtered=server.filters_vectors)
            await self._forget_old_operations()
            await plan_statements(self._connection, self._search, self._dimension)
        except BaseException:
            await self._connection.close()
            raise
        self._is_ready = True

    async def close(self) -> None:
        """Release everything; safe to call twice."""
        self._is_ready = False
        await self._connection.close()

    async def migrate(self, *, dry_run: bool = False) -> MigrationReport:
        """Bring the schema to this version; works on a store that is not open, too."""
        if self._is_ready:
            return await schema.migrate(self._connection, dry_run=dry_run)
        try:
            await self._connect()
            return await schema.migrate(self._connection, dry_run=dry_run)
        finally:
            await self._connection.close()

    async def _connect(self) -> Server:
        await self._connection.open()
        self._server = await read_server(self._connection)
        if not self._server.is_supported:
            raise SchemaError(
                f"{self._address.shown} is Neo4j {self._server.version}; this store needs 5.26 or newer",
                hint="upgrade the server: docs/neo4j.md names the versions",
            )
        return self._server

    async def _forget_old_operations(self) -> None:
        age = _LEDGER_HOURS * 3_600_000
        await self._connection.change(
            lambda transaction: transaction.run("maintain/drop_old_operations", age=age, limit=_LEDGER_SWEEP)
        )

    def _open_connection(self) -> Connection:
        if not self._is_ready:
            raise InputError(f"the store {self._address.shown} is not open", hint="call open() first")
        return self._connection

    def _searching(self) -> Search:
        if self._search is None or not self._is_ready:
            raise InputError(f"the store {self._address.shown} is not open", hint="call open() first")
        return self._search

    async def info(self) -> StoreInfo:
        """Return kind, location, schema version, capabilities and the embedding model record."""
        connection = self._open_connection()
        server = self._server or await read_server(connection)
        return StoreInfo(
            kind="neo4j",
            engine=f"Neo4j {server.version} {server.edition}",
            location=self._address.shown,
            schema_version=await schema.stored_version(connection),
            capabilities=("many_processes", *server.capabilities),
            embedding=vectors.model_of(await vectors.read_record(connection)),
            filling=await refilling.read_next(connection),
        )

    async def record_model(self, model: EmbeddingModel) -> None:
        """Set the embedding model record of a store that has none; see `Store.record_model`."""
        connection = self._open_connection()
        await connection.change(lambda transaction: vectors.record_model(transaction, model))
        self._model = model
        await self._note_dimension(model.dimension)

    async def begin_vectors(self, scope: SystemScope, model: EmbeddingModel) -> None:
        """Begin, or go on, to fill a second set of vectors, by another model; see `Store.begin_vectors`."""
        del scope
        await self._open_connection().change(lambda transaction: refilling.begin(transaction, model))

    async def unfilled_vectors(self, scope: SystemScope, limit: int = 256) -> tuple[UnfilledMemory, ...]:
        """Return memories that have no vector in the second set; see `Store.unfilled_vectors`."""
        del scope
        return await refilling.unfilled(self._open_connection(), limit)

    async def fill_vectors(self, scope: Scope, vectors: Mapping[str, Vector]) -> None:
        """Put vectors into the second set; see `Store.fill_vectors`."""
        given = dict(vectors)
        await self._open_connection().change(lambda transaction: refilling.fill(transaction, scope, given))

    async def filled_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors that these memories have in the second set."""
        return await refilling.filled(self._open_connection(), scope, ids)

    async def switch_vectors(self, scope: SystemScope) -> int:
        """Let the second set take the place of the first; see `Store.switch_vectors`."""
        del scope
        missing, model = await self._open_connection().change(refilling.switch)
        if not missing:
            await self._note_dimension(model.dimension)
        return missing

    async def drop_vectors(self, scope: SystemScope) -> bool:
        """Remove the second set; returns whether there was one."""
        del scope
        return await self._open_connection().change(refilling.drop)

    async def _note_dimension(self, dimension: int | None) -> None:
        """Make the index when the dimension is known for the first time."""
        if dimension is None or dimension == self._dimension:
            return
        async with self._making_index:
            if dimension != self._dimension:
                server = self._server or await read_server(self._connection)
                await vectors.ensure_index(self._connection, dimension, filtered=server.filters_vectors)
                self._dimension = dimension

    # -- writing

    async def write(self, scope: Scope, batch: WriteBatch) -> WriteReceipt:
        """Write everything in one transaction, or nothing; see `Store.write`."""
        connection = self._open_connection()
        dimension = self._dimension
        mark, in_doubt = new_mark(), False

        async def work(transaction: Transaction, operation: str) -> WriteReceipt:
            nonlocal dimension
            writer = BatchWriter(transaction, scope, batch, operation, self._dimension, self._model)
            receipt = await writer.write()
            dimension = writer.dimension
            return receipt

        try:
            addition = adding.addition_of(scope, batch, dimension, self._model)
            if addition is not None:
                answers, in_doubt = await connection.attempt(adding.STATEMENT, operation=mark, **addition.parameters)
                if answers and answers[0]["fresh"]:
                    await self._merge(scope, addition.met_meanwhile(answers[0]))
                    return WriteReceipt()
            receipt = await connection.write(scope.tenant, work, WriteReceipt(), operation=mark, in_doubt=in_doubt)
        except ConstraintError as error:
            raise await twins.conflict(connection, scope.tenant, batch, str(error.message)) from error
        await self._note_dimension(dimension)
        return receipt

    async def _merge(self, scope: Scope, entities: Sequence[Entity]) -> None:
        if entities:
            await self._open_connection().change(
                lambda transaction: GraphWriter(transaction, scope.tenant, Known()).merge({}, entities)
            )

    async def import_(self, scope: Scope, table: Table, rows: Sequence[StoredRow]) -> None:
        """Write exported rows in one transaction, exactly as they are; see `Store.import_`."""
        connection, known = self._open_connection(), self._dimension

        async def work(transaction: Transaction, operation: str) -> int | None:
            return await moving.import_(transaction, scope, table, rows, operation, known)

        try:
            dimension = await connection.write(scope.tenant, work, known)
        except ConstraintError as error:
            raise await twins.conflict(connection, scope.tenant, moving.batch_of(rows), str(error.message)) from error
        await self._note_dimension(dimension)

    # -- jobs and keys

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
        return await jobs.claim(self._open_connection(), kinds, limit, now, lease, owner, eager=eager)

    async def note_uses(self, scope: Scope, ids: Sequence[str], at: datetime) -> None:
        """Note that memories were retrieved; see `Store.note_uses`."""
        await reading.note_uses(self._open_connection(), scope, ids, at)

    async def last_uses(self, scope: Scope, ids: Sequence[str]) -> dict[str, datetime]:
        """Return when memories were retrieved last."""
        return await reading.last_uses(self._open_connection(), scope, ids)

    async def heartbeat(self, scope: Scope, job_id: str, attempt: int, until: datetime) -> Job:
        """Extend a lease; see `Store.heartbeat`."""
        return await jobs.heartbeat(self._open_connection(), scope, job_id, attempt, until)

    async def get_jobs(self, scope: Scope, ids: Sequence[str]) -> tuple[Job, ...]:
        """Return visible jobs in the order asked."""
        return await jobs.get(self._open_connection(), scope, ids)

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
        return await jobs.scan(self._open_connection(), scope, states, kinds, cursor, limit)

    async def find_key(self, scope: SystemScope, key_id: str) -> ApiKey | None:
        """Return an API key by its public part."""
        del scope
        return await keys.find(self._open_connection(), key_id)

    async def list_keys(self, scope: Scope | SystemScope, *, limit: int = 1000) -> tuple[ApiKey, ...]:
        """List API keys, oldest first."""
        return await keys.list_all(self._open_connection(), scope, limit)

    # -- reading

    async def find_precedents(self, scope: Scope, keys: WriteKeys) -> Precedents:
        """Return what is stored under the keys of a write in the making, by one statement."""
        return await find_precedents(self._open_connection(), scope, keys)

    async def find_response(self, scope: Scope, key: str) -> IdempotencyRecord | None:
        """Return the record of an idempotency key, if there is one."""
        return await reading.find_response(self._open_connection(), scope, key)

    async def get_episodes(self, scope: Scope, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Return visible episodes in the order asked."""
        return await reading.get_episodes(self._open_connection(), scope, ids)

    async def get_memories(self, scope: Scope, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return visible memories in the order asked."""
        return await reading.get_memories(self._open_connection(), scope, ids)

    async def captions(self, scope: Scope, ids: Sequence[str]) -> dict[str, Caption]:
        """Return what visible memories are called."""
        return await reading.captions(self._open_connection(), scope, ids)

    async def get_entities(self, scope: Scope, ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return entities in the order asked."""
        return await reading.get_entities(self._open_connection(), scope, ids)

    async def get_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the embeddings of visible memories."""
        return await reading.get_vectors(self._open_connection(), scope, ids)

    async def get_session(self, scope: Scope, session_id: str) -> SessionRecord | None:
        """Return a working-memory object."""
        return await reading.get_session(self._open_connection(), scope, session_id)

    async def list_sessions(self, scope: Scope, limit: int = 50) -> tuple[SessionRecord, ...]:
        """Return working-memory objects, last written first."""
        return await reading.list_sessions(self._open_connection(), scope, limit)

    async def scan_memories(
        self, scope: Scope, where: Filter, order: Order = Order.RECORDED_NEWEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Memory]:
        """List memories in order."""
        return await reading.scan_memories(self._open_connection(), scope, where, order, cursor, limit)

    async def scan_episodes(
        self, scope: Scope, where: EpisodeFilter, order: Order = Order.EVENT_OLDEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Episode]:
        """List episodes in order."""
        return await reading.scan_episodes(self._open_connection(), scope, where, order, cursor, limit)

    async def scan_entities(
        self, scope: Scope, *, prefix: str = "", canonical_only: bool = True, cursor: str | None = None, limit: int = 100
    ) -> Page[Entity]:
        """List entities by normal form."""
        return await reading.scan_entities(self._open_connection(), scope, prefix, canonical_only, cursor, limit)

    async def scan_audit(self, scope: Scope, *, target_id: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
        """List audit entries, newest first."""
        return await reading.scan_audit(self._open_connection(), scope, target_id, limit)

    async def find_entities(self, scope: Scope, normals: Sequence[str]) -> dict[str, Entity]:
        """Return the entity of each normal form."""
        return await reading.find_entities(self._open_connection(), scope, normals)

    async def tenants(self, scope: SystemScope) -> tuple[str, ...]:
        """Return the name of every tenant that has a row, sorted."""
        del scope
        return await moving.tenants(self._open_connection())

    async def export(self, scope: Scope, table: Table, cursor: str | None = None, limit: int = 500) -> Page[StoredRow]:
        """Return the rows of a tenant as they are stored; see `Store.export`."""
        return await moving.export(self._open_connection(), scope, table, cursor, limit)

    async def stats(self, scope: Scope) -> StoreStats:
        """Count what the scope sees; `size_bytes` is an estimate."""
        return await reading.stats(self._open_connection(), scope, self._dimension)

    async def totals(self, scope: SystemScope) -> StoreTotals:
        """Count the whole database, all tenants together; `size_bytes` is an estimate."""
        del scope
        return await totals(self._open_connection(), self._dimension)

    # -- searching

    async def vector_topk(self, scope: Scope, vector: Vector, k: int, where: Filter) -> tuple[ScoredId, ...]:
        """Return the k nearest memories by cosine, best first, ties by id: exact among few, from the vector index among many."""
        search = self._searching()
        if self._dimension is None:
            record = await vectors.read_record(self._connection)
            await self._note_dimension(record.get("dimension") if record else None)
        return await search.vectors(scope, vectors.check_query(vector, self._dimension), k, where, self._model)

    async def text_topk(self, scope: Scope, terms: Sequence[str], k: int, where: Filter) -> tuple[TextCandidate, ...]:
        """Return the k most promising memories holding a term; see `neo4j.search`."""
        return await self._searching().texts(scope, terms, k, where)

    async def term_stats(self, scope: Scope, terms: Sequence[str], where: Filter) -> TermStats:
        """Return term statistics over the memories the filter admits."""
        return await self._searching().statistics(scope, terms, where)

    # -- the graph

    async def edges_of(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, limit_per_node: int, view: View
    ) -> EdgePage:
        """Return the newest edges of each node."""
        read = graph.EdgesRead(ids, types, direction, limit_per_node)
        return (await graph.edges_of(self._open_connection(), scope, (read,), view))[0]

    async def degrees(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, view: View, cap: int = 1000
    ) -> dict[str, int]:
        """Return how many edges each node has, counting no further than `cap`."""
        return await graph.degrees(self._open_connection(), scope, ids, types, direction, view, cap)

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
        return await graph.paths(
            self._open_connection(), scope, sources, targets, types, direction, max_hops, limit, view, self._bounds
        )

    async def owned_edges(self, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
        """Return every edge these memories own, whatever its state."""
        return await graph.owned_edges(self._open_connection(), scope, memory_ids)

    # -- several reads at once

    def together(self, reads: Sequence[Read[Any]]) -> list[list[int]]:
        """Return which reads of a step are answered by one statement; see `program.ReadsTogether`."""
        return together.together(reads) if self._dimension is not None else [[place] for place in range(len(reads))]

    async def read_together(self, scope: Scope, reads: Sequence[Read[Any]]) -> tuple[Any, ...]:
        """Answer a group of reads by one statement."""
        connection = self._open_connection()
        if reads[0].name == together.EDGES:
            edges, view = together.edges_reads(reads)
            return await graph.edges_of(connection, scope, edges, view)
        return await together.memories_and_cosines(connection, scope, reads, self._dimension, self._model)

    # -- checking

    async def diagnose(self) -> tuple[Check, ...]:
        """Look at the server: reachable, version, schema, indexes, clock; each finding with the command that mends it."""
        return await health.diagnose(self._open_connection(), self._wall())

    async def check(self) -> tuple[str, ...]:
        """Compare nodes, edges and indexes with each other; one sentence per finding."""
        connection = self._open_connection()
        record = await vectors.read_record(connection)
        return await checking.check(connection, record.get("dimension") if record else None)
