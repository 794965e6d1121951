"""What was tried before in tasks like this one, and how it went: the ways a call was made, each with its own counts.

Experiences say how single tasks went; a strategy waits until several agree and somebody approves it. Between the two lies what
an agent needs on its second try: which ways worked so far, and which are dead ends. Nothing here is advice: it is a count.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.rules import is_setting
from hindsight_graph.learning.statistic import beta_mean, discount
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Experience, Step

__all__ = ["Precedent", "precedents_in", "worth_telling"]

HALF_LIFE = 2.0
"""Newer calls of a way after which one counts half. Short, so that a way that worked ten times and then failed twice is no better
than one that nobody tried; a strategy, with more cases behind it, forgets more slowly (`LearningPolicy.half_life`)."""
_NEW_ERROR = 0.25
"""What a failure counts for a way that worked, when its tool never gave that error before: more likely the tool is down."""
_KEPT_IDS = 5
_WORKED_TOLD, _FAILED_TOLD = 3, 12

Feature = tuple[str, str, str]
"""Of a call: (`before`, tool, ``) or (`argument`, name, value); an empty value stands for any."""
Features = frozenset[Feature]


class Precedent(Model):
    """One way to make a call, and how it went.

    Attributes:
        tool: The tool called. before: tools called with success before it, in alphabetical order.
        arguments: Names with the value of a setting, or with an empty text where the value belonged to the task.
        tried, worked: Calls, not faded; `worked` are those made in exactly this way or with more.
        mean: Posterior mean of Beta(1 + worked, 1 + failed) of the faded counts, 0..1; .5 for what nobody tried. A call
            counts for and against all that was part of it.
        ids: The newest experiences it was read off.
    """

    tool: str
    before: tuple[str, ...] = ()
    arguments: Mapping[str, str] = {}
    tried: int = 0
    worked: int = 0
    mean: float = 0.5
    ids: tuple[str, ...] = ()

    @property
    def is_promising(self) -> bool:
        """Whether it worked more often than not, of late."""
        return self.mean > 0.5

    @property
    def is_dead_end(self) -> bool:
        """Whether it failed more often than not, of late."""
        return self.mean < 0.5

    @property
    def text(self) -> str:
        """The way and its count in words: `refund after get_order, with mode=strict: worked 3 of 4`."""
        given = [f"{name}={value}" if value else name for name, value in self.arguments.items()]
        parts = [f" after {', '.join(self.before)}" if self.before else "", f" with {', '.join(given)}" if given else ""]
        count = f"worked {self.worked} of {self.tried}" if self.worked else f"failed {self.tried} of {self.tried}"
        late = ", not of late" if self.worked and self.is_dead_end else ""
        return f"{self.tool}{','.join(filter(None, parts))}: {count}{late}"


@dataclass(frozen=True, slots=True)
class _Call:
    case_id: str
    tool: str
    features: Features
    worked: bool
    is_new_error: bool


@dataclass(slots=True)
class _Count:
    worked: float = 0.0
    failed: float = 0.0
    tried: int = 0
    successes: int = 0
    ids: list[str] = field(default_factory=list[str])


def precedents_in(cases: Iterable[Case]) -> tuple[Precedent, ...]:
    """Return the ways that were tried in these experiences, the best first, of equal ones the plainest.

    Told are the calls that decided something: of tools that failed at least once, or ended a task that worked. For each tool:
    every whole way it was called, and each single thing that went with some of the calls, beside what goes with all of them.
    """
    ordered = sorted(cases, key=lambda case: (case.at, case.id))
    calls: dict[str, list[_Call]] = defaultdict(list)
    for call in _calls(ordered):
        calls[call.tool].append(call)
    found = [item for tool in sorted(calls) for item in _ways(tool, calls[tool])]
    return tuple(sorted(found, key=lambda item: (-item.mean, _parts(item), -item.worked, item.text)))


def worth_telling(found: Sequence[Precedent]) -> tuple[Precedent, ...]:
    """Return the few that an agent should know: at most 3 promising ones, then at most 12 dead ends, the plainest first."""
    promising = [item for item in found if item.is_promising][:_WORKED_TOLD]
    dead = sorted((item for item in found if item.is_dead_end), key=lambda item: (_parts(item), -item.tried))[:_FAILED_TOLD]
    return (*promising, *dead)


def _parts(item: Precedent) -> int:
    return len(item.before) + len(item.arguments)


def _calls(cases: Sequence[Case]) -> Iterator[_Call]:
    deciding = _deciding(case.experience for case in cases)
    seen: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        steps = case.experience.steps
        met: list[tuple[str, str]] = []
        before: set[Feature] = set()
        for place, step in enumerate(steps):
            if step.tool in deciding and not _was_mended(steps, place):
                given = {("argument", name, value if is_setting(value) else "") for name, value in step.arguments.items()}
                is_last = place == len(steps) - 1
                worked = step.ok and not (is_last and case.experience.outcome is Outcome.FAILURE)
                is_new = not worked and step.error not in seen[step.tool]
                yield _Call(case.id, step.tool, frozenset(before | given), worked, is_new)
            if not step.ok:
                met.append((step.tool, step.error))
            elif step.tool not in deciding:
                before.add(("before", step.tool, ""))
        for tool, error in met:
            seen[tool].add(error)


def _was_mended(steps: Sequence[Step], place: int) -> bool:
    """Whether a call failed by chance: the very same call worked when it was made again."""
    failed = steps[place]
    again = steps[place + 1] if place + 1 < len(steps) else None
    return not failed.ok and again is not None and again.ok and (again.tool, again.arguments) == (failed.tool, failed.arguments)


def _deciding(experiences: Iterable[Experience]) -> set[str]:
    """Return the tools that failed at least once, or made the last call of a task that worked."""
    found: set[str] = set()
    for experience in experiences:
        found.update(step.tool for step in experience.steps if not step.ok)
        if experience.steps and experience.outcome is not Outcome.FAILURE:
            found.add(experience.steps[-1].tool)
    return found


def _ways(tool: str, calls: Sequence[_Call]) -> Iterator[Precedent]:
    always = calls[0].features
    for call in calls:
        always &= call.features
    candidates = dict.fromkeys(call.features for call in calls)
    for call in calls:
        candidates.update((always | {one}, None) for one in sorted(call.features - always))
    kept = discount(1, HALF_LIFE)
    for way in candidates:
        count = _Count()
        for call in calls:
            if way == call.features or (way < call.features and (way != always or not call.worked)):
                _add(count, call, kept)
        yield Precedent(
            tool=tool,
            before=tuple(sorted(name for sort, name, _ in way if sort == "before")),
            arguments={name: value for sort, name, value in sorted(way) if sort == "argument"},
            tried=count.tried,
            worked=count.successes,
            mean=beta_mean(count.worked, count.failed),
            ids=tuple(dict.fromkeys(reversed(count.ids)))[:_KEPT_IDS],
        )


def _add(count: _Count, call: _Call, kept: float) -> None:
    weight = 1.0
    if not call.worked and call.is_new_error and count.worked > 0:
        weight = _NEW_ERROR
    fade = kept**weight
    count.worked = count.worked * fade + weight * call.worked
    count.failed = count.failed * fade + weight * (not call.worked)
    count.tried += 1
    count.successes += call.worked
    count.ids.append(call.case_id)
