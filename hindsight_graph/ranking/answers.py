"""What kind of answer a question expects, and whether a statement holds one: a number, a time, a name.

Closed word lists in English and Chinese. A statement holds an answer only by what the question does not say itself. Where nothing
tells the kind, a statement counts that says something changed.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from hindsight_graph.text.tokens import is_cjk

__all__ = ["Asked", "answer_kind", "asks_now", "holds_answer"]


class Asked(StrEnum):
    """Kind of answer."""

    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    ANY = "any"


_TIME_ASKED = re.compile(
    r"\bwhen\b|\b(?:which|what) (?:day|date|time|month|year|hour|weekday|slot)\b|\bwhat is the slot\b"
    r"|什么时候|何时|哪天|哪一天|几点|几号|星期几|周几|哪年|哪个月",
    re.IGNORECASE,
)
_NUMBER_ASKED = re.compile(
    r"\bhow (?:many|much|high|long|large|big|often|old|fast|far)\b"
    r"|\b(?:ports?|versions?|releases?|limits?|caps?|capped|maximum|minimum|sizes?|prices?|costs?|counts?|numbers?|amounts?|timeouts?|budgets?"
    r"|thresholds?|quotas?|rates?|percent(?:age)?|extension|salary)\b"
    r"|多少|几个|几次|几台|端口|版本|上限|限额|阈值|价格|预算|号码|比例|多大|多高|多长|多久",
    re.IGNORECASE,
)
_NAME_ASKED = re.compile(
    r"\bwho(?:m|se)?\b|\bwhere\b|\b(?:which|what) (?:\w+ )?(?:person|people|team|company|supplier|vendor|provider"
    r"|agency|city|town|country|region|location|place|office|room|site|host|tool|product|library|framework|database|name)\b"
    r"|谁|哪位|哪家|哪里|哪儿|在哪|哪个(?:机房|城市|公司|团队|部门|房间|地方|供应商|人)|哪座",
    re.IGNORECASE,
)
_PAST_ASKED = re.compile(
    r"\b(?:did|was|were|had|been|before|previous(?:ly)?|original(?:ly)?|initial(?:ly)?|first|earlier|former(?:ly)?"
    r"|used to|once|history|ever|changed?|changes|over time|so far|all)\b"
    r"|之前|以前|最初|最早|原来|原先|起初|曾|历史|那次|当时|去年|上次|上个?[周月]|第一次|过去|变化|变更|都有|哪些|哪几",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|[一二三四五六七八九十百千万零两]{2,}|[二三四五六七八九十百千万两](?=[点号元块分秒天倍度次人台兆小])"
)
_TIME = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september|october|november|"
    r"december|noon|midnight|morning|evening|o'clock)\b|\b\d{1,2}(?::\d\d| ?[ap]m)\b|\b\d{4}\b|\bmay \d"
    r"|周[一二三四五六日末]|星期|[\d一二三四五六七八九十]+[点号月日年]",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|currently|at present|from (?:now|today|this)|as of|since|moved|migrated|relocated"
    r"|switched|upgraded|downgraded|rolled back|replaced|raised|lowered|cut|renamed|shifted|changed"
    r"|took over|taken over|no longer|instead|new owner)\b"
    r"|现在|如今|目前|从今天|从今|今后|以后都|换成|换到|换了|改用|改为|改成|改到|改由|改在|迁到|迁移到|搬到|搬去|转到|转给|转交|接手|接管|升级|降级|回滚|不再|已经",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][\w&'’-]*")
_WORD = re.compile(r"[\w'’-]+")


@lru_cache(maxsize=256)
def answer_kind(question: str) -> Asked:
    """Return what kind of answer a question expects; `ANY` where its words do not tell."""
    for kind, pattern in ((Asked.TIME, _TIME_ASKED), (Asked.NUMBER, _NUMBER_ASKED), (Asked.NAME, _NAME_ASKED)):
        if pattern.search(question):
            return kind
    return Asked.ANY


@lru_cache(maxsize=256)
def asks_now(question: str) -> bool:
    """Whether a question asks how things are, and not how they were or what all happened."""
    return _PAST_ASKED.search(question) is None


def holds_answer(kind: Asked, question: str, statement: str, names: Sequence[str] = ()) -> bool:
    """Return whether a statement holds an answer of this kind that the question does not say itself.

    Args:
        kind: What is asked.
        question: As asked.
        statement: A memory's summary.
        names: Names the memory mentions.
    """
    if kind is Asked.TIME:
        return _new(_TIME.findall(statement), question)
    if kind is Asked.NUMBER:
        return _new(_NUMBER.findall(statement), question)
    if _CHANGE.search(statement) is not None:
        return True
    if kind is Asked.ANY:
        return False
    said = set(_lower_words(question))
    if any(name[:1].lower() != name[:1] and said.isdisjoint(_lower_words(name)) for name in names if name.isascii()):
        return True
    if any(not name.isascii() and name not in question and not _overlaps(name, question) for name in names):
        return True
    return any(word.lower() not in said for word in _CAPITAL.findall(statement))


def _new(found: Sequence[str], question: str) -> bool:
    return any(piece not in question for piece in found)


def _lower_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _overlaps(name: str, question: str) -> bool:
    """Whether a name in a script without spaces shares two characters in a row with the question."""
    return any(is_cjk(left) and is_cjk(right) and left + right in question for left, right in pairwise(name))
