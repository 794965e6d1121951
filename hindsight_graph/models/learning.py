"""What is learned: experiences (what was tried and how it ended), rules read off them, strategies with their support."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Self, TypeVar

from pydantic import Field, ValidationError

from hindsight_graph.models.base import Model, Text, Words
from hindsight_graph.models.enums import Outcome

EXPERIENCE_KEY = "experience"
"""Payload key under which a memory of kind `experience` carries its `Experience`."""
STRATEGY_KEY = "strategy"
"""Payload key under which a memory of kind `strategy` carries its `Strategy`."""
NO_EVIDENCE = "no_evidence"
"""Code of the concern about a strategy that somebody wrote: only a person may approve it."""
STEPS_KEPT = 100
"""Tool calls of one experience that are kept: the first half and the last half of them, when there are more."""


class Step(Model):
    """One tool call and what came of it.

    Attributes:
        tool: Its name. arguments: top-level argument names with their values as short text (at most 120 characters each).
        ok: The result was no error. error: its signature when it was (numbers, ids and paths removed), else empty.
        episode_id: The message that made the call.
    """

    tool: Words
    arguments: dict[str, str] = {}
    ok: bool = True
    error: str = ""
    episode_id: str = ""


class Experience(Model):
    """What was tried, and how it ended (promise X-01).

    Attributes:
        context: The situation; goal: what was asked for. action: what was done, in one line. lesson: what to take from it, or
            empty when nothing is reusable.
        steps: Tool calls in order. decisions: sentences in which a choice was stated.
        errors: Signatures of the errors met, in order, each once. repair: what was different when it worked; empty without one.
        corrected: A person corrected the course or the result. confirmed: a person confirmed this experience.
        reflected: It came out of automatic reflection (and not from a caller who wrote it down).
        author: The model that worded the lesson; empty when rules or a person did.
        ended: How it ended in the words of a caller who wrote it down; empty otherwise.
        duration_s: Seconds from the first to the last message; None when not known.
    """

    context: Text = ""
    goal: Text = ""
    action: Text = ""
    outcome: Outcome
    lesson: Text = ""
    task_type: Words | None = None
    tags: tuple[Words, ...] = ()
    steps: tuple[Step, ...] = ()
    decisions: tuple[Words, ...] = ()
    errors: tuple[str, ...] = ()
    repair: Text = ""
    corrected: bool = False
    confirmed: bool = False
    reflected: bool = True
    author: Text = ""
    ended: Text = ""
    duration_s: float | None = Field(default=None, ge=0)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools called, in order of first use, each once."""
        return tuple(dict.fromkeys(step.tool for step in self.steps))

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self | None:
        """Return the experience a memory carries, or None: what callers put there that is none, or has no outcome, is no case."""
        return _read(cls, payload.get(EXPERIENCE_KEY))


class RuleKind(StrEnum):
    """What sort of thing a strategy tells to do; each kind has one test on an experience (`learning.rules.judge`)."""

    PRECONDITION = "precondition"
    """Before `tool`, call `other`."""
    ARGUMENT = "argument"
    """Call `tool` with the argument `other`, and with `value` where one is given."""
    ALTERNATIVE = "alternative"
    """Use `other` instead of `tool`."""
    LESSON = "lesson"
    """What experiences say in words, or a person said; its evidence are the experiences that say it."""


class Rule(Model):
    """The checkable core of a strategy: equal rules are the same strategy.

    Attributes:
        tool: What it is about; empty for a lesson in words. other, value: see `RuleKind`.
        error: Signature of the error that following it avoids; may be empty.
        text: For lessons: the words, else empty.
    """

    kind: RuleKind
    tool: str = ""
    other: str = ""
    value: str = ""
    error: str = ""
    text: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two rules the same; the error is a reason, not a part of it."""
        return (self.kind.value, self.tool, self.other, self.value, self.text.casefold())


class Conditions(Model):
    """When a strategy applies: any of the task types, tools, errors and entities; empty means it does not depend on that."""

    task_types: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Table(Model):
    """What happened with a rule followed and not followed, in counts that fade with every newer experience.

    Attributes:
        followed_worked, followed_failed: Calls, and later uses, that followed it.
        otherwise_worked, otherwise_failed: Calls that did not; a failure counts only with the error that the rule is to avoid.
    """

    followed_worked: float = Field(default=0.0, ge=0)
    followed_failed: float = Field(default=0.0, ge=0)
    otherwise_worked: float = Field(default=0.0, ge=0)
    otherwise_failed: float = Field(default=0.0, ge=0)


class Support(Model):
    """How well evidence stands behind a strategy.

    Attributes:
        supporting, refuting: Numbers of experiences, not faded.
        table: What the statistic is made of.
        mean: How often it works when followed: posterior mean of Beta(1 + followed_worked, 1 + followed_failed), 0..1.
        low, high: Wilson score interval at 95 % of the same share (Wilson 1927), 0..1; (0, 1) with no counts.
        otherwise: How often it works when not followed, the mean of the like Beta, 0..1.
        uses: Tasks that reported having used it. helped: of them, how many succeeded.
        failing: Calls that followed it and failed, in a row, since the last one that worked; an outage's count a quarter.
    """

    supporting: int = Field(default=0, ge=0)
    refuting: int = Field(default=0, ge=0)
    table: Table = Table()
    mean: float = Field(default=0.5, ge=0, le=1)
    low: float = Field(default=0.0, ge=0, le=1)
    high: float = Field(default=1.0, ge=0, le=1)
    otherwise: float = Field(default=0.5, ge=0, le=1)
    uses: int = Field(default=0, ge=0)
    helped: int = Field(default=0, ge=0)
    failing: float = Field(default=0.0, ge=0)

    @property
    def lift(self) -> float:
        """What following it changes: mean - otherwise, -1..1."""
        return self.mean - self.otherwise


class Concern(Model):
    """Why a reviewer should look twice: a stable code and a sentence that says it with the evidence's numbers."""

    code: str
    text: str


class Strategy(Model):
    """A lesson that stands on several experiences (promise X-06).

    Attributes:
        guidance: What to do, in words. rule: the same as a test on experiences.
        conditions: When it applies. support: how sure it is. concerns: what scrutiny found; with any, no policy approves it.
    """

    guidance: Text
    rule: Rule
    conditions: Conditions = Conditions()
    support: Support = Support()
    concerns: tuple[Concern, ...] = ()

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self | None:
        """Return the strategy a memory carries, or None."""
        return _read(cls, payload.get(STRATEGY_KEY))


M = TypeVar("M", bound=Model)


def _read(model: type[M], found: object) -> M | None:
    try:
        return model.model_validate(found) if found is not None else None
    except ValidationError:
        return None
