"""Rules: read off experiences by contrast, and put to the test on every experience they speak about.

A rule about a tool is a prediction for each call of it: followed, the call works; not followed, it fails with the rule's
error. An experience supports the rule when its calls went so, and refutes it when a followed call failed or an unfollowed one
worked. An unfollowed call that failed for another reason says nothing; a followed one that failed for any reason does, or a
changed world would never be unlearned.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from hindsight_graph.learning.attempts import Repair, repairs_of
from hindsight_graph.learning.lessons import same_lesson
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience, Rule, RuleKind, Step

__all__ = ["Verdict", "contrasted", "is_setting", "judge", "rules_in", "trials"]

_NO_FAULT = 0.25
"""What a followed call counts whose failure is hardly the rule's fault: see `_is_no_fault`. Not nothing, or a world in which the
tool answers nobody any more would never be unlearned."""
_CATEGORY_LIMIT = 24
"""Longest argument value that may be a setting rather than content."""


class Verdict(StrEnum):
    """What one experience says of a rule."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    SILENT = "silent"


def rules_in(experience: Experience) -> tuple[Rule, ...]:
    """Return the rules that one experience suggests: what was different when a failed call worked, and lessons in words."""
    found = [rule for repair in repairs_of(experience.steps) for rule in _rules_of(repair)]
    if experience.lesson and (experience.corrected or experience.author or not experience.reflected):
        found.append(Rule(kind=RuleKind.LESSON, text=" ".join(experience.lesson.split())))
    return tuple({rule.key: rule for rule in found}.values())


def contrasted(failure: Experience, success: Experience) -> tuple[Rule, ...]:
    """Return the rules that a failure and a success of the same tool suggest: what the working call had before it or in it."""
    found: list[Rule] = []
    for failed in (step for step in failure.steps if not step.ok):
        at = next((index for index, step in enumerate(success.steps) if step.tool == failed.tool and step.ok), None)
        if at is None:
            continue
        place = failure.steps.index(failed)
        had = {step.tool for step in failure.steps[:place] if step.ok}
        before = dict.fromkeys(step.tool for step in success.steps[:at] if step.ok)
        found.extend(
            Rule(kind=RuleKind.PRECONDITION, tool=failed.tool, other=tool, error=failed.error)
            for tool in before
            if tool not in had and tool != failed.tool
        )
        found.extend(_arguments(failed, success.steps[at]))
    return tuple({rule.key: rule for rule in found}.values())


class Trial(NamedTuple):
    """One call that tests a rule: whether it followed it, whether it worked, and how much it counts."""

    followed: bool
    worked: bool
    weight: float = 1.0

    @property
    def agrees(self) -> bool:
        """Whether it went as the rule predicts."""
        return self.followed == self.worked


def judge(rule: Rule, experience: Experience) -> Verdict:
    """Return what an experience says of a rule: the majority of its trials, the last one when they are even."""
    return verdict_of(trials(rule, experience))


def verdict_of(found: Sequence[Trial]) -> Verdict:
    """Return what trials say of their rule: the majority, the last one when they are even."""
    if not found:
        return Verdict.SILENT
    agree = sum(trial.weight for trial in found if trial.agrees)
    total = sum(trial.weight for trial in found)
    if agree * 2 == total:
        return Verdict.SUPPORTS if found[-1].agrees else Verdict.REFUTES
    return Verdict.SUPPORTS if agree * 2 > total else Verdict.REFUTES


def trials(rule: Rule, experience: Experience) -> tuple[Trial, ...]:
    """Return the calls of an experience that test a rule; a lesson in words is tested by the experiences that say it."""
    if rule.kind is RuleKind.LESSON:
        said = bool(experience.lesson) and same_lesson(rule.text, experience.lesson)
        return (Trial(followed=True, worked=True),) if said else ()
    if rule.kind is RuleKind.ALTERNATIVE:
        return tuple(_alternatives(rule, experience))
    found: list[Trial] = []
    for place, step in enumerate(experience.steps):
        if step.tool != rule.tool:
            continue
        trial = Trial(_followed(rule, experience.steps, place), _worked(experience, place))
        if trial.followed and not trial.worked and _is_no_fault(rule, experience.steps, place):
            trial = trial._replace(weight=_NO_FAULT)
        if trial.followed or trial.worked or not rule.error or step.error in (rule.error, ""):
            found.append(trial)
    return tuple(found)


def _alternatives(rule: Rule, experience: Experience) -> Iterator[Trial]:
    """Yield a trial for each call of the tool, and one for the other tool where it ended a task in which the tool had failed."""
    steps = experience.steps
    failed = False
    for place, step in enumerate(steps):
        if step.tool == rule.tool:
            worked = _worked(experience, place)
            failed = failed or not worked
            if worked or step.error in (rule.error, ""):
                yield Trial(followed=False, worked=worked)
        elif step.tool == rule.other and failed and place == len(steps) - 1:
            yield Trial(followed=True, worked=_worked(experience, place))


def _worked(experience: Experience, place: int) -> bool:
    """Whether a call did its part: it gave no error, and the task did not fail right after it."""
    step = experience.steps[place]
    is_last = place == len(experience.steps) - 1
    return step.ok and not (is_last and experience.outcome is Outcome.FAILURE)


def _is_no_fault(rule: Rule, steps: Sequence[Step], place: int) -> bool:
    """Whether a followed call failed for another reason than the rule is about.

    It failed with another error, and either a call that did not follow the rule failed with the same one (the tool was down
    whatever was done), or the very same call worked when it was made again.
    """
    failed = steps[place]
    if not failed.error or failed.error == rule.error:
        return False
    again = steps[place + 1] if place + 1 < len(steps) else None
    if again is not None and again.ok and (again.tool, again.arguments) == (failed.tool, failed.arguments):
        return True
    return any(
        step.tool == failed.tool and step.error == failed.error and not _followed(rule, steps, at)
        for at, step in enumerate(steps)
        if not step.ok
    )


def _followed(rule: Rule, steps: Sequence[Step], place: int) -> bool:
    step = steps[place]
    if rule.kind is RuleKind.PRECONDITION:
        return any(earlier.tool == rule.other and earlier.ok for earlier in steps[:place])
    given = step.arguments.get(rule.other)
    return given is not None and (not rule.value or given == rule.value)


def _rules_of(repair: Repair) -> Iterable[Rule]:
    failed = repair.failed
    if repair.worked is None:
        yield Rule(kind=RuleKind.ALTERNATIVE, tool=failed.tool, other=repair.instead, error=failed.error)
        return
    for tool in repair.between:
        yield Rule(kind=RuleKind.PRECONDITION, tool=failed.tool, other=tool, error=failed.error)
    yield from _arguments(failed, repair.worked)


def _arguments(failed: Step, worked: Step) -> Iterable[Rule]:
    """Yield rules on what the working call's arguments had: a name that was missing, or a setting that was another."""
    for name, value in worked.arguments.items():
        if name not in failed.arguments:
            setting = value if is_setting(value) else ""
            for given in dict.fromkeys(("", setting)):
                yield Rule(kind=RuleKind.ARGUMENT, tool=worked.tool, other=name, value=given, error=failed.error)
        elif failed.arguments[name] != value and is_setting(value):
            yield Rule(kind=RuleKind.ARGUMENT, tool=worked.tool, other=name, value=value, error=failed.error)


def is_setting(value: str) -> bool:
    """Whether an argument's value may be a setting: one short word without digits in it; ids, texts and amounts are content."""
    return 0 < len(value) <= _CATEGORY_LIMIT and not any(character.isdigit() for character in value) and " " not in value
