"""Latin-script sentences as tokens: technical names stay whole."""

import re
from functools import lru_cache
from typing import NamedTuple

from hindsight_graph.extraction.words import (
    AMBIGUOUS_SOFTWARE,
    FILE_ENDINGS,
    FIRST_NAMES,
    GENERIC_ACRONYMS,
    ORGANISATIONS,
    PLACES,
    SOFTWARE,
)
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.lazy import LazyPattern


class Token(NamedTuple):
    """A word, a technical name or one punctuation mark of a sentence."""

    text: str
    lower: str
    start: int
    end: int


_TOKEN = LazyPattern(
    r"""https?://[^\s<>"'`，。；）)]+
    |`[^`\n]{1,120}`
    |"[^"\n]{1,60}"|“[^”\n]{1,60}”
    |[^\s,;:!?"“”()\[\]{}<>|…—`，。；：！？、（）《》「」]+(?::(?=[\w/\\])[^\s,;:!?"“”()\[\]{}<>|…—`，。；：！？、（）《》「」]+)*(?:\(\))?
    |\S""",
    re.VERBOSE,
)
_TRAILING = ".'’‘*/-–"


def tokenise(text: str) -> list[Token]:
    """Return the tokens of `text` in order; linear."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, start = match.group(), match.start()
        if len(word) == 1 and word.isalnum():
            _append(tokens, word, start)
            continue
        if len(word) == 1 or word[0] in '"“`':
            tokens.append(Token(word, word.lower(), start, match.end()))
            continue
        lead = len(word) - len(word.lstrip("'‘’*"))
        word, start = word[lead:], start + lead
        bare = word.rstrip(_TRAILING)
        if bare:
            _append(tokens, bare, start)
        if len(bare) < len(word) and word[len(bare)] in ".-–":
            at = start + len(bare)
            tokens.append(Token(word[len(bare)], word[len(bare)], at, at + 1))
    return tokens


_ASSIGNED = LazyPattern(r"([A-Za-z_][\w.-]*)(=)(\S+)")
_PINNED = LazyPattern(r"([A-Za-z][\w.-]*)(==|>=|<=|~=|@)(v?\d[\w.]*)")
_OWNED = LazyPattern(r"(.+)(['’]s|(?<=s)['’])")
_LABELLED = frozenset(
    "service server node team module plan option group region zone cluster project room class vitamin component system "
    "step phase host worker shard replica table team app application product".split()
)
"""Nouns after which a capital A is a label and no article."""
_CAPITAL_NAMES = frozenset({"VS", "IT", "US"})
"""In capitals these are names; in lower case they are function words."""
_SHORTENED = frozenset("it he she that what who where there here let how when why".split())


def _append(tokens: list[Token], word: str, start: int) -> None:
    """Add one word, cut at an assignment or before the possessive s."""
    parts = (word,)
    if "=" in word or "'" in word or "’" in word:
        match = _PINNED.fullmatch(word)
        match = match or (None if word.startswith(("http", "-")) else _ASSIGNED.fullmatch(word)) or _OWNED.fullmatch(word)
        if match and match.group(1).lower() not in _SHORTENED:
            parts = match.groups()
    for part in parts:
        label = part in _CAPITAL_NAMES or (len(part) == 1 and part in "ABCDI" and tokens and tokens[-1].lower in _LABELLED)
        tokens.append(Token(part, part if label else part.lower(), start, start + len(part)))
        start += len(part)


_SHAPES = (
    (EntityType.SOFTWARE, LazyPattern(r"[A-Z][A-Za-z]*\.(?:js|io|ai)|[a-z]+\.js(?=$)")),
    (
        EntityType.PATH,
        LazyPattern(
            r"https?://.+|(?:ftp|ssh|s3|gs|jdbc|redis|postgres(?:ql)?|mysql|amqp|mongodb|file|git|wss?|tcp|udp)[:+\w]*://\S+"
        ),
    ),
    (EntityType.PERSON, LazyPattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")),
    (EntityType.PATH, LazyPattern(r"(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+*-]+)*/?|[A-Za-z]:\\\S+")),
    (EntityType.PATH, LazyPattern(r"[\w.@+-]+(?:/[\w.@+*-]+)+")),
    (
        EntityType.PATH,
        LazyPattern(
            rf"\.?[\w-]+(?:\.[\w-]+)*\.(?:{FILE_ENDINGS})|\.(?:env|gitignore|bashrc|zshrc|dockerignore|npmrc)|"
            rf"[Dd]ockerfile|Makefile"
        ),
    ),
    (EntityType.CODE, LazyPattern(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*\(\)")),
    (EntityType.NUMBER, LazyPattern(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{2,5})?")),
    (
        EntityType.SERVICE,
        LazyPattern(
            r"localhost(?::\d{2,5})?|(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|cn|local|internal|ai|app|co|de|uk|eu|cloud|"
            r"svc|example|test|lan|corp|info|tech|xyz|fr|jp)(?::\d{2,5})?"
        ),
    ),
    (EntityType.CODE, LazyPattern(r"(?:[A-Za-z_]\w*(?:\.|::))+[A-Za-z_]\w*")),
    (
        EntityType.CODE,
        LazyPattern(r"_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*|__\w+__|[A-Z][A-Z0-9]*_[A-Z0-9_]+|--?[a-z][a-z-]+=?\S*|\$\w+|@\w+"),
    ),
    (
        EntityType.NUMBER,
        LazyPattern(
            r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}|#\d+|[A-Z][A-Z0-9]+-\d+|v?\d+\.\d+\.\d+[\w.+-]*|v\d+(?:\.\d+)*[\w-]*"
        ),
    ),
    (EntityType.SOFTWARE, LazyPattern(r"[A-Za-z]*[a-z][A-Z]\w*|[A-Z]{2,}[a-z]\w*|[A-Z][a-z]+[A-Z]\w*")),
    (
        EntityType.SOFTWARE,
        LazyPattern(
            r"[A-Z][A-Za-z]*-[A-Z0-9][\w.]*(?:-\w+)*|[A-Za-z]+(?:-[A-Za-z]+)*-\d[\w.]*(?:-\w+)*|"
            r"[a-z]+-[a-z0-9]+-\d+\w?|(?=[\w-]*\d)[a-z]+\d*(?:-[a-z]*\d+[a-z]?\d*)+"
        ),
    ),
    (
        EntityType.SOFTWARE,
        LazyPattern(
            r"[A-Z][A-Z0-9]+s?(?:/[A-Z0-9]{2,})*|[A-Z]+\d+[A-Za-z]?|[A-Za-z]+\d+[a-z]*\d*|\d+[A-Z]{1,2}\d*(?!\w)|"
            r"[A-Z]\+\+|[CF]#|\.NET|[A-Za-z]+\.(?:js|io|ai)"
        ),
    ),
)
_COMPANION = LazyPattern(r"[a-z]+(?:-[a-z0-9]+)+")
_LIB_WORDS = frozenset(
    "library libraries librarian librarians liberal liberals liberate liberated liberty libido liberties".split()
)
_KEBAB_TAILS = frozenset(
    "service svc api db gateway worker server client app prod staging dev test cluster node queue topic cache proxy "
    "web ui backend frontend core cli sdk lib bot agent data logs locks img images assets exporter operator "
    "controller".split()
)
_QUANTITY = LazyPattern(
    r"[~<>≥≤+-]?\$?€?\d[\d.,:/-]*(?:[a-zA-Z%°]{0,4}|th|st|nd|rd|x|am|pm|ms|GB|MB|TB|KB|GiB|MiB|Gi|Mi|min|sec|hrs?|"
    r"days?|px|K|M|k|s|h|d|w|y)(?:/\w+)?"
)
_PLAIN_SLASH = LazyPattern(r"[a-z]+/[a-z]+|[A-Z][a-z]*/[A-Z]?[a-z]+")
_PROSE_DOT = LazyPattern(r"[A-Za-z]\.[A-Za-z]\.?|[a-z]+\.[A-Z][a-z]+")


@lru_cache(maxsize=16_384)
def shape_of(token: str) -> EntityType | None:
    """Return the type of a token that is a name by its form or because it is well known; None for ordinary words."""
    lower = token.lower()
    if lower in SOFTWARE or (lower in AMBIGUOUS_SOFTWARE and token[0].isupper()):
        return EntityType.SOFTWARE
    if token.isalpha() and (token.islower() or (token[0].isupper() and token[1:].islower())):
        return _known_word(token, lower)
    if token.upper() in GENERIC_ACRONYMS or _QUANTITY.fullmatch(token):
        return (
            EntityType.NUMBER
            if re.fullmatch(r"\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?(?::\d{2,5})?|\d+\.\d+\.\d+\S*|v\d\S*", token)
            else None
        )
    if "'" in token or "’" in token or _PLAIN_SLASH.fullmatch(token) or _PROSE_DOT.fullmatch(token):
        return None
    return EntityType.ORGANISATION if lower in ORGANISATIONS else _shape(token, lower)


def _shape(token: str, lower: str) -> EntityType | None:
    for kind, pattern in _SHAPES:
        if pattern.fullmatch(token):
            return kind
    if _COMPANION.fullmatch(token):
        parts = lower.split("-")
        if parts[-1] in _KEBAB_TAILS:
            return EntityType.SERVICE
        if any(part in SOFTWARE for part in parts) and parts[-1] not in {
            "based",
            "like",
            "style",
            "compatible",
            "specific",
            "only",
            "native",
            "free",
        }:
            return EntityType.SOFTWARE
    return None


def _known_word(token: str, lower: str) -> EntityType | None:
    if not token[0].isupper():
        return EntityType.SOFTWARE if len(lower) > 5 and lower.startswith("lib") and lower not in _LIB_WORDS else None
    if lower in FIRST_NAMES:
        return EntityType.PERSON
    if lower in PLACES:
        return EntityType.PLACE
    if lower in ORGANISATIONS:
        return EntityType.ORGANISATION
    return None
