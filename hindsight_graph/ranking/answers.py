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
    r"\bwhen\b|\b(?:which|what) (?:day|date|time|month|year|hour|weekday|slot)\b|\bwhat is the slot\b|\bdeadlines?\b|\bdue\b"
    r"|截止|期限|到期|什么时候|何时|哪天|哪一天|几点|几号|星期几|周几|哪年|哪个月",
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
    r"december|noon|midnight|morning|evening|o'clock)\b|\b\d{1,2}(?::\d\d| ?[ap]m)\b|\b\d{4}\b|\bmay \d|\d may\b"
    r"|周[一二三四五六日末]|星期|[\d一二三四五六七八九十]+[点号月日年]",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|nowadays|these days|currently|at present|from (?:now|today|this)|as of|since|moved|migrated|relocated"
    r"|switched|upgraded|downgraded|rolled back|replaced|raised|lowered|cut|renamed|shifted|changed"
    r"|took over|taken over|hand(?:s|ed) (?:over )?to|assigned|appointed|signed|awarded|chose|chosen|picked|went to|belongs to"
    r"|comes from|go(?:es)? to|no longer|instead|new owner"
    r"|(?:went|goes|gone) (?:up|down)|rose|risen|fell|dropped|increased|decreased|reduced|extended|postponed"
    r"|delayed|brought forward"
    r"|pulled forward|ported|rebuilt|rewritten|stepped in|stands in|put in charge)\b"
    r"|现在|如今|目前|从今天|从今|今后|以后都|换成|换到|换了|改用|改为|改成|改到|改由|改在|迁到|迁移到|搬到|搬去|转到|转给|转交|接手|接管|升级|降级|回滚|不再|已经"
    r"|从.{1,6}起|以后找|涨到|涨至|涨了|降到|降至|降了|调整[为成到]|变成|变为|变更|延到|延至|延期|推迟|提前|挪到|移到|安排[到在给]|改期|顶替|接班|替换"
    r"|来自|出自|交给|移交|给了|归给|划归|签了|签下|签约|签给|中标|承包|外包给|选了|选定|选用|定为|定在|敲定|指定|任命|接任|接过|落户|搬进|住进|轮到",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"\b(?:ask(?:s|ed)?|talk(?:s|ed|ing)?|jokes?|joked|wrote|writes?|writing|wonder(?:s|ed)?|complain(?:s|ed)?|spoke|speaks?|argu(?:es|ed)"
    r"|articles?|pages?|posts?|stor(?:y|ies)|questions?|meeting|discussion|presentation)\b.{0,12}\b(?:about|regarding|concerning)\b"
    r"|\b(?:mention|prais|discuss|criticis|criticiz|celebrat)(?:es|ed|s|ing)\b"
    r"|\bto (?:mention|praise|discuss|criticise|criticize|celebrate|review|audit)\b|\bcame up\b"
    r"|提到|提起|提及|说起|谈到|谈起|谈了|谈论|讨论|聊到|聊起|夸|称赞|表扬|批评|吐槽|抱怨|评估|评审了|庆祝|问起|问到|写一篇|介绍过",
    re.IGNORECASE,
)
"""Says that a thing was talked about, not how it is."""
_CIRCUMSTANCE = re.compile(
    r"(?:\b(?:about|on|regarding|concerning|because of|due to|thanks to|despite|explaining|poster of|picture of|topic of)"
    r"|对|对于|关于|因为|由于|为了|讲|聊|谈|想起|忘记) ?(?:the |our |a |an )?$",
    re.IGNORECASE,
)
"""What stands before a thing that something happens to be about, or because of: nothing is said about how the thing is."""
_STATED = re.compile("[由归是在到给让找用成为]([\u4e00-\u9fff]{2,})")
"""In Chinese, what follows a word of being, place or handing over: a value, also where no name was recognised."""
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
def asks_now(question: str, names: tuple[str, ...] = ()) -> bool:
    """Whether a question asks how things are, and not how they were or what all happened; words within `names` say nothing."""
    for name in names:
        question = re.sub(re.escape(name), " ", question, flags=re.IGNORECASE)
    return _PAST_ASKED.search(question) is None


def holds_answer(kind: Asked, question: str, statement: str, names: Sequence[str] = (), things: Sequence[str] = ()) -> bool:
    """Return whether a statement holds an answer of this kind that the question does not say itself.

    Args:
        kind: What is asked.
        question: As asked.
        statement: A memory's summary.
        names: Names the memory mentions.
        things: Known things that the question names.
    """
    changed, talks = _manner(statement)
    if not changed and (talks or _is_circumstance(statement, things)):
        return False
    if kind is Asked.TIME:
        return _new(_TIME.findall(statement), question)
    if kind is Asked.NUMBER:
        return _new(_NUMBER.findall(statement), question)
    if changed or kind is Asked.ANY:
        return changed
    said = set(_lower_words(question))
    if any(name[:1].lower() != name[:1] and said.isdisjoint(_lower_words(name)) for name in names if name.isascii()):
        return True
    if any(not name.isascii() and name not in question and not _overlaps(name, question) for name in names):
        return True
    if any(word.lower() not in said for word in _CAPITAL.findall(statement)):
        return True
    for thing in things:
        statement = statement.replace(thing, "，")
    return any(stated not in question and not _overlaps(stated[:2], question) for stated in _STATED.findall(statement))


@lru_cache(maxsize=16_384)
def _manner(statement: str) -> tuple[bool, bool]:
    """Return whether a statement tells a change, and whether it only talks of a thing; the best are met again and again."""
    return _CHANGE.search(statement) is not None, _TALK.search(statement) is not None


def _is_circumstance(statement: str, things: Sequence[str]) -> bool:
    """Whether a statement speaks of one of the things only as what something is about."""
    lower = statement.lower()
    for thing in things:
        at = lower.find(thing.lower())
        if at > 0 and _CIRCUMSTANCE.search(statement[:at]) is not None:
            return True
    return False


def _new(found: Sequence[str], question: str) -> bool:
    return any(piece not in question for piece in found)


def _lower_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _overlaps(name: str, question: str) -> bool:
    """Whether a name in a script without spaces shares two characters in a row with the question."""
    return any(is_cjk(left) and is_cjk(right) and left + right in question for left, right in pairwise(name))
