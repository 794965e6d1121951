"""What callers hand over to be remembered: a statement, a ready-made unit."""

import json
from datetime import timedelta
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from hindsight_graph.models.base import TEXT_LIMIT, Model, Text, UtcDatetime, Words
from hindsight_graph.models.enums import Kind, Origin, Outcome, RelationType, Visibility
from hindsight_graph.models.memory import Relation, Slot

MAX_LIST = 500
"""Names, tags or relations in one unit at most."""
_RELATION_TYPES = dict(RelationType.__members__)


def relation_type(name: object) -> object:
    """Return the relation type meant by `name` (any case, blanks or hyphens for underscores)."""
    if isinstance(name, str) and not isinstance(name, RelationType):
        meant = _RELATION_TYPES.get(name.strip().upper().replace(" ", "_").replace("-", "_"))
        if meant is None:
            raise ValueError(f"unknown relation {name!r}; one of {', '.join(RelationType)}")
        return meant
    return name


RelationName = Annotated[RelationType, BeforeValidator(relation_type)]
"""A relation type as people write it: `depends on`, `DEPENDS_ON`."""


def _as_relation(value: object) -> object:
    if isinstance(value, str):
        words = value.split()
        for index in range(1, len(words) - 1):
            if words[index] in RelationType.__members__:
                return Relation(
                    source=" ".join(words[:index]), type=RelationType(words[index]), target=" ".join(words[index + 1 :])
                )
        raise ValueError(f"{value!r} is not of the form 'A DEPENDS_ON B'; relations are {', '.join(RelationType)}")
    if isinstance(value, list | tuple):
        parts: list[object] = list(value)  # pyright: ignore[reportUnknownArgumentType]
        if len(parts) != 3:
            raise ValueError(f"a relation is (source, type, target), not {len(parts)} parts")
        return {"source": parts[0], "type": relation_type(parts[1]), "target": parts[2]}
    if isinstance(value, dict) and "type" in value:
        given: dict[str, object] = {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return {**given, "type": relation_type(given["type"])}
    return value  # pyright: ignore[reportUnknownVariableType]


GivenRelation = Annotated[Relation, BeforeValidator(_as_relation)]
"""A relation as callers write it: a tuple, a mapping, or text `A DEPENDS_ON B`."""


class Unit(Model):
    """One thing to remember, with what the caller knows about it; only the text is required.

    Attributes:
        summary: The statement. Longer than 200 characters it is split, each part a memory.
        entities, relations: Given ones (even empty lists) switch extraction off for this unit.
        occurred_at: Event time, the start of its validity; the time of the call when absent. valid_to: its end, exclusive.
        context: A little text around it that is indexed with it but not part of the statement.
        ttl_days: 0 means for ever; absent means the default of its kind.
        pending: It awaits a person's review and is not recalled until then.
    """

    summary: Words = Field(max_length=TEXT_LIMIT)
    kind: Kind | None = None
    entities: tuple[Words, ...] | None = Field(default=None, max_length=MAX_LIST)
    relations: tuple[GivenRelation, ...] | None = Field(default=None, max_length=MAX_LIST)
    raw_ref: Words | None = None
    occurred_at: UtcDatetime | None = None
    valid_to: UtcDatetime | None = None
    session_id: Words | None = None
    tags: tuple[Words, ...] = Field(default=(), max_length=MAX_LIST)
    agent_id: Words | None = None
    visibility: Visibility | None = None
    origin: Origin = Origin.USER
    confidence: float | None = Field(default=None, ge=0, le=1)
    importance: float = Field(default=1.0, gt=0, le=10)
    priority: int = Field(default=0, ge=-1_000_000, le=1_000_000)
    ttl_days: float | None = Field(default=None, ge=0, le=36_500)
    media_type: Words | None = None
    task_type: Words | None = None
    outcome: Outcome | None = None
    tools: tuple[Words, ...] = Field(default=(), max_length=MAX_LIST)
    error_code: Words | None = None
    slot: Slot | None = None
    payload: dict[str, Any] = {}
    context: Text = Field(default="", max_length=1_000)
    pending: bool = False

    @field_validator("entities", "relations", "tags", "tools", mode="before")
    @classmethod
    def _one_text_is_not_a_list(cls, value: object) -> object:
        if isinstance(value, str):
            raise ValueError(f"takes a list, not one text: [{value!r}]")
        return value

    @field_validator("payload")
    @classmethod
    def _payload_is_json(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"lone surrogate U+{ord(error.object[error.start]):04X}; remove it and try again") from error
        except (TypeError, ValueError) as error:
            raise ValueError(f"is not JSON ({error}); use text, finite numbers, booleans, lists and mappings") from error
        return value

    @model_validator(mode="after")
    def _interval_is_forward(self) -> Self:
        if self.valid_to is not None and self.occurred_at is not None and self.valid_to < self.occurred_at:
            raise ValueError(f"valid_to {self.valid_to.isoformat()} is before occurred_at {self.occurred_at.isoformat()}")
        return self

    @property
    def is_ready_made(self) -> bool:
        """Whether the caller did the extraction."""
        return self.entities is not None or self.relations is not None

    @property
    def ttl(self) -> timedelta | None:
        """The given time to live; None when absent or for ever."""
        return timedelta(days=self.ttl_days) if self.ttl_days else None
