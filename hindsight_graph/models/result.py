"""What callers get back: receipts, answers with their trace, chains. The same models in Python, CLI `--json`, REST and MCP."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field

from hindsight_graph.models.base import Model, UtcDatetime
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.memory import Memory


class Action(StrEnum):
    """What became of one piece of input."""

    KEPT = "kept"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    DROPPED = "dropped"


class ReceiptItem(Model):
    """One piece of input and its fate.

    Attributes:
        memory_id: The memory it became or was merged into; None when dropped.
        reason: Why, in plain words: "same text as …", "greeting", "new value of staging Postgres / port".
        replaces: For `superseded`: the id of the version that it replaces.
    """

    action: Action
    text: str
    memory_id: str | None = None
    reason: str = ""
    replaces: str | None = None


class Receipt(Model):
    """What a write did.

    Attributes:
        memories: Every memory the call kept or merged into, in the order of the input, each once.
        episode_ids: The committed evidence.
        job_id: The extraction job when extraction was deferred, else None.
        notes: Things a caller should know: a time in the future, an extractor that fell back.
        extractors: What read the statements, name and version, each once; empty when all came ready-made.
    """

    memories: tuple[Memory, ...] = ()
    items: tuple[ReceiptItem, ...] = ()
    episode_ids: tuple[str, ...] = ()
    job_id: str | None = None
    notes: tuple[str, ...] = ()
    extractors: tuple[str, ...] = ()

    def count(self, action: Action) -> int:
        """How many items met that fate."""
        return sum(1 for item in self.items if item.action is action)


def join_receipts(receipts: Sequence[Receipt]) -> Receipt:
    """Return one receipt of several; a memory that several touched comes once, as it became last."""
    if len(receipts) == 1:
        return receipts[0]
    return Receipt.model_construct(
        memories=tuple({memory.id: memory for receipt in receipts for memory in receipt.memories}.values()),
        items=tuple(item for receipt in receipts for item in receipt.items),
        episode_ids=tuple(episode_id for receipt in receipts for episode_id in receipt.episode_ids),
        job_id=next((receipt.job_id for receipt in reversed(receipts) if receipt.job_id), None),
        notes=tuple(dict.fromkeys(note for receipt in receipts for note in receipt.notes)),
        extractors=tuple(dict.fromkeys(name for receipt in receipts for name in receipt.extractors)),
    )


class Component(Model):
    """One part of a score.

    Attributes:
        raw: The number as measured (a cosine, a BM25 score, hours).
        value: After normalisation or decay, what the weight multiplies.
        weight: From the profile.
        contribution: What it adds to the score (for multiplicative profiles: the factor).
    """

    raw: float
    value: float
    weight: float
    contribution: float


class Hop(Model):
    """One step of a path, as stated by one memory.

    Attributes:
        source, target: Names, in the direction of the relation. against: True when the path goes against the arrow.
        raw_refs: Evidence of the stating memory.
        score: Trust x confidence of the edge, 0..1.
    """

    source: str
    relation: EdgeType
    target: str
    memory_id: str
    summary: str = ""
    raw_refs: tuple[str, ...] = ()
    confidence: float = 1.0
    trust: float = 1.0
    valid_from: UtcDatetime | None = None
    valid_to: UtcDatetime | None = None
    score: float = 1.0
    against: bool = False


class GraphPath(Model):
    """A path through the graph: names of the nodes in walking order, and the hops between.

    Attributes:
        closes_cycle: The last node stands on the path already.
        score: Product of the hops' scores, 0..1.
    """

    nodes: tuple[str, ...]
    node_ids: tuple[str, ...]
    hops: tuple[Hop, ...] = ()
    score: float = 1.0
    closes_cycle: bool = False


class Hit(Model):
    """One recalled memory.

    Attributes:
        score: By the profile; comparable inside one answer only.
        components: Name to part; for additive profiles the contributions sum to the score.
        sources: Which channels found it: `vector`, `keyword`, `entity`, `graph`, `neighbour`.
        evidence: raw_refs of its episodes, the one that states it first.
        path: How the graph reached it, where it did.
    """

    memory: Memory
    score: float
    components: dict[str, Component]
    sources: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    path: GraphPath | None = None

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def summary(self) -> str:
        """The memory's summary."""
        return self.memory.summary

    @property
    def kind(self) -> str:
        """The memory's kind."""
        return self.memory.kind.value


class Conflict(Model):
    """Two results that contradict each other; `preferred` comes first in the answer."""

    preferred: str
    other: str
    reason: str


class Stage(Model):
    """What one stage of recall did.

    Attributes:
        milliseconds: Wall time. counts: e.g. {"candidates": 200}. degraded: the reason, where it fell short.
    """

    name: str
    milliseconds: float = Field(ge=0)
    counts: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    degraded: str = ""


class Trace(Model):
    """How an answer came about: the only source of every explanation."""

    query: str
    language: str
    profile: str
    entities: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()


class Answer(Model):
    """What recall returns.

    Attributes:
        truncated: There is more than what was returned; `cursor` gives it.
        degraded: A stage fell short (deadline, failing dependency); `reasons` say which and why.
        tokens: Estimated tokens of the results.
    """

    results: tuple[Hit, ...]
    truncated: bool = False
    cursor: str | None = None
    degraded: bool = False
    reasons: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    tokens: int = 0
    trace: Trace


class Chains(Model):
    """Whole paths from one thing, or between two.

    Attributes:
        start, end: Names as resolved. truncated: a bound cut the search; there may be more.
        cycles: Node names of each cycle met, from its first node round to it again.
        degraded: The deadline came first, or the store did not answer; `notes` say so, and there may be more paths.
    """

    start: str
    end: str | None = None
    direction: Direction
    relations: tuple[EdgeType, ...] = ()
    max_hops: int
    paths: tuple[GraphPath, ...]
    truncated: bool = False
    cycles: tuple[tuple[str, ...], ...] = ()
    degraded: bool = False
    notes: tuple[str, ...] = ()


class Expectation(Model):
    """Where an expected memory stands in an answer (promise R-11).

    Attributes:
        verdict: `returned`, `ranked_low`, `filtered_out`, `no_vector`, `not_stored`.
        rank: Its place, from 1, where it was ranked.
        explanation: In plain words, naming the filter or the component.
        gaps: For `ranked_low`: component to (its contribution, that of the last returned hit).
    """

    memory_id: str
    verdict: str
    rank: int | None = None
    explanation: str
    hit: Hit | None = None
    gaps: dict[str, tuple[float, float]] = {}
