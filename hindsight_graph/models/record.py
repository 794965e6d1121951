"""What a store writes and gives back besides the nodes: batches, patches, jobs, sessions, audit, statistics."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from hindsight_graph.errors import ConflictError, LeaseLostError
from hindsight_graph.models.access import ApiKey
from hindsight_graph.models.base import Model, UtcDatetime
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType, Status
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory

Vector = NDArray[np.float32]
"""One embedding: float32, shape (dimension,), length 1."""

PATCHABLE = frozenset(
    "status is_current retired_at valid_to closed_at prior_valid_to confidence confirmed_at expires_at ttl weight importance "
    "priority trust tags visibility payload".split()
)
"""Fields of a stored memory that may change; everything else needs a new version."""


OPEN_STATUSES = (Status.ACTIVE, Status.PENDING, Status.STALE, Status.QUARANTINED)
"""States in which a memory can be said again, denied or given another value."""


class NewMemory(Model):
    """A memory with what makes it findable.

    Attributes:
        vector: Its embedding, or None when there is none (`doctor` counts these).
        terms: Its index terms in text order, repeats included (`hindsight_graph.text.tokens.index_terms`).
    """

    memory: Memory
    vector: Vector | None = None
    terms: tuple[str, ...] = ()


class MemoryPatch(Model):
    """A change of one memory's changeable fields; its edges follow in the same transaction.

    Attributes:
        changes: Field name to new value; only names in PATCHABLE.
        add_evidence: (episode id, raw_ref or None) pairs appended to `episode_ids` and `raw_refs`, each once; appended inside
            the transaction, so that two writers who confirm the same memory lose nothing.
        expect_current: Refuse with ConflictError when the memory is no longer current.
        expect_status: Refuse with ConflictError when its status is another: what was decided on a reading of it is void then.
    """

    id: str
    changes: dict[str, Any] = {}
    add_evidence: tuple[tuple[str, str | None], ...] = ()
    expect_current: bool = True
    expect_status: Status | None = None

    def check_status(self, memory: Memory) -> None:
        """Raise ConflictError when `memory` is not in the state this change was decided on."""
        if self.expect_status is not None and memory.status is not self.expect_status:
            raise ConflictError(
                f"memory {self.id} is {memory.status.value} by now, not {self.expect_status.value}: somebody else changed it",
                hint="read it again, and decide again",
            )


class EntityPatch(Model):
    """A change of one entity; edges follow a new canonical id in the same transaction."""

    id: str
    canonical_id: str | None = None
    add_aliases: tuple[str, ...] = ()
    type: EntityType | None = None


class JobState(StrEnum):
    """Where a job stands; the last three are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """Given up after its last attempt: the dead letters. `retry` queues it again."""
    CANCELLED = "cancelled"

    @property
    def is_end(self) -> bool:
        """Whether nothing follows by itself."""
        return self not in (JobState.QUEUED, JobState.RUNNING)


MAX_ATTEMPTS = 5
"""How often a job is tried before it is given up, when nothing else is said."""


class Job(Model):
    """Long work, committed before it is promised.

    Attributes:
        attempts: How often it was claimed, over its whole life; the number of the running attempt is what proves a lease.
        max_attempts: When an attempt with this number fails, the job is given up.
        not_before: A queued job waits until then: backoff, or a schedule.
        lease_until: While running: until when its worker must have shown a sign of life.
        owner: Who claimed it last. cancel_requested: its worker is to stop it.
        error: Why the last attempt failed. result: what it came to, as its kind says.
    """

    id: str
    kind: str
    payload: dict[str, Any]
    state: JobState = JobState.QUEUED
    attempts: int = Field(default=0, ge=0)
    max_attempts: int = Field(default=MAX_ATTEMPTS, ge=1)
    created_at: UtcDatetime
    not_before: UtcDatetime | None = None
    lease_until: UtcDatetime | None = None
    owner: str | None = None
    cancel_requested: bool = False
    finished_at: UtcDatetime | None = None
    error: str = ""
    result: dict[str, Any] = {}


