"""When are two statements the same? Pure functions; deliberately strict, since a wrong merge loses a fact.

Vectors take no part: with real embeddings "checkout depends on payment" and its reverse score .991, ports 5432 and 5433 .974,
and a true paraphrase .974 (trial in docs/adr/0003-what-merges.md). Two statements merge only when everything that carries
meaning agrees: kind, polarity, digits, entities, relations with their direction, event time for actions and results, and the
words themselves up to the few that carry none, or up to the verb of an agreed relation.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from hindsight_graph.models.enums import Kind
from hindsight_graph.models.memory import Memory, Mention, Relation, Slot
from hindsight_graph.text.names import normal_name

_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+")
_ENDING = re.compile(r"\bno longer\b|(?:\bnot|n['’]t)\b.*\bany ?more\b|不再|已经?不", re.IGNORECASE)
_TRAILING = ".,;:!…。，；：！、"
_DENIALS = frozenset(
    "not no never longer any more anymore don't doesn't didn't isn't aren't wasn't won't cannot can't do does did n't nobody "
    "none 不 没 有 再 非 并 未 无 别 已 经 了".split()
)
"""Words in which a statement and its denial differ."""
_NOISE = frozenset("a an the that this these those of please just very really also so to is are be am 的 了 是 就 也 很".split())
"""Words whose presence or absence does not change what a statement says."""
_RELATION_WORDS = frozenset(
    "depend depends rely relies require requires need needs use uses cause causes lead leads result results trigger triggers "
    "own owns maintain maintains manage manages replace replaces fix fixes resolve resolves on upon to in by "
    "依 赖 于 需 要 使 用 导 致 引 起".split()
)
"""Words that state a relation; two statements may differ in them when the relation itself agrees."""
_UNSPECIFIC = _DENIALS | _RELATION_WORDS
_SAME_EVENT = timedelta(minutes=1)
_TIMED = frozenset({Kind.ACTION, Kind.RESULT, Kind.EXPERIENCE})


def _base(word: str) -> str:
    """Return a word without the s that a verb or plural may end in; enough to pair `likes` with `doesn't like`."""
    return word[:-1] if word[-1] == "s" and len(word) > 3 else word


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
    facets: tuple[str, ...] = ()

    @property
    def must_agree(self) -> str:
        """What has to be equal for a merge or a contradiction, as one text: candidates are looked up under it."""
        return "\x1f".join(self.digits)

    @property
    def topic(self) -> frozenset[str]:
        """The words that any two candidates for a merge or a contradiction share: they are looked up under them."""
        return frozenset([_base(word) for word in {word.lower() for word in self.words} - _UNSPECIFIC])

    @property
    def claim(self) -> frozenset[str]:
        """Everything but denial: equal for a statement and its denial."""
        return frozenset([_base(word) for word in {word.lower() for word in self.words} - _DENIALS])


def words_of(summary: str) -> tuple[str, ...]:
    """Return the words that carry meaning, signs and operators among them; only the first loses its capital."""
    text = summary if summary.isascii() else unicodedata.normalize("NFKC", summary)
    found = [bare for word in _WORDS.findall(text) if (bare := word.rstrip(_TRAILING))]
    if found and not found[0].isupper():
        found[0] = found[0].lower()
    return tuple([word for word in found if word.lower() not in _NOISE])


def signature(
    summary: str,
    kind: Kind,
    negated: bool,
    mentions: tuple[Mention, ...],
    relations: tuple[Relation, ...],
    at: datetime,
    facets: tuple[str, ...] = (),
) -> Signature:
    """Return the signature of a statement; `facets` are what else must be equal."""
    return Signature(
        kind=kind,
        negated=negated,
        digits=tuple(sorted(_DIGITS.findall(summary))),
        entities=frozenset([normal_name(mention.name) for mention in mentions]),
        relations=frozenset([(normal_name(item.source), str(item.type), normal_name(item.target)) for item in relations]),
        words=words_of(summary),
        at=at,
        facets=facets,
    )


def signature_of(memory: Memory) -> Signature:
    """Return the signature of a stored memory."""
    return signature(
        memory.summary,
        memory.kind,
        memory.negated,
        memory.mentions,
        memory.relations,
        memory.valid_from,
        facets_of(memory.slot, memory.task_type, memory.outcome, memory.tools, memory.error_code, memory.media_type),
    )


def facets_of(
    slot: Slot | None,
    task_type: str | None,
    outcome: str | None,
    tools: tuple[str, ...],
    error_code: str | None,
    media_type: str | None,
) -> tuple[str, ...]:
    """Return what a memory says beside its words, as texts; two that differ in it are not the same."""
    value = f"{normal_name(slot.subject)}/{normal_name(slot.attribute)}={slot.value}" if slot else ""
    return (value, task_type or "", outcome or "", ",".join(tools), error_code or "", media_type or "")


def same_statement(one: Signature, other: Signature) -> bool:
    """Whether the two say the same; see the module's docstring for the rule."""
    if _meaning(one) != _meaning(other):
        return False
    if one.kind in _TIMED and abs(one.at - other.at) > _SAME_EVENT:
        return False
    if one.words == other.words:
        return True
    if not one.relations:
        return False
    mine, theirs = set(one.words), set(other.words)
    return {word.lower() for word in mine ^ theirs} <= _RELATION_WORDS and [word for word in one.words if word in theirs] == [
        word for word in other.words if word in mine
    ]


def denies(one: Signature, other: Signature) -> bool:
    """Whether one denies the other: other polarity, the same words up to negation and the verb's ending."""
    return one.negated != other.negated and one.digits == other.digits and one.claim == other.claim


def ends_what_was(summary: str) -> bool:
    """Whether a denial says that something was so until now: "no longer", "not ... any more", 不再."""
    return _ENDING.search(summary) is not None


def _meaning(of: Signature) -> tuple[object, ...]:
    return (of.kind, of.negated, of.digits, of.entities, of.relations, of.facets)
