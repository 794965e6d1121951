"""When two spellings name one thing: the normal form of names, and what must never be merged unasked.

Normal forms are keys: entity ids are made from them (`hindsight_graph.ids.entity_id`), so a change of a rule here gives
another id to a stored name, and needs a migration.
"""

import re
import unicodedata
from functools import lru_cache

from hindsight_graph.text.hanzi import to_simplified

NAME_LIMIT = 120
"""Characters in a name at most; what is longer is a sentence, not a name."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_LETTER = r"[^\W\d_]"
_LATIN_WITHOUT_DECOMPOSITION = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th",
})  # fmt: skip
_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u00b4\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u2033", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u30fb\u2022", "·")
    | dict.fromkeys("™®©", "")
)
_QUOTES = "'\"`«»‹›「」『』《》〈〉【】〔〕"
_LEADING = _QUOTES + ",;:!?。、…· \t"
_TRAILING = _QUOTES + ",;:!?。、…·. \t"
_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSERS = {close: opening for opening, close in _PAIRS.items()}

_LITERAL_TOKEN = re.compile(rf"[/\\@]|{_LETTER}\.{_LETTER}")
_SEPARATORS = re.compile(r"(?<=[^\W_])[-_]+(?=[^\W_])")
_ARTICLE = re.compile(rf"the (?=\S)|an? (?={_LETTER}{{2}})")
_ARTICLE_JOINED = re.compile(rf"(the|an?)[-_]+(?=(?<=the[-_])[^\W_]|{_LETTER}{{2}})")
_SPACE_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])")
_IS_CJK = re.compile(rf"[{_CJK}]")
_BULLET = re.compile(r"[-*]+ (?=\S)")
_POSSESSIVE = re.compile(r"(?<=\S)'s$")


@lru_cache(maxsize=65_536)
def normal_name(name: str) -> str:
    """Return the form in which all spellings of one name agree; the key of an entity in its tenant.

    Folded: width and compatibility forms (NFKC), case, accents on Latin letters, traditional Chinese characters, outer
    quotes, brackets and punctuation, a leading "the", "a", "an", a closing possessive, runs of white space, and hyphens or
    underscores between words ("payment-service" is "payment service"; inside paths, addresses and dotted names they stay).
    Kept apart: digits, signs that carry meaning (C, C++, C#, .NET, --force, #42, A-), and the case-blind letters themselves.
    The result of a result is itself.

    Raises:
        ValueError: The name has no letter, digit or symbol, or more than `NAME_LIMIT` characters, given or folded.
    """
    name = name.strip()
    if len(name) > NAME_LIMIT:
        raise ValueError(f"name of {len(name)} characters; a name has at most {NAME_LIMIT}: {name[:40]!r}...")
    form, previous = _fold_characters(name), ""
    while form != previous:
        previous, form = form, _fold_characters(_fold_separators(_peel(form)))
    if len(form) > NAME_LIMIT:
        raise ValueError(f"name of {len(form)} characters once folded; a name has at most {NAME_LIMIT}: {name[:40]!r}...")
    if not any(unicodedata.category(character)[0] in "LNS" for character in form):
        raise ValueError(f"name {name!r} has no letter, digit or symbol")
    return form


def _fold_characters(text: str) -> str:
    """Fold case, width, accents, script and white space; character by character, without regard to words."""
    if text.isascii():
        return " ".join(text.casefold().split())
    text = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS).casefold()
    letters: list[str] = []
    latin = False
    for character in unicodedata.normalize("NFD", text):
        category = unicodedata.category(character)
        if category == "Mn":
            if latin or "\ufe00" <= character <= "\ufe0f":
                continue
        elif category == "Cf":
            continue
        else:
            latin = "a" <= character <= "\u024f"
        letters.append(str(unicodedata.decimal(character)) if category == "Nd" else character)
    text = unicodedata.normalize("NFKC", "".join(letters)).translate(_LATIN_WITHOUT_DECOMPOSITION)
    return " ".join(to_simplified(text).split())


def _peel(text: str) -> str:
    """Take one layer of quotes, brackets, punctuation, bullet, article and possessive off, where something remains."""
    found = _BULLET.match(text)
    text = text[found.end() :] if found else text
    text = text.lstrip(_LEADING).rstrip(_TRAILING) or text
    while text.startswith(".") and not text[1:2].isalnum() and text.strip("."):
        text = text[1:].lstrip()
    text = _peel_brackets(text)
    stars = len(text) - len(text.lstrip("*"))
    if stars and text.endswith("*" * stars) and text.strip("*"):
        text = text.strip("*")
    article = _ARTICLE.match(text)
    text = text[article.end() :] if article else text
    return _POSSESSIVE.sub("", text)


def _peel_brackets(text: str) -> str:
    if len(text) > 2 and _PAIRS.get(text[0]) == text[-1] and _wraps(text):
        return text[1:-1]
    if len(text) > 1 and text[0] in _PAIRS and _PAIRS[text[0]] not in text:
        return text[1:]
    if len(text) > 1 and text[-1] in _CLOSERS and _CLOSERS[text[-1]] not in text:
        return text[:-1]
    return text


def _wraps(text: str) -> bool:
    """Whether the first bracket is closed by the last character and not before."""
    opening, close, depth = text[0], text[-1], 0
    for index, character in enumerate(text):
        depth += (character == opening) - (character == close)
        if depth == 0:
            return index == len(text) - 1
    return False


def _fold_separators(text: str) -> str:
    """Make hyphens and underscores between words one space, and drop spaces beside Chinese and Japanese characters."""
    if "-" in text or "_" in text:
        head = _ARTICLE_JOINED.match(text)
        rest = text[head.end() :] if head else text
        text = (f"{head[1]}-" if head else "") + " ".join(_fold_token(token) for token in rest.split(" "))
    return text if text.isascii() else _SPACE_BESIDE_CJK.sub("", text)


def _fold_token(token: str) -> str:
    return token if _LITERAL_TOKEN.search(token) else _SEPARATORS.sub(_separator_between, token)


def _separator_between(found: re.Match[str]) -> str:
    """Between two digits or two Chinese characters a hyphen can be a range, a date or a route: it stays one."""
    before, after = found.string[found.start() - 1], found.string[found.end()]
    if (before.isdigit() and after.isdigit()) or (_IS_CJK.match(before) and _IS_CJK.match(after)):
        return "-"
    return " "


_DIGITS = re.compile(r"\d+")
_CHINESE_NUMERALS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHINESE_NUMBER = re.compile(
    r"第([零〇一二两三四五六七八九十]+)|([零〇一二两三四五六七八九十]+)(?=[号期区楼层版线组队季月日年部院厂台班级环街栋室代])"
)
_NEGATIONS = frozenset({"not", "no", "non", "never", "without", "un", "anti", "ex"})
_CHINESE_NEGATION = re.compile(r"[不非无未禁勿]")
_SIBLINGS = (
    "production prod live 生产 线上 | staging stage 预发 预生产 | test testing qa 测试 | development dev 开发",
    "primary master leader 主库 主节点 | replica secondary standby slave follower 从库 备库 从节点 备节点",
    "old legacy former 旧 | new 新",
    "north 北 | south 南 | east 东 | west 西",
    "left 左 | right 右",
    "upper 上 | lower 下",
    "internal private 内部 内网 | external public 外部 外网",
    "inbound incoming 入站 | outbound outgoing 出站",
    "client 客户端 | server 服务端",
    "frontend 前端 | backend 后端",
    "read reader 读 | write writer 写",
    "source 源 | target 目标",
)
_QUALIFIERS = tuple(
    {word: meaning.split()[0] for meaning in family.split("|") for word in meaning.split()} for family in _SIBLINGS
)
"""Families of words that tell siblings apart: word to meaning, the meaning named by its first word."""


def same_thing_guard(first: str, second: str) -> str | None:
    """Say why two names must not be merged without force, or return None when nothing speaks against it.

    Two names are kept apart when they differ in their numbers (Room 101 and Room 102, v2 and v3, 一号 and 二号), in a word that
    stands for itself by one letter (Plan A and Plan B), in negation, in a qualifier that tells siblings apart (staging and
    production, primary and replica), or in the signs after one letter (C and C++). It never says that two names are one thing.

    Raises:
        ValueError: One of them is no name (`normal_name`).
    """
    a, b = normal_name(first), normal_name(second)
    if a == b:
        return None
    numbers_a, numbers_b = _numbers(a), _numbers(b)
    if numbers_a != numbers_b:
        return f"different numbers: {_listed(numbers_a)} and {_listed(numbers_b)}"
    words_a, words_b = set(re.split(r"[\s\-_]+", a)), set(re.split(r"[\s\-_]+", b))
    letters_a, letters_b = _single_letters(words_a), _single_letters(words_b)
    if letters_a != letters_b and ((letters_a and letters_b) or words_a - letters_a == words_b - letters_b):
        return f"different letters: {_listed(sorted(letters_a))} and {_listed(sorted(letters_b))}"
    if _is_negated(a, words_a) != _is_negated(b, words_b):
        return f"one of them is negated: {first!r}, {second!r}"
    return _differing_qualifier(a, words_a, b, words_b)


def _numbers(form: str) -> list[str]:
    """All numbers in it, in order of appearance, as ASCII digits; leading zeros count."""
    found = {match.start(): match[0] for match in _DIGITS.finditer(form)}
    found |= {match.start(): str(_chinese_value(match[1] or match[2])) for match in _CHINESE_NUMBER.finditer(form)}
    return [found[position] for position in sorted(found)]


def _chinese_value(numeral: str) -> int:
    tens, found, units = numeral.partition("十")
    if not found:
        return int("".join(str(_CHINESE_NUMERALS[character]) for character in numeral))
    return (_chinese_value(tens) if tens else 1) * 10 + (_chinese_value(units) if units and "十" not in units else 0)


def _single_letters(words: set[str]) -> set[str]:
    """Words of one letter, with the signs that follow it: a, b, c++, c#."""
    return {word for word in words if re.fullmatch(r"[a-z][+#*-]*", word)}


def _is_negated(form: str, words: set[str]) -> bool:
    return not _NEGATIONS.isdisjoint(words) or _CHINESE_NEGATION.search(form) is not None


def _differing_qualifier(a: str, words_a: set[str], b: str, words_b: set[str]) -> str | None:
    for family in _QUALIFIERS:
        found_a = {meaning for word, meaning in family.items() if _holds(a, words_a, word)}
        found_b = {meaning for word, meaning in family.items() if _holds(b, words_b, word)}
        if found_a and found_b and found_a.isdisjoint(found_b):
            return f"different qualifiers: {_listed(sorted(found_a))} and {_listed(sorted(found_b))}"
    return None


def _holds(form: str, words: set[str], word: str) -> bool:
    return word in words if word.isascii() else word in form


def _listed(values: list[str]) -> str:
    return ", ".join(values) if values else "none"
