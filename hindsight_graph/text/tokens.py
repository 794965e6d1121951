"""Words to terms: the one tokenizer that the index, the questions and the budgets share.

A term is lower-case text without white space or quotes: a stem (`depend`), a technical token kept whole (`log_level`,
`v1.2.3`, `find_by_email`), a number, or two neighbouring CJK characters (`支付`). Both stores index exactly these terms, so
both score alike. English stems are Snowball's ("Porter2", Porter 2001); CJK bigrams need no dictionary and find Chinese from
the first install.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

__all__ = ["CJK", "RECENT", "STOP_WORDS", "estimate_tokens", "fold", "index_terms", "is_cjk", "query_terms", "stem"]

_STOP_TEXT = """
    a about above after again against all am an and any are aren't as at be because been before being below between both but by
    can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further had hadn't has
    hasn't have haven't having he he'd he'll he's her here hers herself him himself his how how's i i'd i'll i'm i've if in into
    is isn't it it's its itself let's me more most mustn't my myself no nor not of off on once only or other ought our ours
    ourselves out over own same shan't she she'd she'll she's should shouldn't so some such than that that's the their theirs
    them themselves then there there's these they they'd they'll they're they've this those through to too under until up upon us
    very was wasn't we we'd we'll we're we've were weren't what what's when when's where where's which while who who's whom whose
    why why's will with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves also just
"""
STOP_WORDS = frozenset(_STOP_TEXT.split())
"""English function words and question words; a question that keeps its question words loses 7 points of recall@10 on LoCoMo."""

CJK = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Regex character class of the scripts written without spaces: Han, kana, and Hangul syllables."""

_CHINESE_QUESTION = re.compile(
    "为什么|为何|什么时候|什么|怎么样|怎么办|怎么|怎样|如何|哪些|哪个|哪里|哪儿|哪位|哪种|哪|谁|多少|几个|是否|是不是|有没有|请问|请|告诉我"
    "|一下|吗|呢|吧|啊|的|了|是|在|和|与|会|我们|你们|他们|有"
)
"""Question and function words at which a Chinese question is cut before its bigrams are made."""

_CACHE_SIZE = 65_536
RECENT = 4_096
"""Texts whose index terms are kept, about 1 kB each: the memories of a transaction (`pipelines.retain.UNITS`, 2,500) are analysed
once for their vectors and their index."""
_CACHEABLE = 64
"""Longer pieces are analysed each time, so that a cache entry stays small."""
_WHOLE_LIMIT = 64
"""Technical tokens longer than this are indexed by their parts alone."""

