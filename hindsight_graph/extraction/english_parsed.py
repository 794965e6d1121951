"""Names in parsed English sentences: those of the rules, checked, and what the grammar shows to be the name of a thing."""

from collections.abc import Iterable

from hindsight_graph.extraction.english import HEADS
from hindsight_graph.extraction.findings import Link, Name
from hindsight_graph.extraction.kinds_en import is_human, is_person, is_trouble
from hindsight_graph.extraction.noun_phrases_en import Phrases
from hindsight_graph.extraction.syntax import Parse, Word
from hindsight_graph.extraction.things_en import EVENTS, PARTS, THINGS
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.extraction.words import GENERIC_ACRONYMS, MONTHS_AND_DAYS
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_OF_THINGS = frozenset({R.DEPENDS_ON, R.USES, R.AVOIDS, R.PREFERS, R.REPLACES, R.PART_OF, R.OWNS, R.LOCATED_IN, R.PRODUCES})
"""Relations whose ends are things, unless their head noun says otherwise."""
_FUNCTION = frozenset("neither both either nor and or the a an our my your its their no not only even".split())
_WORD = LazyPattern(r"[A-Za-zÀ-ÿ][\w'’.+-]*")
_VERSIONED = LazyPattern(r".*\s(?:v?\d[\w.]*|[A-Z]\d*|\d+[A-Z])")


def find_names(parse: Parse, ruled: list[Name], links: Iterable[Link], actor: str = "user") -> list[Name]:
    """Return the names in a parsed sentence, in order, without overlaps; the longest of those that overlap."""
    phrases = Phrases(parse, actor, person=False)
    found = [name for name in (_without_function_words(name) for name in ruled) if name is not None]
    for word in parse.words:
        if word.is_noun and _is_head(parse, word):
            name = _thing(parse, phrases, word)
            if name is not None:
                found.append(name)
    for link in links:
        if link.type in _OF_THINGS:
            found.extend(name for end in (link.source, link.target) for name in _end(parse, end))
    return _longest(found)


def topic(parse: Parse, actor: str, before: str) -> str:
    """Return what a sentence is about: its first subject that is a thing or a person with a name; for "it", what `before` was."""
    phrases = Phrases(parse, actor, person=False)
    for word in parse.words:
        if word.dep in {"nsubj", "nsubjpass"}:
            if word.lower in {"it", "they", "this", "that", "he", "she"}:
                return before
            return next(iter(phrases.named(word)), "") if word.is_noun else ""
    return ""


def _without_function_words(name: Name) -> Name | None:
    words = name.text.split()
    while words and words[0].lower() in _FUNCTION and len(words) > 1:
        start = name.start + len(words[0]) + 1
        name = name._replace(text=" ".join(words[1:]), start=start)
        words = words[1:]
    return None if len(words) == 1 and name.text.upper() in GENERIC_ACRONYMS else name


def _is_head(parse: Parse, word: Word) -> bool:
    head = parse.words[word.head]
    return not (word.dep in {"compound", "amod", "nmod", "nummod"} and head.index > word.index)


def _thing(parse: Parse, phrases: Phrases, word: Word) -> Name | None:
    """Return the phrase around a noun when its head noun is known as a system, device, part, good or place of work."""
    span = phrases.span(word)
    if span is None or span[0] == span[1] or is_trouble(word.lemma):
        return None
    left, right = span
    words = parse.words[left : right + 1]
    head = parse.words[right] if parse.words[right].is_noun else word
    modifiers = words[: word.index - left]
    if any(one.lower in MONTHS_AND_DAYS for one in words):
        return None
    text = parse.text[words[0].start : words[-1].end]
    kind = HEADS.get(word.lower) or HEADS.get(word.lemma)
    known = kind is not None or word.lemma in THINGS or word.lemma in PARTS
    if not modifiers:
        labelled = right > word.index and word.text[:1].isupper() and _VERSIONED.fullmatch(text) is not None
        return _name(parse, left, right, kind or EntityType.OTHER) if labelled or (known and right > word.index) else None
    if not known:
        return _name(parse, left, right, EntityType.SOFTWARE) if right > word.index and _VERSIONED.fullmatch(text) else None
    while modifiers and not modifiers[0].is_noun:
        modifiers, left = modifiers[1:], left + 1
    if not modifiers or any(not (one.is_noun or one.text in {"-", "/"}) for one in modifiers):
        return None
    if kind is None and word.lemma in PARTS and any(_is_software(one.text) for one in modifiers):
        return None  # "the Varnish cache": the software is the name
    return _name(parse, left, head.index, kind or EntityType.OTHER)


def _is_software(word: str) -> bool:
    return shape_of(word) is EntityType.SOFTWARE and word.upper() not in GENERIC_ACRONYMS


def _name(parse: Parse, left: int, right: int, kind: EntityType) -> Name:
    start, end = parse.words[left].start, parse.words[right].end
    return Name(" ".join(parse.text[start:end].split()), start, end, kind)


def _end(parse: Parse, phrase: str) -> list[Name]:
    """Return the end of a relation as a name, unless it is a pronoun, a person's role, an event or a general noun."""
    start = parse.text.find(phrase)
    words = phrase.split()
    if start < 0 or len(words) > 4 or is_person(phrase):
        return []
    last = words[-1].lower()
    lemma = next((word.lemma for word in parse.words if word.end == start + len(phrase)), last)
    if is_trouble(phrase) or lemma in EVENTS or last in EVENTS or is_human(last):
        return []
    kind = shape_of(phrase) or HEADS.get(last) or EntityType.OTHER
    if len(words) == 1:
        plain = phrase.islower() and shape_of(phrase) is None
        if plain and not (lemma in THINGS or (lemma.endswith(("er", "or")) and len(lemma) > 5)):
            return []
        if not _WORD.fullmatch(phrase) and shape_of(phrase) is None:
            return []
    elif not all(_fits(parse, start + offset) for offset in _offsets(phrase)):
        return []
    return [Name(phrase, start, start + len(phrase), kind)]


def _offsets(phrase: str) -> list[int]:
    found: list[int] = []
    at = 0
    for word in phrase.split()[:-1]:
        at = phrase.index(word, at)
        found.append(at)
        at += len(word)
    return found


def _fits(parse: Parse, at: int) -> bool:
    """Whether a modifier is a noun, a name, or an adjective that belongs to the name."""
    word = next((word for word in parse.words if word.start <= at < word.end), None)
    return (
        word is None
        or word.is_noun
        or word.tag in {"HYPH", "POS"}
        or word.text[:1].isupper()
        or "-" in word.text
        or (word.tag in {"JJ", "VBN", "VBG"} and word.dep in {"amod", "compound", "nmod"} and word.lower not in _LOOSE)
    )


_LOOSE = frozenset(
    "new old broken slow fast good bad failing failed stale expired misconfigured signed dirty cheap "
    "expensive legacy spare extra local "
    "remote internal external big small large bold flaky".split()
)


def _longest(names: list[Name]) -> list[Name]:
    taken: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start - name.end, name.start)):
        if all(name.end <= other.start or name.start >= other.end for other in taken):
            taken.append(name)
    return sorted(taken, key=lambda name: name.start)
