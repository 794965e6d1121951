"""Which strategies tell the opposite of each other (promises X-10, R-07)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

from hindsight_graph.learning.lessons import is_negated
from hindsight_graph.models.learning import Conditions, Rule, RuleKind, Strategy
from hindsight_graph.text.sketch import similarity
from hindsight_graph.text.tokens import index_terms

__all__ = ["contradict", "contradictions"]

_ABOUT_THE_SAME = 0.5
"""Jaccard similarity of the terms from which two lessons of opposite polarity count as about the same thing."""


def contradictions(strategies: Mapping[str, Strategy]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ids whose strategies contradict each other, in the order of the mapping.

    Only those are compared that are about the same tools, and lessons of opposite polarity.
    """
    order = {memory_id: place for place, memory_id in enumerate(strategies)}
    found: list[tuple[str, str]] = []
    for first, second in _comparable(strategies):
        one, other = strategies[first], strategies[second]
        if contradict(one.rule, other.rule) and _overlap(one.conditions, other.conditions):
            found.append((first, second) if order[first] < order[second] else (second, first))
    return tuple(sorted(found, key=lambda pair: (order[pair[0]], order[pair[1]])))


def _comparable(strategies: Mapping[str, Strategy]) -> Iterator[tuple[str, str]]:
    about: dict[tuple[str, ...], list[str]] = defaultdict(list)
    words: dict[bool, list[tuple[str, tuple[str, ...]]]] = {True: [], False: []}
    for memory_id, strategy in strategies.items():
        rule = strategy.rule
        if rule.kind is RuleKind.LESSON:
            words[is_negated(rule.text)].append((memory_id, tuple(index_terms(rule.text))))
        else:
            about[(rule.kind.value, *sorted((rule.tool, rule.other)))].append(memory_id)
    for group in about.values():
        yield from combinations(group, 2)
    for first, terms in words[True]:
        for second, others in words[False]:
            if similarity(terms, others) >= _ABOUT_THE_SAME:
                yield first, second


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
