"""An experience as a caller tells it and gets it back: context, action, outcome, lesson (promise X-01)."""

from typing import Any, Self

from pydantic import Field

from hindsight_graph.models.base import SUMMARY_LIMIT, Model, Text, UtcDatetime, Words
from hindsight_graph.models.enums import Kind, Origin, Outcome
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.write import Unit

EXPERIENCE = "experience"
"""Payload key under which a memory of kind `experience` keeps what was told."""
_WHOLE = ("context", "action", "outcome", "lesson", "tags", "task_type")


class ToldExperience(Model):
    """What was tried and how it ended, in a caller's words; the words are kept whole, the memory's summary says the most of it.

    Attributes:
        lesson: What to do next time, one sentence; may be empty.
        tools: Those used; they are what the memory is about.
    """

    context: Words = Field(max_length=4_000)
    action: Words = Field(max_length=4_000)
    outcome: Outcome
    lesson: Text = Field(default="", max_length=1_000)
    tags: tuple[Words, ...] = Field(default=(), max_length=50)
    task_type: Words | None = Field(default=None, max_length=200)
    tools: tuple[Words, ...] = Field(default=(), max_length=50)
    error_code: Words | None = Field(default=None, max_length=200)
    session_id: Words | None = Field(default=None, max_length=200)
    occurred_at: UtcDatetime | None = None

    @property
    def summary(self) -> str:
        """One statement of at most 200 characters: the lesson, then as much of what happened as there is room for."""
        happened = f"{self.context}: {self.action} → {self.outcome.value}"
        lesson = self.lesson.strip()
        if not lesson:
            return _clipped(happened, SUMMARY_LIMIT)
        room = SUMMARY_LIMIT - len(lesson) - 3
        return f"{lesson} ({_clipped(happened, room)})" if room >= 40 else _clipped(lesson, SUMMARY_LIMIT)

    def unit(self, origin: Origin) -> Unit:
        """Return what the engine is to remember; `remember` takes it as it is, as one memory."""
        return Unit(
            summary=self.summary,
            kind=Kind.EXPERIENCE,
            entities=self.tools,
            relations=(),
            tags=self.tags,
            task_type=self.task_type,
            outcome=self.outcome,
            tools=self.tools,
            error_code=self.error_code,
            session_id=self.session_id,
            occurred_at=self.occurred_at,
            origin=origin,
            context=f"{self.context} {self.action}"[:1_000],
            payload={EXPERIENCE: {**self.model_dump(mode="json", include=set(_WHOLE)), "reflected": False}},
        )


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
        told: dict[str, Any] = memory.payload.get(EXPERIENCE) or memory.payload
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


def _clipped(text: str, limit: int) -> str:
    """Return one line of at most `limit` characters, cut between words and marked as cut; the payload has the whole."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rpartition(" ")[0] or head) + "…"