class FinishedJob(Model):
    """The end of a job, or of one attempt (state `queued`), written with its results.

    Attributes:
        attempt: The attempt that ends. Another one running, or the job ended, is a LeaseLostError. None ends the job whoever
            works on it, and counts as an attempt of its own: it ends the others' leases.
        not_before: When the next attempt may begin.
        spared: The attempt is not to count towards `max_attempts`: its worker was stopped, or the store was away.
    """

    id: str
    state: JobState
    finished_at: UtcDatetime
    attempt: int | None = None
    not_before: UtcDatetime | None = None
    spared: bool = False
    error: str = ""
    result: dict[str, Any] = {}

    def outcome(self, state: JobState, attempts: int, *, cancel_requested: bool) -> JobState | None:
        """Return the state to write, given the stored one; None when this end is written already.

        Raises:
            LeaseLostError: It is not this attempt's to end any more.
        """
        if self.attempt is not None:
            if attempts != self.attempt or (state is not JobState.RUNNING and state is not self.state):
                raise LeaseLostError(
                    f"attempt {self.attempt} does not hold job {self.id} any more: it is {state}, at attempt {attempts}",
                    hint="what it did is not written",
                )
        elif state.is_end and state is not self.state:
            raise LeaseLostError(f"job {self.id} is {state} already, and cannot become {self.state}")
        if state is self.state:
            return None
        return JobState.CANCELLED if cancel_requested and self.state is JobState.QUEUED else self.state


class JobAction(StrEnum):
    """What a person may do with a job."""

    CANCEL = "cancel"
    RETRY = "retry"


class JobChange(Model):
    """A cancel (a queued job ends, a running one is asked to) or a retry (a failed or cancelled one is queued again).

    Attributes:
        attempts: How many attempts a retry grants on top of those made.
    """

    id: str
    action: JobAction
    at: UtcDatetime
    attempts: int = Field(default=MAX_ATTEMPTS, ge=1)

    def outcome(self, state: JobState) -> JobState:
        """Return the state after it, given the stored one; `running` means that the worker is asked to stop.

        Raises:
            ConflictError: The job's state forbids it.
        """
        if self.action is JobAction.RETRY:
            if state in (JobState.FAILED, JobState.CANCELLED):
                return JobState.QUEUED
            raise ConflictError(f"job {self.id} is {state}", hint="only failed and cancelled jobs can be tried again")
        if state.is_end:
            raise ConflictError(f"job {self.id} is {state} already", hint="only queued and running jobs can be cancelled")
        return JobState.CANCELLED if state is JobState.QUEUED else JobState.RUNNING


class SessionRecord(Model):
    """A working-memory object as stored.

    Attributes:
        state: The object as JSON values (`hindsight_graph.models.session.WorkingMemory`).
        version: From 1; a write must name the stored version + 1, else ConflictError.
    """

    id: str
    agent_id: str | None = None
    state: dict[str, Any]
    version: int = Field(ge=1)
    updated_at: UtcDatetime
    ended_at: UtcDatetime | None = None


class AuditEntry(Model):
    """Who did what to which ids, and why; no content."""

    id: str
    at: UtcDatetime
    actor: str
    action: str
    target_ids: tuple[str, ...]
    reason: str = ""
    detail: dict[str, Any] = {}


class IdempotencyRecord(Model):
    """A caller's key for one request.

    Attributes:
        request_hash: Hex SHA-256 of the request; another one under the same key is an IdempotencyError.
        response: The answer to give again, as JSON text; None while the work is in progress.
    """

    key: str
    request_hash: str
    response: str | None = None


class SlotExpectation(Model):
    """Which memories a plan found current and active in a slot; a write that finds others is refused, to be planned anew.

    Attributes:
        slot: (normal subject, normal attribute). ids: of that agent's current, active memories that state it.
    """

    agent_id: str | None
    slot: tuple[str, str]
    ids: frozenset[str]


class WriteBatch(Model):
    """Everything one transaction writes: all or nothing, safe to repeat (rows whose id exists are left as they are).

    Of a key that exists, `revoked_at` is set if it was not.
    """

    expected_slots: tuple[SlotExpectation, ...] = ()
    episodes: tuple[Episode, ...] = ()
    memories: tuple[NewMemory, ...] = ()
    entities: tuple[Entity, ...] = ()
    edges: tuple[Edge, ...] = ()
    memory_patches: tuple[MemoryPatch, ...] = ()
    entity_patches: tuple[EntityPatch, ...] = ()
    jobs: tuple[Job, ...] = ()
    finished_jobs: tuple[FinishedJob, ...] = ()
    job_changes: tuple[JobChange, ...] = ()
    keys: tuple[ApiKey, ...] = ()
    sessions: tuple[SessionRecord, ...] = ()
    audit: tuple[AuditEntry, ...] = ()
    idempotency: IdempotencyRecord | None = None


