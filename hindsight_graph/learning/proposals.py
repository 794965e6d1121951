"""From experiences to strategies: candidates by contrast inside a community, each put to the test on all that it speaks about."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.lessons import fault_of, same_lesson
from hindsight_graph.learning.rules import Trial, Verdict, contrasted, rules_in, trials, verdict_of
from hindsight_graph.learning.statistic import beta_mean, discount, wilson
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.learning import Conditions, Rule, RuleKind, Support, Table

__all__ = [
    "Evidence",
    "LearningPolicy",
    "conditions_of",
    "follow",
    "is_fallen",
    "is_proposed",
    "is_recovered",
    "merged_lessons",
    "stated",
    "suggested",
    "unexplained",
    "used",
    "weigh",
    "with_uses",
]

USE = 0.5
"""What a reported use counts beside a call that was seen: a task has more causes than one rule, and is often reflected on too."""
_EXPLAINED_AWAY = 0.2
"""Lift by which another rule on the same calls must be better to explain one away."""
_PAIRS = 12
"""Successes that each failure is contrasted with, newest first."""


class LearningPolicy(Model):
    """When evidence becomes a strategy, and when a strategy falls.

    Attributes:
        min_supporting: Experiences that must support a rule (a person's correction needs one).
        propose_mean, propose_lift: How often it must work when followed, and what following it must change, to be proposed.
        stale_mean, stale_lift: Below one of them an approved one becomes stale.
        stale_streak: So many calls in a row that followed it and failed end it too, however often it worked before.
        half_life: Newer experiences after which one counts half: how fast a changed world is unlearned.
        auto_approve: Let the policy approve what nobody has to look at: private, no concern, and at least `auto_supporting`
            supporting experiences with a lower Wilson bound of at least `auto_low`.
    """

    min_supporting: int = Field(default=2, ge=1)
    propose_mean: float = Field(default=0.65, ge=0, le=1)
    propose_lift: float = Field(default=0.3, ge=-1, le=1)
    stale_mean: float = Field(default=0.5, ge=0, le=1)
    stale_lift: float = Field(default=0.1, ge=-1, le=1)
    stale_streak: int = Field(default=3, ge=1)
    half_life: float = Field(default=8.0, gt=0)
    auto_approve: bool = False
    auto_supporting: int = Field(default=5, ge=1)
    auto_low: float = Field(default=0.5, ge=0, le=1)


@dataclass
class Evidence:
    """What stands for and against a rule: cases in time order, and the support after the last of them."""

    rule: Rule
    supporting: list[Case] = field(default_factory=list[Case])
    refuting: list[Case] = field(default_factory=list[Case])
    support: Support = field(default_factory=Support)


def is_proposed(rule: Rule, support: Support, policy: LearningPolicy, *, corrected: bool = False) -> bool:
    """Whether evidence is enough to show the rule to a reviewer.

    Args:
        rule: Which.
        support: Its evidence.
        policy: The thresholds.
        corrected: A person said it: one experience is enough.
    """
    enough = support.supporting >= (1 if corrected else policy.min_supporting)
    if rule.kind is RuleKind.LESSON:
        return enough and support.refuting < support.supporting
    return enough and support.mean >= policy.propose_mean and support.lift >= policy.propose_lift


def is_fallen(rule: Rule, support: Support, policy: LearningPolicy) -> bool:
    """Whether evidence no longer carries the rule."""
    if support.mean < policy.stale_mean or support.supporting == 0 or support.failing >= policy.stale_streak:
        return True
    return rule.kind is not RuleKind.LESSON and support.lift < policy.stale_lift


def is_recovered(rule: Rule, support: Support, policy: LearningPolicy) -> bool:
    """Whether evidence carries a fallen rule again.

    It would be proposed, or it works as often as it must to stay while following it changes as much as a proposal needs: after an
    outage it is seldom followed, so that its mean recovers slowly, and all else works worse.
    """
    if is_fallen(rule, support, policy):
        return False
    return support.lift >= policy.propose_lift or is_proposed(rule, support, policy)


def follow(support: Support, found: Sequence[Trial], half_life: float) -> Support:
    """Return the support after one more experience with these trials.

    What was counted before fades by one step: the counts of following it with an experience that followed it, those of not
    following it with one that did not. A rule that everybody follows keeps what is known of not following it.
    """
    if not found:
        return support
    tally = _Tally.of(support)
    tally.add(found, discount(1, half_life))
    return tally.stated(support)


def used(support: Support, outcome: Outcome, half_life: float) -> Support:
    """Return the support after a task that reported having used the strategy; a partial outcome only counts the use."""
    faded = _faded(support.table, half_life, followed=True, otherwise=False)
    won, lost = outcome is Outcome.SUCCESS, outcome is Outcome.FAILURE
    table = faded.model_copy(
        update={"followed_worked": faded.followed_worked + USE * won, "followed_failed": faded.followed_failed + USE * lost}
    )
    changes = {"table": table if won or lost else support.table, "uses": support.uses + 1, "helped": support.helped + won}
    return stated(support.model_copy(update=changes))


def with_uses(support: Support, old: Support) -> Support:
    """Return freshly weighed support with what the uses of the `old` one counted, unfaded."""
    if not old.uses:
        return support
    table = support.table
    added = {
        "followed_worked": table.followed_worked + USE * old.helped,
        "followed_failed": table.followed_failed + USE * (old.uses - old.helped),
    }
    return stated(support.model_copy(update={"table": table.model_copy(update=added), "uses": old.uses, "helped": old.helped}))


def stated(support: Support) -> Support:
    """Return the support with its statistic computed from its table."""
    table = support.table
    low, high = wilson(table.followed_worked, table.followed_failed)
    return support.model_copy(
        update={
            "mean": beta_mean(table.followed_worked, table.followed_failed),
            "low": low,
            "high": high,
            "otherwise": beta_mean(table.otherwise_worked, table.otherwise_failed),
        }
    )


def _faded(table: Table, half_life: float, *, followed: bool, otherwise: bool) -> Table:
    kept = discount(1, half_life)
    on, off = (kept if followed else 1.0), (kept if otherwise else 1.0)
    return Table(
        followed_worked=table.followed_worked * on,
        followed_failed=table.followed_failed * on,
        otherwise_worked=table.otherwise_worked * off,
        otherwise_failed=table.otherwise_failed * off,
    )


def suggested(groups: Sequence[Sequence[Case]]) -> tuple[Rule, ...]:
    """Return the rules that communities suggest, each once; lessons in words only when they are worth keeping.

    A failure is contrasted with the newest successes of the same tool and task type wherever they are: those who never met an
    error are often split from those who did.
    """
    works = _successes([case for group in groups for case in group])
    found: dict[tuple[str, ...], Rule] = {}
    for group in groups:
        for rule in _suggested(group, works):
            found.setdefault(rule.key, rule)
    return tuple(found.values())


def _suggested(community: Sequence[Case], works: Mapping[tuple[str | None, str], Sequence[Case]]) -> Iterable[Rule]:
    found: dict[tuple[str, ...], Rule] = {}
    lessons: list[str] = []
    for case in community:
        for rule in rules_in(case.experience):
            if rule.kind is not RuleKind.LESSON:
                found.setdefault(rule.key, rule)
            elif fault_of(rule.text, lessons) is None:
                lessons.append(rule.text)
                found.setdefault(rule.key, rule)
    for case in community:
        for tool in dict.fromkeys(step.tool for step in case.experience.steps if not step.ok):
            for other in works.get((case.experience.task_type, tool), ())[:_PAIRS]:
                if other.id != case.id:
                    for rule in contrasted(case.experience, other.experience):
                        found.setdefault(rule.key, rule)
    return found.values()


def _successes(cases: Sequence[Case]) -> dict[tuple[str | None, str], list[Case]]:
    """Return for each task type and tool the cases in which a call of it worked, newest first."""
    works: dict[tuple[str | None, str], list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda case: (case.at, case.id), reverse=True):
        for tool in {step.tool for step in case.experience.steps if step.ok}:
            works[case.experience.task_type, tool].append(case)
    return works


def weigh(rules: Iterable[Rule], cases: Sequence[Case], policy: LearningPolicy) -> tuple[Evidence, ...]:
    """Return the evidence of each rule over all cases, in time order."""
    ordered = sorted(cases, key=lambda case: (case.at, case.id))
    by_tool: dict[str, list[Case]] = defaultdict(list)
    spoken: list[Case] = []
    for case in ordered:
        for tool in case.experience.tools:
            by_tool[tool].append(case)
        if case.experience.lesson:
            spoken.append(case)
    found: list[Evidence] = []
    kept = discount(1, policy.half_life)
    for rule in rules:
        evidence, tally = Evidence(rule), _Tally.of(Support())
        for case in _concerned(rule, by_tool, spoken):
            tested = trials(rule, case.experience)
            if tested:
                verdict = tally.add(tested, kept)
                (evidence.supporting if verdict is Verdict.SUPPORTS else evidence.refuting).append(case)
        evidence.support = tally.stated(evidence.support)
        found.append(evidence)
    return tuple(found)


class _Tally:
    """A support's counts while cases are added one after the other: plain numbers, stated once at the end."""

    __slots__ = ("failing", "followed", "otherwise", "refuting", "supporting")

    def __init__(self, followed: list[float], otherwise: list[float], supporting: int, refuting: int, failing: float) -> None:
        self.followed, self.otherwise = followed, otherwise
        self.supporting, self.refuting, self.failing = supporting, refuting, failing

    @classmethod
    def of(cls, support: Support) -> "_Tally":
        table = support.table
        return cls(
            [table.followed_failed, table.followed_worked],
            [table.otherwise_failed, table.otherwise_worked],
            support.supporting,
            support.refuting,
            support.failing,
        )

    def add(self, found: Sequence[Trial], kept: float) -> Verdict:
        """Add an experience with at least one trial, after fading the counts of each side that it speaks to by `kept`."""
        for side, is_on in ((self.followed, True), (self.otherwise, False)):
            if any(trial.followed is is_on for trial in found):
                side[0] *= kept
                side[1] *= kept
        for trial in found:
            (self.followed if trial.followed else self.otherwise)[trial.worked] += trial.weight
            if trial.followed:
                self.failing = 0.0 if trial.worked else self.failing + trial.weight
        verdict = verdict_of(found)
        self.supporting += verdict is Verdict.SUPPORTS
        self.refuting += verdict is Verdict.REFUTES
        return verdict

    def stated(self, support: Support) -> Support:
        """Return the support with these counts."""
        table = Table(
            followed_worked=self.followed[True],
            followed_failed=self.followed[False],
            otherwise_worked=self.otherwise[True],
            otherwise_failed=self.otherwise[False],
        )
        counted = {"table": table, "supporting": self.supporting, "refuting": self.refuting, "failing": self.failing}
        return stated(support.model_copy(update=counted))


def _concerned(rule: Rule, by_tool: Mapping[str, list[Case]], spoken: list[Case]) -> Iterable[Case]:
    if rule.kind is RuleKind.LESSON:
        return spoken
    return by_tool.get(rule.tool, ())


def unexplained(found: Sequence[Evidence], beside: Sequence[Evidence] = ()) -> tuple[Evidence, ...]:
    """Return the evidence without rules that a better one explains away.

    A better one is about the same tool and error, and its lift is higher by more than a fifth: what went along with the real
    cause by chance is tested by the same calls and does worse in some of them. An argument without a value gives way to the same
    argument with one that does as well: half of a setting is no advice.

    Args:
        found: New ones.
        beside: Of strategies that exist and live; they explain away and are not returned.
    """
    best: dict[tuple[str, str], float] = {}
    settings: dict[tuple[str, str], float] = {}
    for item in (*found, *beside):
        rule, lift = item.rule, item.support.lift
        if rule.kind is not RuleKind.LESSON:
            best[rule.tool, rule.error] = max(best.get((rule.tool, rule.error), -1.0), lift)
        if rule.kind is RuleKind.ARGUMENT and rule.value:
            settings[rule.tool, rule.other] = max(settings.get((rule.tool, rule.other), -1.0), lift)

    def stands(item: Evidence) -> bool:
        rule, lift = item.rule, item.support.lift
        if rule.kind is RuleKind.LESSON:
            return True
        is_half = rule.kind is RuleKind.ARGUMENT and not rule.value
        if is_half and settings.get((rule.tool, rule.other), -1.0) >= lift:
            return False
        return lift >= best[rule.tool, rule.error] - _EXPLAINED_AWAY

    return tuple(item for item in found if stands(item))


def conditions_of(evidence: Evidence) -> Conditions:
    """Return when a rule applies, as its evidence shows.

    A rule about a tool applies wherever the tool is used, unless the cases of some task type refute it more often than not: then
    it applies to the types whose cases support it. A lesson in words applies to what all its cases share.
    """
    rule = evidence.rule
    supporting = evidence.supporting
    errors = tuple(dict.fromkeys(filter(None, (rule.error, *_shared(supporting, lambda case: case.experience.errors)))))
    if rule.kind is RuleKind.LESSON:
        return Conditions(
            task_types=_shared(supporting, lambda case: (case.experience.task_type or "",)),
            tools=_shared(supporting, lambda case: case.experience.tools),
            entities=_shared(supporting, lambda case: case.entities),
            errors=errors,
        )
    votes: Counter[str] = Counter()
    for sign, cases in ((1, supporting), (-1, evidence.refuting)):
        for case in cases:
            votes[case.experience.task_type or ""] += sign
    held = tuple(sorted(task for task, vote in votes.items() if vote > 0 and task))
    refuted = any(vote < 0 for vote in votes.values())
    return Conditions(task_types=held if refuted else (), tools=(rule.tool,), errors=errors)


def _shared(cases: Sequence[Case], names: Callable[[Case], Iterable[str]]) -> tuple[str, ...]:
    """Return the names that every case has."""
    common: set[str] | None = None
    for case in cases:
        own = {name for name in names(case) if name}
        common = own if common is None else common & own
    return tuple(sorted(common or ()))


def merged_lessons(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules with lessons that say the same left out, the first of them kept."""
    kept: list[Rule] = []
    for rule in rules:
        if rule.kind is RuleKind.LESSON and any(
            other.kind is RuleKind.LESSON and same_lesson(rule.text, other.text) for other in kept
        ):
            continue
        kept.append(rule)
    return tuple(kept)
