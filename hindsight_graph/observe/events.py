"""The events: what was done, how long it took, how it ended. Ids and numbers only, never a text of a memory or a question."""

from dataclasses import dataclass, field

__all__ = [
    "BreakerChanged",
    "ChainAnswered",
    "ContradictionsFound",
    "Embedded",
    "Event",
    "LlmAsked",
    "RecallAnswered",
    "StageEnded",
    "Written",
]


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A stage of a recall: its name, its wall time, its counts, and whether it fell short."""

    name: str
    seconds: float
    counts: dict[str, int] = field(default_factory=dict[str, int])
    degraded: bool = False


@dataclass(frozen=True, slots=True)
class RecallAnswered:
    """A question was answered.

    Attributes:
        seconds: Wall time. results: on this page. degraded: a stage fell short. conflicts: pairs named in the answer.
        truncated: There was more. memory_ids: of the results, best first.
        failed: Name of the error that was raised instead of an answer, else empty.
    """

    tenant: str
    seconds: float
    results: int = 0
    degraded: bool = False
    truncated: bool = False
    conflicts: int = 0
    stages: tuple[StageEnded, ...] = ()
    memory_ids: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class ChainAnswered:
    """A chain question (`verb`: chain, impact, causes, cycles) was answered; fields as in `RecallAnswered`."""

    tenant: str
    verb: str
    seconds: float
    paths: int = 0
    degraded: bool = False
    truncated: bool = False
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A write ended.

    Attributes:
        verb: remember, retain, update, revert, forget, merge_entities, split_entity.
        actions: Pieces of input by what became of them: kept, merged, superseded, dropped, archived.
        memory_ids: Memories it made or changed. job_id: of deferred extraction.
        failed: Name of the error when nothing was written, else empty.
    """

    tenant: str
    verb: str
    seconds: float
    actions: dict[str, int] = field(default_factory=dict[str, int])
    memory_ids: tuple[str, ...] = ()
    job_id: str | None = None
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """An embedder was asked: for a `question` or for `passages`."""

    of: str
    texts: int
    seconds: float
    failed: str = ""


@dataclass(frozen=True, slots=True)
class LlmAsked:
    """An LLM was asked.

    Attributes:
        purpose: `extraction` or `reflection`. mode: how the answer's form was asked for: json_schema, json_object, text.
        prompt_tokens, completion_tokens: as the endpoint counted. cost: of them, by the configured prices.
        failed: Name of the error when there was no answer, else empty.
    """

    purpose: str
    model: str
    mode: str
    seconds: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    failed: str = ""


@dataclass(frozen=True, slots=True)
class ContradictionsFound:
    """A check found strategies that tell the opposite of each other; so many pairs that were not known."""

    tenant: str
    pairs: int
    memory_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakerChanged:
    """A circuit breaker went to `closed`, `open` or `half_open`."""

    dependency: str
    state: str


Event = RecallAnswered | ChainAnswered | Written | Embedded | LlmAsked | ContradictionsFound | BreakerChanged
