"""Answers that only HTTP has; everything else is a model of the engine."""

from typing import Literal

from pydantic import Field

from hindsight_graph.models.base import Model, UtcDatetime
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.result import Hop
from hindsight_graph.models.status import Check
from hindsight_graph.pipelines.learn.review import ReviewItem


class Versions(Model):
    """Every version of a memory, oldest first."""

    versions: tuple[Memory, ...]


class Memories(Model):
    """Some memories, in the order asked."""

    memories: tuple[Memory, ...]


class Neighbours(Model):
    """The relations at a thing, newest first; `against` marks those that lead to it."""

    hops: tuple[Hop, ...]


class Health(Model):
    """The service answers."""

    status: Literal["ok"] = "ok"


class Readiness(Model):
    """Whether the service can do its work, and each thing it depends on."""

    status: Literal["ready", "not ready"]
    checks: tuple[Check, ...]


class PlainWritten(Model):
    """What became of a plain write: `active`, `pending`, `quarantined` ... as the memory now stands."""

    id: str
    status: str


class PlainResult(Model):
    """One memory of a plain search. `timestamp` is when it happened or began to hold."""

    id: str
    type: str
    summary: str
    entities: tuple[str, ...]
    confidence: float = Field(ge=0, le=1)
    timestamp: UtcDatetime
    score: float


class PlainResults(Model):
    """What a plain search found."""

    results: tuple[PlainResult, ...]
    degraded: bool = False


class StoredExperience(Model):
    """Under which id an experience is kept."""

    id: str


class PlainExperience(Model):
    """One experience: where it was learned, what was done, how it ended, what it teaches."""

    id: str
    context: str
    action: str
    outcome: str
    lesson: str
    tags: tuple[str, ...]
    weight: float
    score: float


class PlainLesson(Model):
    """One experience that was found in messages."""

    id: str
    context: str
    action: str
    outcome: str
    lesson: str
    tags: tuple[str, ...]


class PlainReflection(Model):
    """What a reflection found; nothing reusable is an answer too."""

    task_id: str
    entries: tuple[PlainLesson, ...]


class PromisedReflection(Model):
    """Under which id a reflection is worked on."""

    task_id: str


class ReviewQueue(Model):
    """What awaits a decision."""

    items: tuple[ReviewItem, ...]


class Undone(Model):
    """The ids of the strategies whose state changed."""

    strategies: tuple[str, ...]


class PlainExperiences(Model):
    """Which experiences fit."""

    results: tuple[PlainExperience, ...]
    degraded: bool = False
