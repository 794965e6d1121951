"""Which language a text is in, and where its sentences end; English and Chinese, safe around code, URLs and numbers."""

import re
from typing import Literal, NamedTuple

from hindsight_graph.text.lazy import LazyPattern

Language = Literal["en", "zh", "mixed", "other"]

HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Chinese characters, as the inside of a regular expression class."""

_HAN = LazyPattern(f"[{HAN}]")
_KANA_HANGUL = LazyPattern("[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_LATIN_WORD = LazyPattern(r"[A-Za-z\u00c0-\u024f]+(?:['’][A-Za-z]+)?")
_LETTER = LazyPattern(r"[^\W\d_]")
_SAMPLE = 20_000
"""Characters looked at: enough to tell, and a megabyte costs no more than a page."""

_ENGLISH_WORDS = frozenset(
    "a an the is are was were be been am do does did has have had will would can could should must may might of in on at to for "
    "from with by and or but not no if when because so that this these those it its i we you he she they my our your his her "
    "their what who which how why where there then than as don't doesn't it's i'm we're use uses".split()
)
_FOREIGN_WORDS = frozenset(
    "der die das und ist nicht ein eine mit auf für von zu wir ich sie le la les des du et est une un dans pour pas nous vous "
    "que qui el los las y es una por para con del al como más no está o os e um uma não com em na il lo gli di che per sono "
    "del della het een van niet en de".split()
) - {"no", "in", "a", "die", "con", "per", "al", "o", "y", "e"}


class Span(NamedTuple):
    """A stretch of a text: characters [start, end)."""

    start: int
    end: int


def detect_language(text: str) -> Language:
    """Return the language that `text` is written in.

    `zh` is Chinese, Simplified or Traditional, also with Latin names in it; `mixed` has English sentences or clauses beside
    Chinese ones; `other` is Japanese, Korean, any other script, or Latin text whose small words are not English. Latin text
    that does not tell (a name, an error line) counts as `en`; text without letters is `other`.
    """
    if text.isascii() and len(text) < 400:
        words = _LATIN_WORD.findall(text.lower())
        return "en" if words and not _is_foreign(words) else "other"
    sample = text[:_SAMPLE]
    han = len(_HAN.findall(sample))
    kana = len(_KANA_HANGUL.findall(sample))
    words = [word.lower() for word in _LATIN_WORD.findall(sample)]
    if kana and kana * 3 >= han:
        return "other"
    letters = len(_LETTER.findall(sample))
    latin = sum(map(len, words))
    if letters and (letters - han - kana - latin) * 2 > letters:
        return "other"
    if han:
        small = sum(1 for word in words if word in _ENGLISH_WORDS)
        if small >= 2 and len(words) >= 4:
            return "mixed" if han >= 2 else "en"
        return "zh" if han * 2 >= len(words) else "mixed"
    return "en" if words and not _is_foreign(words) else "other"


def _is_foreign(words: list[str]) -> bool:
    if _FOREIGN_WORDS.isdisjoint(words):
        return False
    foreign = sum(1 for word in words if word in _FOREIGN_WORDS)
    return foreign >= 2 and foreign > sum(1 for word in words if word in _ENGLISH_WORDS)


_END = LazyPattern(
    r"""(?P<wide>[。！？｡]+[”’」』）)"'》]*)        # Chinese ends always end
    |(?P<mark>[!?]+[”’"')\]]*)(?=\s|$|[^\x00-\x7f])
    |(?P<dots>\.\.+|…+)[”’"')\]]*(?=\s|$|[^\x00-\x7f])
    |(?P<dot>\.)[”’"')\]]*(?=\s|$|[\u4e00-\u9fff])
    |(?P<blank>\n[ \t\r]*\n\s*)""",
    re.VERBOSE,
)
_CODE_SPAN = LazyPattern(r"`[^`\n]+`")
_LAST_WORD = LazyPattern(r"[^\s(\[\"“'‘]{1,12}$")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie etc vs cf mr mrs ms dr prof sr jr st no nr approx ca fig sec ch vol ed inc ltd corp co dept est min max "
    "jan feb mar apr jun jul aug sep sept oct nov dec a.m p.m u.s u.k ph.d al".split()
)
_MAY_END = frozenset("etc inc ltd corp co a.m p.m u.s u.k ph.d no min max al ca mar dec ed".split())
"""Abbreviations that also close sentences: what follows decides."""


def split_sentences(text: str) -> list[Span]:
    """Return the spans of the sentences of `text`, trimmed of white space, in order; together they cover all but white space.

    Ends are full stops of both scripts, question and exclamation marks, dots of omission before a capital, and blank lines.
    A point inside a number, version, file name, URL, abbreviation, initial or code span is no end. Linear in the text.
    """
    spans: list[Span] = []
    code = [match.span() for match in _CODE_SPAN.finditer(text)] if "`" in text else []
    code_at = 0
    start = 0
    for match in _END.finditer(text):
        at, end = match.span()
        while code_at < len(code) and code[code_at][1] <= at:
            code_at += 1
        if code_at < len(code) and code[code_at][0] <= at:
            continue
        if at >= start and _ends_here(text, start, match):
            _append(spans, text, start, end)
            start = end
    _append(spans, text, start, len(text))
    return spans


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    kind = match.lastgroup
    after = text[match.end() : match.end() + 3].lstrip()[:1]
    if kind == "dots":
        return not after or not after.islower()
    if kind != "dot":
        return True
    before = _LAST_WORD.search(text, max(start, match.start() - 13), match.start())
    if before is None:
        return match.start() > start
    word = before.group().lower()
    if word in _ABBREVIATIONS:
        return not after or (word in _MAY_END and (after.isupper() or after > "\u2e80") and not after.isdigit())
    if word.isdigit():  # "1. Restart it" opens a list item
        return text[start : before.start()].strip() != ""
    return not (len(word) == 1 and before.group().isupper() and word != "i" and after.isupper())  # "J. Smith"


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start, end))
