"""Memories: one statement or one lesson. The only thing recall returns."""

from datetime import timedelta
from typing import Any, Self

from pydantic import Field, model_validator

from hindsight_graph.models.base import SUMMARY_LIMIT, Model, UtcDatetime, Words
from hindsight_graph.models.enums import EntityType, Kind, MentionRole, Origin, Outcome, RelationType, Status, Visibility


class Mention(Model):
    """An entity as a memory mentions it.

    Attributes:
        name: As written in this memory.
        entity_id: The entity, before merges; empty until resolved.
    """

    name: Words
    type: EntityType = EntityType.OTHER
    role: MentionRole = MentionRole.TOPIC
    entity_id: str = ""


class Relation(Model):
    """A typed relation a memory states between two named things."""

    source: Words
    type: RelationType
    target: Words
    pattern: str = ""
    confidence: float = Field(default=1.0, ge=0, le=1)


class Slot(Model):
    """A single-valued attribute a memory states: `staging Postgres / port / 5433`."""

    subject: Words
    attribute: Words
    value: Words


class Memory(Model):
    """A memory unit (promise M-01).

    Attributes:
        id: UUIDv7; root_id: the first version's id; version: from 1.
        summary: At most 200 characters, in the language of the source; it keeps negation and constraints.
        context: A little text around it that is indexed but not shown as the statement: a title, a speaker. May be empty.
        language: `en`, `zh`, `mixed` or `other`.
        raw_refs: The callers' names of its evidence, the one that states it first.
        episode_ids: Its evidence, same order of arrival.
        confidence, trust, importance, priority, weight: confidence and trust 0..1; importance > 0 (1.0 succeeded, 1.5
            failed then fixed, 2.0 corrected by a person); priority any integer, higher first; weight 0..1.
        ttl: How long it lives from `recorded_at` or `confirmed_at`; None for ever. expires_at is that moment.
        valid_from, valid_to: Event time, [from, to); None is open.
        closed_at: Record time at which an update closed `valid_to`; prior_valid_to: what it was before.
        recorded_at, retired_at: Record time interval in which it was believed.
        is_current: Not superseded and not retired (event time is compared separately).
        content_hash: Hex SHA-256 of the normalised summary, kind and polarity: the same statement again has the same.
        bands: Signatures of its word set; two memories that share one are near-duplicate candidates.
        payload: Kind-specific fields; JSON.
    """

    id: str
    root_id: str
    version: int = Field(default=1, ge=1)
    kind: Kind
    summary: Words = Field(max_length=SUMMARY_LIMIT)
    context: str = ""
    language: str = "en"
    negated: bool = False
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    slot: Slot | None = None
    raw_refs: tuple[str, ...] = ()
    episode_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    agent_id: str | None = None
    visibility: Visibility = Visibility.SHARED
    session_id: str | None = None
    sequence: int = 0
    origin: Origin = Origin.USER
    trust: float = Field(default=0.9, ge=0, le=1)
    confidence: float = Field(default=0.9, ge=0, le=1)
    importance: float = Field(default=1.0, gt=0, le=10)
    priority: int = 0
    weight: float = Field(default=0.5, ge=0, le=1)
    status: Status = Status.ACTIVE
    media_type: str | None = None
    task_type: str | None = None
    outcome: Outcome | None = None
    tools: tuple[str, ...] = ()
    error_code: str | None = None
    ttl: timedelta | None = None
    expires_at: UtcDatetime | None = None
    valid_from: UtcDatetime
    valid_to: UtcDatetime | None = None
    closed_at: UtcDatetime | None = None
    prior_valid_to: UtcDatetime | None = None
    recorded_at: UtcDatetime
    confirmed_at: UtcDatetime | None = None
    retired_at: UtcDatetime | None = None
    is_current: bool = True
    content_hash: str
    bands: tuple[int, ...] = ()
    payload: dict[str, Any] = {}

    @model_validator(mode="after")
    def _interval_is_forward(self) -> Self:
        if self.valid_to is not None and self.valid_to < self.valid_from:
            raise ValueError(f"valid_to {self.valid_to.isoformat()} is before valid_from {self.valid_from.isoformat()}")
        return self

    @property
    def entity_names(self) -> tuple[str, ...]:
        """Names of the entities it mentions, in order."""
        return tuple(mention.name for mention in self.mentions)
