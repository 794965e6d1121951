"""What recall is asked: the question and everything that narrows or tunes its answer."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from hindsight_graph.models.base import TEXT_LIMIT, Model, UtcDatetime, Words
from hindsight_graph.models.enums import Kind, Outcome, Status

MAX_TOP_K = 1000
"""Results of one page at most."""


class RecallQuery(Model):
    """A question to the memory. Every condition must hold; an absent one is no condition.

    Attributes:
        text: The question, in any language.
        top_k: Results of one page, 1..1000.
        graph: Whether entities and relations may bring memories in and lift them; without, vector and keyword alone decide.
        profile: A scoring profile, a preset, or one of each joined by `+` (`multiplicative+short_task`); the names are in
            `hindsight_graph.ranking.profiles`.
        weights: Overrides of the profile's weights by name.
        kinds: Of one of these kinds. entities: mentions one of these, by name or alias. tags: carries all of these.
        agent_id: On whose behalf: that agent's own memories, those of no agent, and shared ones.
        session_id, task_type, outcome, tool, error_code, media_type: Equal to.
        since, until: Event time in [since, until).
        statuses: Status is one of these; only `active` when absent.
        as_of: As it was at that event time. known_at: as it was known at that record time.
        token_budget: Estimated tokens of all results together, at most.
        deadline_ms: Time for this answer, loading included; the configured deadline when absent.
        cursor: `Answer.cursor` of the page before; pages may differ in size and deadline, every other argument is as it was.
    """

    text: Words = Field(max_length=TEXT_LIMIT)
    top_k: int = Field(default=10, ge=1, le=MAX_TOP_K)
    graph: bool = True
    profile: Words = "balanced"
    weights: dict[str, float] | None = None
    kinds: tuple[Kind, ...] | None = None
    entities: tuple[Words, ...] | None = None
    tags: tuple[Words, ...] | None = None
    agent_id: Words | None = None
    session_id: Words | None = None
    since: UtcDatetime | None = None
    until: UtcDatetime | None = None
    task_type: Words | None = None
    outcome: Outcome | None = None
    tool: Words | None = None
    error_code: Words | None = None
    media_type: Words | None = None
    statuses: tuple[Status, ...] | None = None
    as_of: UtcDatetime | None = None
    known_at: UtcDatetime | None = None
    token_budget: int | None = Field(default=None, ge=1)
    deadline_ms: int | None = Field(default=None, ge=1, le=600_000)
    cursor: str | None = None

    @field_validator("kinds", "entities", "tags", "statuses")
    @classmethod
    def _not_empty(cls, values: tuple[object, ...] | None) -> tuple[object, ...] | None:
        if values is not None and not values:
            raise ValueError("is an empty list, which nothing can match; leave it out for no condition")
        return values

    @model_validator(mode="after")
    def _interval_is_forward(self) -> Self:
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise ValueError(f"until {self.until.isoformat()} is not after since {self.since.isoformat()}")
        return self


class RecallSettings(Model):
    """What recall may be told by configuration.

    Attributes:
        candidates: Memories that are read and scored, at most (a page larger than half of it raises it to twice the page).
        deadline_ms: Time for one recall; what is found by then is the answer.
        loading_ms: What the first recall of a tenant may wait before that for the store to load what it searches.
        at_once: Recalls that work at the same time; others wait their turn for eight tenths of their deadline.
        trust_floor: Rows below this trust do not exist for recall, statistics and walks.
        hops: Steps of a walk along relations that the question asks for, 1..6.
        beam: Nodes opened per step. edges_per_node: edges of asked relations read per node, the newest first.
        seeds: Best texts from which bridges start.
        neighbour_sources: Best turns whose neighbours are looked at.
    """

    candidates: int = Field(default=120, ge=1, le=10_000)
    deadline_ms: int = Field(default=500, ge=1)
    loading_ms: int = Field(default=5000, ge=0)
    at_once: int = Field(default=8, ge=1, le=10_000)
    trust_floor: float = Field(default=0.5, ge=0, le=1)
    hops: int = Field(default=4, ge=1, le=6)
    beam: int = Field(default=16, ge=1, le=1000)
    edges_per_node: int = Field(default=32, ge=1, le=10_000)
    seeds: int = Field(default=4, ge=0, le=100)
    neighbour_sources: int = Field(default=60, ge=0, le=1000)
