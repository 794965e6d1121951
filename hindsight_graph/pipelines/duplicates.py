"""When are two statements the same? Pure functions; deliberately strict, since a wrong merge loses a fact.

Vectors take no part: with real embeddings "checkout depends on payment" and its reverse score .991, ports 5432 and 5433 .974,
and a true paraphrase .974 (trial in docs/adr/0003-what-merges.md). Two statements merge only when everything that carries
meaning agrees: kind, polarity, digits, entities, relations with their direction, event time for actions and results, and the
words themselves up to the few that carry none, or up to the verb of an agreed relation.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindsight_graph.models.enums import Kind
from hindsight_graph.models.memory import Memory, Mention, Relation
from hindsight_graph.text.names import normal_name
from hindsight_graph.text.tokens import fold

_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['./-][^\W\u3400-\u9fff]+)*")
_NOISE = frozenset("a an the that this these those of please just very really also so to is are be am 的 了 是 就 也 很".split())
"""Words whose presence or absence does not change what a statement says."""
_RELATION_WORDS = frozenset(
    "depend depends rely relies require requires need needs use uses cause causes lead leads result results trigger triggers "
    "own owns maintain maintains manage manages replace replaces fix fixes resolve resolves on upon to in by "
    "依 赖 于 需 要 使 用 导 致 引 起".split()
)
"""Words that state a relation; two statements may differ in them when the relation itself agrees."""
_SAME_EVENT = timedelta(minutes=1)
_TIMED = frozenset({Kind.ACTION, Kind.RESULT, Kind.EXPERIENCE})


@dataclass(frozen=True, slots=True)
class Signature:
    """What of a statement must agree before it may merge with another."""

    kind: Kind
    negated: bool
    digits: tuple[str, ...]
    entities: frozenset[str]
    relations: frozenset[tuple[str, str, str]]
    words: tuple[str, ...]
    at: datetime

    @property
    def must_agree(self) -> str:
        """What has to be equal for a merge, as one text: candidates are looked up under it."""
        return "\x1f".join((self.kind.value, str(int(self.negated)), *self.digits, "\x1e", *sorted(self.entities)))


def signature(
    summary: str, kind: Kind, negated: bool, mentions: tuple[Mention, ...], relations: tuple[Relation, ...], at: datetime
) -> Signature:
    """Return the signature of a statement."""
    return Signature(
        kind=kind,
        negated=negated,
        digits=tuple(sorted(_DIGITS.findall(summary))),
        entities=frozenset(normal_name(mention.name) for mention in mentions),
        relations=frozenset((normal_name(item.source), item.type.value, normal_name(item.target)) for item in relations),
        words=tuple(word for word in _WORDS.findall(fold(summary)) if word not in _NOISE),
        at=at,
    )


def signature_of(memory: Memory) -> Signature:
    """Return the signature of a stored memory."""
    return signature(memory.summary, memory.kind, memory.negated, memory.mentions, memory.relations, memory.valid_from)


def same_statement(one: Signature, other: Signature) -> bool:
    """Whether the two say the same; see the module's docstring for the rule."""
    if (one.kind, one.negated, one.digits, one.entities, one.relations) != (
        other.kind,
        other.negated,
        other.digits,
        other.entities,
        other.relations,
    ):
        return False
    if one.kind in _TIMED and abs(one.at - other.at) > _SAME_EVENT:
        return False
    if one.words == other.words:
        return True
    if not one.relations:
        return False
    mine, theirs = set(one.words), set(other.words)
    return (mine ^ theirs) <= _RELATION_WORDS and [word for word in one.words if word in theirs] == [
        word for word in other.words if word in mine
    ]
