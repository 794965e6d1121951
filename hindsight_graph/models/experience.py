"""An experience as a caller tells it and gets it back: context, action, outcome, lesson (promise X-01)."""

from collections.abc import Mapping
from typing import Any, Self, cast

from hindsight_graph.models.base import Model
from hindsight_graph.models.memory import Memory

EXPERIENCE = "experience"
"""Payload key under which a memory of kind `experience` keeps what was told."""


class ExperienceHit(Model):
    """A memory in the terms of an experience (promise A-04); what was never told is empty, the lesson then its summary.

    Attributes:
        weight: 0..1. score: of the search that found it; None in a list.
    """

    id: str
    context: str
    action: str
    outcome: str
    lesson: str
    tags: tuple[str, ...]
    weight: float
    score: float | None = None

    @classmethod
    def of(cls, memory: Memory, score: float | None = None) -> Self:
        """Return a memory in these terms."""
        kept: Any = memory.payload.get(EXPERIENCE)
        told: Mapping[str, Any] = cast("Mapping[str, Any]", kept) if isinstance(kept, Mapping) else memory.payload
        return cls(
            id=memory.id,
            context=str(told.get("context") or told.get("goal") or ""),
            action=str(told.get("action", "")),
            outcome=str(told.get("ended") or (memory.outcome.value if memory.outcome is not None else "")),
            lesson=str(told.get("lesson") or memory.summary),
            tags=memory.tags,
            weight=memory.weight,
            score=score,
        )
