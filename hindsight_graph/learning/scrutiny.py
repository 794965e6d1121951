"""What a reviewer should know before a strategy is used: conditions too wide, counter-evidence, evidence that is one voice."""

from collections.abc import Iterable, Sequence

from hindsight_graph.learning.communities import Case
from hindsight_graph.learning.lessons import speaks_of_all
from hindsight_graph.learning.proposals import Evidence
from hindsight_graph.models.learning import Concern, Conditions, RuleKind, Support

__all__ = ["TOLERATED", "scrutinise", "settled"]

TOLERATED = 4
"""Calls that agree with a rule for each that does not, both faded, under which its counter-evidence is a concern: what went the
other way before the world changed counts less and less."""
_SHOWN = 3


def scrutinise(evidence: Evidence, conditions: Conditions, text: str, cases: Sequence[Case]) -> tuple[Concern, ...]:
    """Return what speaks against using a strategy as it stands; empty when nothing does.

    Codes:
        `too_wide`: it claims to hold without exception, but all its cases share something that its words do not name.
        `counter_evidence`: cases under its conditions went the other way.
        `one_source`: all its evidence comes from one session.
        `one_case`: it stands on a single experience.
        `model_words`: it is a lesson that a model worded, and that no person said.

    Args:
        evidence: What stands for and against it.
        conditions: When it would apply.
        text: Its guidance.
        cases: All experiences that may speak against it.
    """
    found: list[Concern] = []
    supporting = evidence.supporting
    narrow = _narrower(supporting, text) if evidence.rule.kind is RuleKind.LESSON else ()
    if narrow and speaks_of_all(text):
        named = ", ".join(f"“{name}”" for name in narrow[:_SHOWN])
        found.append(
            Concern(code="too_wide", text=f"says “all”, but all {len(supporting)} cases share {named}, which it does not name")
        )
    in_words = evidence.rule.kind is RuleKind.LESSON
    against = [*evidence.refuting, *(_contrary(evidence, conditions, cases) if in_words else ())]
    if against and (in_words or not _outweighs(evidence.support)):
        shown = "; ".join(f"“{case.experience.goal or case.experience.action or case.id}”" for case in against[-_SHOWN:])
        total = len(against) + len(supporting)
        found.append(Concern(code="counter_evidence", text=f"{len(against)} of {total} cases went the other way: {shown}"))
    if len(supporting) == 1:
        found.append(Concern(code="one_case", text="stands on a single experience"))
    elif len({(case.agent_id, case.session_id) for case in supporting}) == 1 and supporting[0].session_id is not None:
        found.append(
            Concern(code="one_source", text=f"all {len(supporting)} cases are from one session, {supporting[0].session_id}")
        )
    if in_words and supporting and all(case.experience.author for case in supporting):
        models = ", ".join(sorted({case.experience.author for case in supporting}))
        found.append(Concern(code="model_words", text=f"worded by {models}; no person said it"))
    return tuple(found)


def settled(concerns: Sequence[Concern], support: Support, fresh: Sequence[Case]) -> tuple[Concern, ...]:
    """Return the concerns that still stand after new supporting cases: a second one, or one of another session, ends some.

    Args:
        concerns: Before.
        support: After the new cases.
        fresh: The new cases that support the strategy.
    """
    kept: list[Concern] = []
    for concern in concerns:
        single = concern.code == "one_case" and support.supporting > 1
        elsewhere = concern.code == "one_source" and any(str(case.session_id) not in concern.text for case in fresh)
        outweighed = concern.code == "counter_evidence" and _outweighs(support)
        if not (single or elsewhere or outweighed):
            kept.append(concern)
    return tuple(kept)


def _outweighs(support: Support) -> bool:
    """Whether the faded counts that agree with a rule are at least TOLERATED times those that do not."""
    table = support.table
    return (table.followed_failed + table.otherwise_worked) * TOLERATED <= table.followed_worked + table.otherwise_failed


def _narrower(cases: Sequence[Case], text: str) -> tuple[str, ...]:
    """Return what all cases share and the words do not name: entities, tags, errors; in this order."""
    if len(cases) < 2:
        return ()
    said = text.casefold()
    shared: list[str] = []
    for names in (
        _common(case.entities for case in cases),
        _common(case.experience.tags for case in cases),
        _common(case.experience.errors for case in cases),
    ):
        shared.extend(name for name in names if name.casefold() not in said)
    return tuple(dict.fromkeys(shared))


def _common(groups: Iterable[Sequence[str]]) -> tuple[str, ...]:
    common: set[str] | None = None
    for group in groups:
        common = set(group) if common is None else common & set(group)
    return tuple(sorted(common or ()))


def _contrary(evidence: Evidence, conditions: Conditions, cases: Sequence[Case]) -> list[Case]:
    """Return the cases that a lesson in words would have covered, and that ended with success by another way.

    They are of its task types (its tools, where it has no task type) and neither say the lesson nor share what its cases share.
    """
    own = {case.id for case in evidence.supporting}
    actions = {case.experience.action.casefold() for case in evidence.supporting if case.experience.action}
    narrow = set(_narrower(evidence.supporting, ""))
    found: list[Case] = []
    for case in cases:
        experience = case.experience
        covered = (
            experience.task_type in conditions.task_types
            if conditions.task_types
            else set(conditions.tools) & set(experience.tools)
        )
        features = {*case.entities, *experience.tags, *experience.errors}
        other_way = bool(experience.action) and experience.action.casefold() not in actions
        if covered and case.id not in own and not case.failed and other_way and not (narrow and narrow <= features):
            found.append(case)
    return found