_PIECE = re.compile(f"[{CJK}]+|[^\\s{CJK}]+")
_CJK_CHARACTER = re.compile(f"[{CJK}]")
_TOKEN = re.compile(r"[^\W_]+(?:[^\W_]|['’](?=[^\W\d_])|,(?=\d{3}(?!\d))|[._\-/:@#+]+(?=[^\W_]))*(?:\+\+|#)?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECTION = re.compile(r"[/:@]+")
_PART = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_VERSION = re.compile(r"[vV]?\d+(?:\.\d+)+")
_POSSESSIVE = re.compile(r"['’]s?$")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str:  # noqa: N802 - the library's name
        """Return the stem of one word."""
        ...


def _make_stemmer() -> _Stemmer:
    return snowballstemmer.stemmer("english")  # pyright: ignore[reportUnknownMemberType]


_STEMMER = _make_stemmer()


@lru_cache(maxsize=_CACHE_SIZE)
def stem(word: str) -> str:
    """Return the Snowball English stem of a folded word; words of other scripts come back unchanged."""
    return _STEMMER.stemWord(word) if word.isascii() else word


def fold(text: str) -> str:
    """Return `text` in NFKC, case-folded, without accents (combining marks U+0300 to U+036F)."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return folded
    decomposed = unicodedata.normalize("NFD", folded)
    return unicodedata.normalize("NFC", "".join(mark for mark in decomposed if not "\u0300" <= mark <= "\u036f"))


def is_cjk(character: str) -> bool:
    """Whether one character belongs to a script written without spaces."""
    return _CJK_CHARACTER.match(character) is not None


def _word(token: str, *, keep_stops: bool) -> str:
    """Return the term of a plain word, or nothing for a stop word. Capitals save it: IT and US are names."""
    folded = fold(token).replace("’", "'")
    if not keep_stops and folded in STOP_WORDS and not (len(token) > 1 and token.isupper() and token.isalpha()):
        return ""
    return stem(_POSSESSIVE.sub("", folded).replace("'", ""))


def _parts(piece: str) -> list[str]:
    """Cut a piece without punctuation at its changes of case; the piece itself comes first."""
    humps: list[str] = _CAMEL.findall(piece) if piece.isascii() and piece.isalnum() else []
    return [piece, *humps] if len(humps) > 1 else [piece]


def _whole(token: str) -> str:
    return fold(token).replace(",", "").replace("’", "'").replace("'", "")


def _token_terms(token: str, out: list[str], *, keep_stops: bool) -> None:
    """Append the terms of one token: whole where it is technical, its sections (path and address parts), its words."""
    if _NUMBER.fullmatch(token):
        out.append(fold(token).replace(",", ""))
        return
    if _VERSION.fullmatch(token):
        whole = fold(token)
        out.append(whole)
        if whole[0] == "v":
            out.append(whole[1:])
        return
    pieces: list[str] = _PART.findall(token)
    if pieces != [token] and len(token) <= _WHOLE_LIMIT:
        out.append(_whole(token))
        sections = _SECTION.split(token)
        if len(sections) > 1:
            out.extend(_whole(section) for section in sections if not section.isalnum())
    technical = pieces != [token]
    for piece in pieces:
        for part in _parts(piece):
            term = _word(part, keep_stops=keep_stops) if len(part) > 1 or not technical else ""
            if term:
                out.append(term)


def _analyse_piece(piece: str, keep_stops: bool) -> tuple[str, ...]:
    out: list[str] = []
    for token in _TOKEN.findall(piece):
        _token_terms(token, out, keep_stops=keep_stops)
    return tuple(out)


_cached_piece = lru_cache(maxsize=_CACHE_SIZE)(_analyse_piece)


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [left + right for left, right in pairwise(run)]


def _analyse(text: str, keep_stops: bool, question: bool = False) -> list[str]:
    out: list[str] = []
    if text.isascii():
        for piece in text.split():
            out += (_cached_piece if len(piece) <= _CACHEABLE else _analyse_piece)(piece, keep_stops)
        return out
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        if piece.isascii() or not is_cjk(piece[0]):
            out += (_cached_piece if len(piece) <= _CACHEABLE else _analyse_piece)(piece, keep_stops)
        elif question:
            for run in _CHINESE_QUESTION.split(piece):
                if run:
                    out += _bigrams(run)
        else:
            out += _bigrams(piece)
    return out


def index_terms(text: str, context: str = "") -> tuple[str, ...]:
    """Return the terms a text is indexed under, in text order, repeats included; `context` (speaker, title) comes after.

    Stop words are left out, except from a text of nothing else. Terms hold letters, digits and `._-/:@#+` only.
    """
    return _index_terms(f"{text} {context}".strip() if context else text)


@lru_cache(maxsize=RECENT)
def _index_terms(text: str) -> tuple[str, ...]:
    return tuple(_analyse(text, keep_stops=False) or _analyse(text, keep_stops=True))


def query_terms(question: str) -> tuple[str, ...]:
    """Return the unique terms of a question in order, without function and question words unless nothing else remains."""
    terms = _analyse(question, keep_stops=False, question=True)
    if len(terms) > 1 and any(len(term) > 1 for term in terms):
        terms = [term for term in terms if len(term) > 1 or term.isdigit() or not is_cjk(term)]
    return tuple(dict.fromkeys(terms or _analyse(question, keep_stops=True)))


def estimate_tokens(text: str) -> int:
    """Estimate language-model tokens: one per CJK character, one per four other characters, rounded up.

    The usual rule of thumb for byte-pair vocabularies; it is a budget, not a bill.
    """
    wide = 0 if text.isascii() else len(_CJK_CHARACTER.findall(text))
    return wide + (len(text) - wide + 3) // 4
