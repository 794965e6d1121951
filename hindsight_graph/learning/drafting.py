"""From an attempt to an experience: what is worth keeping of it, in words; and when looking back is worth it at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from hindsight_graph.learning.attempts import Attempt, Repair, repairs_of
from hindsight_graph.learning.lessons import fault_of
from hindsight_graph.learning.quoting import said_by_tool
from hindsight_graph.learning.rules import rules_in
from hindsight_graph.learning.wording import Tongue, action_line, experience_summary, guidance, repair_line, tongue_of
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience

__all__ = ["Draft", "ReflectPolicy", "Reviewed", "Trigger", "draft", "importance_of", "reworded", "triggers_of"]

_GOAL_LIMIT = 500
_LESSON_LIMIT = 400
_ERROR_SHOWN = 120


class Trigger(StrEnum):
    """Why an attempt is looked back on (promise X-03)."""

    FAILURE = "failure"
    REPEATED_FAILURES = "consecutive tool failures"
    REPAIRED = "failed, then worked"
    CORRECTED = "corrected by the user"
    SLOW = "slow"
    ASKED = "asked for"
    EVERY_TASK = "every task"


class ReflectPolicy(Model):
    """What is looked back on.

    Attributes:
        every_task: Keep routine successes too. slow_s: seconds from which a task counts as slow.
        consecutive_failures: Tool errors in a row that are a reason by themselves.
        at_session_end: Look back on a session when it ends, and keep of it what the others say.
    """

    every_task: bool = False
    slow_s: float = Field(default=120.0, gt=0)
    consecutive_failures: int = Field(default=3, ge=1)
    at_session_end: bool = True


class Draft(Model):
    """An experience that reflection proposes.

    Attributes:
        summary: The line under which it is recalled. positions: of the messages it stands on.
        triggers: Why it was looked back on. error_code: signature of the first error, for the exact filter; None without one.
    """

    summary: str
    experience: Experience
    positions: tuple[int, ...] = ()
    triggers: tuple[Trigger, ...] = ()

    @property
    def error_code(self) -> str | None:
        """Signature of the first error."""
        return self.experience.errors[0] if self.experience.errors else None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What became of an attempt: a draft, or the reason why there is nothing to keep of it (or no lesson in it)."""

    draft: Draft | None
    reason: str = ""
    request: str = ""


def triggers_of(attempt: Attempt, policy: ReflectPolicy, *, asked: bool) -> tuple[Trigger, ...]:
    """Return why an attempt is worth looking back on; empty for a routine success that nobody asked about."""
    found: list[Trigger] = []
    if attempt.outcome in (Outcome.FAILURE, Outcome.PARTIAL):
        found.append(Trigger.FAILURE)
    streak = longest = 0
    for step in attempt.steps:
        streak = 0 if step.ok else streak + 1
        longest = max(longest, streak)
    if longest >= policy.consecutive_failures:
        found.append(Trigger.REPEATED_FAILURES)
    if attempt.outcome is not Outcome.FAILURE and repairs_of(attempt.steps):
        found.append(Trigger.REPAIRED)
    if attempt.corrections:
        found.append(Trigger.CORRECTED)
    if attempt.duration_s is not None and attempt.duration_s >= policy.slow_s:
        found.append(Trigger.SLOW)
    if asked and attempt.steps:
        found.append(Trigger.ASKED)
    if policy.every_task and attempt.steps:
        found.append(Trigger.EVERY_TASK)
    return tuple(found)


def draft(
    attempt: Attempt, policy: ReflectPolicy, *, asked: bool, task_type: str | None = None, known: Sequence[str] = ()
) -> Reviewed:
    """Return the experience in an attempt, or why there is none.

    Args:
        attempt: One task.
        policy: When to look back.
        asked: Whether somebody asked for it.
        task_type: The caller's name for this sort of task.
        known: Lessons kept already: a lesson that says the same is left out of the draft (the experience itself may stay).
    """
    outcome = attempt.outcome
    if outcome is None:
        return Reviewed(None, "no outcome: neither a tool result nor a word says how it ended", attempt.request)
    triggers = triggers_of(attempt, policy, asked=asked)
    if not triggers:
        return Reviewed(None, "routine success", attempt.request)
    tongue = tongue_of(attempt.request, *attempt.corrections, attempt.last_words)
    repairs = repairs_of(attempt.steps)
    errors = tuple(dict.fromkeys(step.error for step in attempt.steps if step.error))
    bare = Experience(
        goal=" ".join(attempt.request.split())[:_GOAL_LIMIT],
        action=action_line(attempt.steps),
        outcome=outcome,
        task_type=task_type,
        steps=tuple(attempt.steps),
        decisions=tuple(attempt.decisions),
        errors=errors,
        repair="; ".join(filter(None, (_repair(item, tongue) for item in repairs))),
        corrected=bool(attempt.corrections),
        duration_s=attempt.duration_s,
    )
    lesson, fault = _lesson(attempt, bare, tongue, known)
    experience = bare.model_copy(update={"lesson": lesson})
    summary = experience_summary(experience.goal, outcome, _detail(experience, tongue), tongue)
    made = Draft(summary=summary, experience=experience, positions=tuple(attempt.positions), triggers=triggers)
    return Reviewed(made, fault, attempt.request)


def reworded(item: Draft, lesson: str, author: str) -> Draft:
    """Return a draft with a lesson in a model's words, which then also say what its summary says beside the goal."""
    experience = item.experience.model_copy(update={"lesson": lesson, "author": author})
    tongue = tongue_of(experience.goal, lesson)
    summary = experience_summary(experience.goal, experience.outcome, lesson, tongue)
    return item.model_copy(update={"summary": summary, "experience": experience})


def importance_of(experience: Experience) -> float:
    """Return 2.0 for what a person corrected, 1.5 for what failed and was then fixed, else 1.0 (promise R-02)."""
    if experience.corrected:
        return 2.0
    return 1.5 if experience.repair and experience.outcome is not Outcome.FAILURE else 1.0


def _lesson(attempt: Attempt, experience: Experience, tongue: Tongue, known: Sequence[str]) -> tuple[str, str]:
    """Return the lesson, and why a found one was left out: the user's words first, else the first rule read off the repair."""
    faults: list[str] = []
    said = [" ".join(text.split())[:_LESSON_LIMIT] for text in attempt.corrections]
    read = [guidance(rule, tongue) for rule in rules_in(experience)]
    for text in (*said, *read):
        fault = fault_of(text, known)
        if fault is None:
            return text, ""
        faults.append(f"lesson “{text}”: {fault}")
    return "", "; ".join(faults)


def _repair(repair: Repair, tongue: Tongue) -> str:
    return repair_line(repair.between, tuple(repair.added), repair.changed, repair.instead, tongue)


def _detail(experience: Experience, tongue: Tongue) -> str:
    """Return what the summary says beside the goal and the outcome: the error, or what mended it."""
    first = next((step for step in experience.steps if not step.ok), None)
    if first is None:
        return experience.lesson or experience.action
    failed = f"{first.tool}: {said_by_tool(first.error, _ERROR_SHOWN)}" if first.error else first.tool
    if experience.outcome is not Outcome.FAILURE and experience.repair:
        return f"{experience.repair} ({failed})" if tongue == "en" else f"{experience.repair}（{failed}）"
    return failed
