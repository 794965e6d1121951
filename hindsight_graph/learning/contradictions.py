"""Which strategies tell the opposite of each other (promises X-10, R-07)."""

from collections.abc import Mapping
from itertools import combinations

from hindsight_graph.learning.lessons import is_negated
from hindsight_graph.models.learning import Conditions, Rule, RuleKind, Strategy
from hindsight_graph.text.sketch import similarity
from hindsight_graph.text.tokens import index_terms

__all__ = ["contradict", "contradictions"]

_ABOUT_THE_SAME = 0.5
"""Jaccard similarity of the terms from which two lessons of opposite polarity count as about the same thing."""


def contradictions(strategies: Mapping[str, Strategy]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ids whose strategies contradict each other, in the order of the mapping."""
    return tuple(
        (first, second)
        for (first, one), (second, other) in combinations(strategies.items(), 2)
        if contradict(one.rule, other.rule) and _overlap(one.conditions, other.conditions)
    )


def contradict(one: Rule, other: Rule) -> bool:
    """Whether two rules cannot both be followed.

    Another value of the same argument; each tool instead of the other; each tool before the other; words of opposite polarity
    about the same thing.
    """
    if one.kind is not other.kind:
        return False
    if one.kind is RuleKind.LESSON:
        if is_negated(one.text) == is_negated(other.text):
            return False
        return similarity(index_terms(one.text), index_terms(other.text)) >= _ABOUT_THE_SAME
    if one.kind is RuleKind.ARGUMENT:
        same_argument = (one.tool, one.other) == (other.tool, other.other)
        return same_argument and "" not in (one.value, other.value) and one.value != other.value
    return (one.tool, one.other) == (other.other, other.tool)


def _overlap(one: Conditions, other: Conditions) -> bool:
    """Whether both may apply at once: no sort of condition keeps them apart."""
    pairs = ((one.task_types, other.task_types), (one.entities, other.entities))
    return all(not first or not second or set(first) & set(second) for first, second in pairs)
