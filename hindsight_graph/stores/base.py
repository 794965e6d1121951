"""The Store: primitive, async, scoped operations. Fusion, decay, walking and scoring are written once above it.

Every method that touches data takes a scope; no value of it means "all tenants". Rows of another tenant do not exist; rows the
scope's agent may not see neither. Methods raise StoreUnavailableError when the store cannot be used at all.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from hindsight_graph.models.access import ApiKey
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.moving import StoredRow, Table
from hindsight_graph.models.query import EpisodeFilter, Filter, Order, Scope, SystemScope, View
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


class Store(Protocol):
    """What both stores do, and what `hindsight_graph.testing` checks."""

    async def open(self) -> None:
        """Connect and make the store usable; migrates an empty or older store. Raises SchemaError for a newer one."""
        ...

    async def close(self) -> None:
        """Release everything; safe to call twice."""
        ...

    async def migrate(self, *, dry_run: bool = False) -> MigrationReport:
        """Bring the schema to this version."""
        ...

    async def info(self) -> StoreInfo:
        """Return kind, location, schema version, capabilities and the embedding model record."""
        ...

    async def record_model(self, model: EmbeddingModel) -> None:
        """Set the embedding model record of a store that has none; raises ModelMismatchError when another is recorded.

        From then on vectors are taken and compared only as long as this stays the recorded model: another process may change it.
        """
        ...

    async def begin_vectors(self, scope: SystemScope, model: EmbeddingModel) -> None:
        """Begin, or go on, to fill a second set of vectors, by another model; the first one goes on to answer.

        Raises:
            ConflictError: A second set by a third model is being filled. InputError: It is the model of the first set.
        """
        ...

    async def unfilled_vectors(self, scope: SystemScope, limit: int = 256) -> tuple[UnfilledMemory, ...]:
        """Return memories of any tenant that have no vector in the second set, by tenant; none when nothing is being filled."""
        ...

    async def fill_vectors(self, scope: Scope, vectors: Mapping[str, Vector]) -> None:
        """Put vectors of a tenant's memories into the second set, by memory id; unknown ids are left out.

        Raises:
            ConflictError: Nothing is being filled. ModelMismatchError: A vector has another dimension than its model.
        """
        ...

    async def filled_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors that these memories have in the second set."""
        ...

    async def switch_vectors(self, scope: SystemScope) -> int:
        """Let the second set take the place of the first, in one transaction, and record its model, unless a memory is missing.

        Returns:
            How many memories have no vector in the second set; 0 when it was switched.

        Raises:
            ConflictError: Nothing is being filled.
        """
        ...

    async def drop_vectors(self, scope: SystemScope) -> bool:
        """Remove the second set; returns whether there was one."""
        ...

    async def write(self, scope: Scope, batch: WriteBatch) -> WriteReceipt:
        """Write everything in one transaction, or nothing.

        Rows whose id exists are left as they are, so a batch may be repeated. Entities merge: an existing one keeps its name
        and gains the new aliases (and the type, where it had `other`). A patch that changes a memory's status, times, trust or
        visibility changes the edges it owns alike. An entity's new canonical id is written on all its edges.

        Raises:
            ConflictError: A patched memory is not current though expected to be; another current, non-rejected memory of the
                same agent has the same content hash; an episode of the same agent has the same content hash under another id;
                a session's version is not the next one; an expected slot is held by other memories than the batch says.
            LeaseLostError: A job that the batch finishes is not at that attempt any more, or has ended otherwise.
            IdempotencyError: The key exists with another request hash.
            NotFoundError: A patch names an id that is not in this tenant.
            ModelMismatchError: A vector's dimension is not the recorded one.
        """
        ...

    async def find_precedents(self, scope: Scope, keys: WriteKeys) -> Precedents:
        """Return what is stored and visible under the keys of a write in the making, all of it as of one moment.

        One round trip where the store can: this stands between a caller and every acknowledged write.
        """
        ...

    async def find_response(self, scope: Scope, key: str) -> IdempotencyRecord | None:
        """Return the record of an idempotency key, if there is one."""
        ...

    async def get_episodes(self, scope: Scope, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Return the episodes that exist and are visible, in the order asked; missing ones are left out."""
        ...

    async def get_memories(self, scope: Scope, ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return the memories that exist and are visible, in the order asked; missing ones are left out."""
        ...

    async def captions(self, scope: Scope, ids: Sequence[str]) -> dict[str, Caption]:
        """Return what those of these memories are called that exist and are visible; cheaper than reading them whole."""
        ...

    async def get_entities(self, scope: Scope, ids: Sequence[str]) -> tuple[Entity, ...]:
        """Return the entities that exist, in the order asked; missing ones are left out."""
        ...

    async def get_vectors(self, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the embeddings of those of these memories that are visible and have one."""
        ...

    async def get_session(self, scope: Scope, session_id: str) -> SessionRecord | None:
        """Return a working-memory object of this scope's agent (any agent's when the scope has none)."""
        ...

    async def list_sessions(self, scope: Scope, limit: int = 50) -> tuple[SessionRecord, ...]:
        """Return the working-memory objects of this scope's agent (of all agents when it has none), last written first."""
        ...

    async def scan_memories(
        self, scope: Scope, where: Filter, order: Order = Order.RECORDED_NEWEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Memory]:
        """List memories; raises CursorError for a cursor of another order or a damaged one."""
        ...

    async def scan_episodes(
        self, scope: Scope, where: EpisodeFilter, order: Order = Order.EVENT_OLDEST, cursor: str | None = None, limit: int = 100
    ) -> Page[Episode]:
        """List episodes, in event order (ties by session sequence, then id)."""
        ...

    async def scan_entities(
        self, scope: Scope, *, prefix: str = "", canonical_only: bool = True, cursor: str | None = None, limit: int = 100
    ) -> Page[Entity]:
        """List entities by normal form; only those that a memory visible to the scope mentions or relates."""
        ...

    async def scan_audit(self, scope: Scope, *, target_id: str | None = None, limit: int = 100) -> tuple[AuditEntry, ...]:
        """List audit entries, newest first."""
        ...

    async def find_entities(self, scope: Scope, normals: Sequence[str]) -> dict[str, Entity]:
        """Return for each normal form the entity with it, by name or by a normalised alias; merged ones answer with themselves.

        Missing forms are left out. A form that is one entity's name and another's alias answers with the name.
        """
        ...

    async def vector_topk(self, scope: Scope, vector: Vector, k: int, where: Filter) -> tuple[ScoredId, ...]:
        """Return the k nearest memories by cosine among those the filter admits; best first, ties by id."""
        ...

    async def text_topk(self, scope: Scope, terms: Sequence[str], k: int, where: Filter) -> tuple[TextCandidate, ...]:
        """Return up to k promising memories holding at least one term, with the counts that BM25 needs."""
        ...

    async def term_stats(self, scope: Scope, terms: Sequence[str], where: Filter) -> TermStats:
        """Return term statistics over the memories the filter admits."""
        ...

    async def edges_of(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, limit_per_node: int, view: View
    ) -> EdgePage:
        """Return the edges at these nodes (canonical ids; no types = all types), newest first per node, visible in the view.

        An edge between two asked nodes comes once.
        """
        ...

    async def degrees(
        self, scope: Scope, ids: Sequence[str], types: Sequence[EdgeType], direction: Direction, view: View, cap: int = 1000
    ) -> dict[str, int]:
        """Return how many such edges each node has, counting no further than `cap`; 0 for unknown nodes."""
        ...

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
        """Return maximal paths from the sources, or all paths to the targets: no node twice, but a last one that closes a cycle.

        Without targets a path is maximal: it ends where no edge leads on, at `max_hops`, or where it closes a cycle. Shorter
        paths first, then by the ids on them. Between the same two nodes and for the same type the best edge counts (trust,
        then confidence, then newest).
        """
        ...

    async def owned_edges(self, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
        """Return every edge these memories own, whatever its state."""
        ...

    async def note_uses(self, scope: Scope, ids: Sequence[str], at: datetime) -> None:
        """Note that memories were retrieved; they themselves stay as they are.

        Only a later moment than the one noted counts; ids that the tenant does not have are passed over.
        """
        ...

    async def last_uses(self, scope: Scope, ids: Sequence[str]) -> dict[str, datetime]:
        """Return when memories were retrieved last; those that never were are absent."""
        ...

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
        """Lease queued jobs that are due and those whose lease ran out, oldest first; each with the scope it was written in.

        No kinds means all. Each claim counts as an attempt. A job whose lease ran out at its last attempt becomes failed, one
        that was to be cancelled becomes cancelled; neither is returned. `eager` takes jobs that were never tried before they
        are due.
        """
        ...

    async def heartbeat(self, scope: Scope, job_id: str, attempt: int, until: datetime) -> Job:
        """Extend the lease of a running job and return the job; raises LeaseLostError when that attempt does not hold it."""
        ...

    async def get_jobs(self, scope: Scope, ids: Sequence[str]) -> tuple[Job, ...]:
        """Return the jobs that exist, of the scope's agent or of none, in the order asked."""
        ...

    async def scan_jobs(
        self,
        scope: Scope,
        *,
        states: Sequence[JobState] = (),
        kinds: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Job]:
        """List jobs, newest first, ties by id; no states and no kinds means all."""
        ...

    async def find_key(self, scope: SystemScope, key_id: str) -> ApiKey | None:
        """Return an API key by its public part, in whatever tenant and state it is."""
        ...

    async def list_keys(self, scope: Scope | SystemScope, *, limit: int = 1000) -> tuple[ApiKey, ...]:
        """List API keys, revoked ones too, oldest first; those of a tenant, or of all."""
        ...

    async def tenants(self, scope: SystemScope) -> tuple[str, ...]:
        """Return the name of every tenant that has a row, sorted."""
        ...

    async def export(self, scope: Scope, table: Table, cursor: str | None = None, limit: int = 500) -> Page[StoredRow]:
        """Return the rows of a tenant as they are stored, whatever their state, in an order that `import_` keeps.

        Of edges, a page holds about `limit`: all that an owner has come together. Each page is read for itself.

        Raises:
            InputError: The scope names an agent. CursorError: the cursor is of another table, or damaged.
        """
        ...

    async def import_(self, scope: Scope, table: Table, rows: Sequence[StoredRow]) -> None:
        """Write exported rows in one transaction, exactly as they are; rows whose id exists are left as they are.

        Tables are to be imported in the order of `Table`, the pages of a table in their order.

        Raises:
            ConflictError: Another row holds what must be unique. ModelMismatchError: A vector has another dimension.
        """
        ...

    async def stats(self, scope: Scope) -> StoreStats:
        """Count what the scope sees."""
        ...

    async def totals(self, scope: SystemScope) -> StoreTotals:
        """Count the whole store, all tenants together."""
        ...

    async def diagnose(self) -> tuple[Check, ...]:
        """Return what is to be known about the place the data lives in, a server for one, each finding with what mends it."""
        ...

    async def check(self) -> tuple[str, ...]:
        """Compare tables, indexes and mirrors with each other; one sentence per finding, none when all agree."""
        ...