class WriteKeys(Model):
    """What a write in the making is about; `Store.find_precedents` looks up what is stored under it.

    Attributes:
        episode_hashes: Content hashes of its episodes. session_ids: sessions whose next sequence number it needs.
        content_hashes, bands: Of its statements. slots: (normal subject, normal attribute) of those that state one.
        normals: Normal forms of the names in it.
    """

    episode_hashes: tuple[str, ...] = ()
    session_ids: tuple[str, ...] = ()
    content_hashes: tuple[str, ...] = ()
    bands: tuple[int, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()
    normals: tuple[str, ...] = ()


class Precedents(Model):
    """What is stored already that a write may repeat, join or replace.

    Attributes:
        episodes: With one of the content hashes.
        next_sequences: Session id to one more than the highest sequence number in it; sessions without episodes are left out.
        memories: In an open state (`OPEN_STATUSES`): the current ones with one of the content hashes or bands, and all in one of
            the slots, there the superseded ones too. Each once, newest first, ties by id.
        last_said: For memories in one of the slots that several episodes state: the latest event time of these.
        entities: Normal form to entity, as `Store.find_entities` answers.
    """

    episodes: tuple[Episode, ...] = ()
    next_sequences: dict[str, int] = {}
    memories: tuple[Memory, ...] = ()
    last_said: dict[str, datetime] = {}
    entities: dict[str, Entity] = {}


class WriteReceipt(Model):
    """What a write did.

    Attributes:
        repeated: The idempotency key had its answer already: nothing was written, `response` is that answer.
    """

    repeated: bool = False
    response: str | None = None


class EmbeddingModel(Model):
    """Which model made the store's vectors.

    Attributes:
        name: e.g. `hashing-384`; dimension: > 0; preparation: version of the text preparation (prefixes, context).
    """

    name: str
    dimension: int = Field(gt=0)
    preparation: int = 1

    @property
    def knows_meaning(self) -> bool:
        """Whether near vectors mean alike, and not only spelled alike; ranking weighs them by it."""
        return not self.name.startswith("hashing")


class StoreInfo(Model):
    """What a store is: kind, the engine under it with its version, schema version, capabilities, the model of its vectors.

    Attributes:
        filling: The model that is being changed to, while a second set of vectors is filled.
    """

    kind: str
    engine: str
    location: str
    schema_version: int
    capabilities: tuple[str, ...] = ()
    embedding: EmbeddingModel | None = None
    filling: EmbeddingModel | None = None


class UnfilledMemory(Model):
    """A memory that the model being changed to has no vector for yet: what is needed to make one."""

    tenant: str
    id: str
    summary: str
    context: str


class MigrationReport(Model):
    """Schema versions before and after, and the steps between; `applied` is False on a dry run."""

    before: int
    after: int
    steps: tuple[str, ...] = ()
    applied: bool = True


class StoreStats(Model):
    """Counts in one scope."""

    episodes: int = 0
    memories: int = 0
    memories_by_kind: dict[str, int] = {}
    memories_by_status: dict[str, int] = {}
    without_vector: int = 0
    entities: int = 0
    edges: int = 0
    sessions: int = 0
    open_jobs: int = 0
    size_bytes: int = 0


class Counted(Model):
    """How many things of one kind are in one state (memories: status)."""

    kind: str
    state: str
    count: int


class StoreTotals(Model):
    """Numbers of the whole store, all tenants together; never content.

    Attributes:
        conflicts: Contradictions that stand. size_bytes: on disk, or an estimate where the store cannot tell.
        free_bytes: What the disk has left; None where the store cannot tell.
    """

    memories: tuple[Counted, ...] = ()
    jobs: tuple[Counted, ...] = ()
    conflicts: int = 0
    size_bytes: int = 0
    free_bytes: int | None = None


class Caption(NamedTuple):
    """What a memory is called where it is only named: its summary, and where its episodes came from."""

    summary: str
    raw_refs: tuple[str, ...]


class ScoredId(Model):
    """A memory id with its cosine, -1..1."""

    id: str
    score: float


class TextCandidate(Model):
    """A memory that holds at least one queried term.

    Attributes:
        counts: Occurrences of each queried term, in the query's order. length: all its terms.
    """

    id: str
    counts: tuple[int, ...]
    length: int


class TermStats(Model):
    """Statistics over the rows a filter admits: number, mean length in terms, and how many hold each term."""

    documents: int
    average_length: float
    frequencies: dict[str, int]


class EdgePage(Model):
    """One frontier step: edges, and the nodes whose edges were cut at the limit."""

    edges: tuple[Edge, ...]
    truncated: tuple[str, ...] = ()


class StoredPath(Model):
    """A path of node ids (canonical) and the edges between; len(edges) == len(nodes) - 1.

    Attributes:
        closes_cycle: The last node equals an earlier one; the walk went no further there.
    """

    nodes: tuple[str, ...]
    edges: tuple[Edge, ...]
    closes_cycle: bool = False


class StoredPaths(Model):
    """Paths found; `truncated` when a bound (limit, fan-out, expansions) cut the search."""

    paths: tuple[StoredPath, ...]
    truncated: bool = False


Row = TypeVar("Row")


class Page(Model, Generic[Row]):
    """Some rows, and the cursor of the next ones (None at the end)."""

    rows: tuple[Row, ...]
    cursor: str | None = None
