"""Noun phrases and clauses of an English sentence: who does it, to what, and where that ends."""

import re
from typing import NamedTuple

from hindsight_graph.extraction.english import ING_NOUNS
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    BASES,
    BE,
    CLAUSE_TAKERS,
    CONJUNCTIONS,
    DETERMINERS,
    FINITE,
    NEGATIVES,
    PARTICIPLES,
    PLAIN_VERBS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    TIME_WORDS,
    VERB_FORMS,
)
from hindsight_graph.extraction.rules_en import Pattern, patterns_by_word
from hindsight_graph.extraction.tokens_en import Token, shape_of
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

STOPS = frozenset(', ; : . ! ? ( ) [ ] { } … — – " “ ” | => -> →'.split())
_GENERIC_ARGUMENTS = frozenset(
    "it this that them they he she him her these those which who what something anything everything nothing one ones "
    "things stuff lot way itself there here us all each both more less some any same other others".split()
)
LEAD_WORDS = (
    ADVERBS - {"too", "very", "much", "all", "both", "almost", "nearly", "only"}
    | TIME_WORDS
    | frozenset(
        "then also however therefore so and but or please ok okay well yes no hi hello hey note that moreover "
        "furthermore meanwhile besides additionally finally  next if when because since while "
        "although though once whereas like".split()
    )
)
_FIRST = frozenset("i i'm i've i'd i'll me my i’m i’ve i’d i’ll".split())
_MAX_ARGUMENT = 80


ANY_OBJECT = Pattern(R.RELATED_TO, frozenset(), ())
CLAUSE_STOPS = frozenset(
    ", ; : . ! ? ( ) — – because so therefore but although though while whereas unless if when which hence".split()
)
SUBJECT_CONTRACTIONS = frozenset(
    f"{pronoun}{mark}{end}"
    for pronoun in ("i", "we", "you", "they", "he", "she", "it")
    for mark in "'’"
    for end in ("m", "re", "ve", "d", "ll", "s")
)
_PLAIN_WORD = LazyPattern(r"(?!the\b|a\b|an\b|this\b|our\b)[a-z]{2,}")
_PARTICLES = frozenset("up down out off away over back".split())
_ARTICLES = frozenset("the a an our my their his her its your this that these those".split())
_EVERY = frozenset("every each last next this a any".split())
_SPANS = frozenset(
    "year month week day night morning evening afternoon time spring summer autumn fall winter quarter sprint monday "
    "tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december".split()
)
_SETTINGS = frozenset(
    "production prod staging dev development test testing general particular practice most some many several all "
    "turn time fact minutes seconds hours two three five ten total".split()
)


_CLAUSE_OPENERS = frozenset("then please so but if when because instead".split())
_NO_SUBJECT = DETERMINERS - {"this", "that", "these", "those"}
_NOT_A_MEMBER = (
    frozenset("then use not never also do don't only".split())
    | PRONOUNS
    | AUXILIARIES
    | PREPOSITIONS
    | SUBORDINATORS
    | ADVERBS
    | BASES
) - {"all", "both", "some"}


_IDIOMS = (
    (("don't", "forget", "to"), 3),
    (("don’t", "forget", "to"), 3),
    (("not", "forget", "to"), 3),
    (("never", "forget", "to"), 3),
    (("remember", "to"), 2),
    (("no", "choice", "but", "to"), 4),
    (("can't", "help", "but"), 3),
    (("would", "you", "mind"), 3),
)
"""Words that only say that what follows has to be done."""
_IDIOM_WORDS = frozenset({"forget", "remember", "choice", "help", "mind"})
_WILLING = frozenset("want wants wanted plan plans planned like intend intends intended wish try tries tried going".split())
"""Verbs whose denial is a denial of what follows: "do not want to use"."""
_DENYING = frozenset("no none nobody neither nothing few hardly".split())
_NEVER_NAMES = NEGATIVES - {"longer", "barely"} | frozenset(
    "no none nobody neither nor nothing avoid avoids avoiding without hardly instead suppose".split()
)
"""Words with which no argument of a relation begins."""


def without_idioms(tokens: list[Token]) -> list[Token]:
    """Return the tokens without "don't forget to", "remember to" and "do not forget to", so that the order itself is read."""
    if _IDIOM_WORDS.isdisjoint([token.lower for token in tokens]):
        return tokens
    for words, length in _IDIOMS:
        for at in range(len(tokens) - length):
            if tokens[at].lower == words[0] and tuple(token.lower for token in tokens[at : at + length]) == words:
                first = at - 1 if words[0] == "not" and at and tokens[at - 1].lower in {"do", "does", "did"} else at
                if words[0] == "no" and at and tokens[at - 1].lower in {"have", "had", "has"}:
                    first = at - 1
                return tokens[:first] + tokens[at + length :]
    return tokens


class Match(NamedTuple):
    """A pattern at tokens [start, end)."""

    pattern: Pattern
    start: int
    end: int


def match_at(tokens: list[Token], index: int) -> Match | None:
    """Return the longest pattern that begins at token `index`."""
    for pattern in patterns_by_word().get(tokens[index].lower, ()):
        end = _match_rest(tokens, index + 1, pattern)
        if end:
            return Match(pattern, index, end)
    return None


def _match_rest(tokens: list[Token], at: int, pattern: Pattern) -> int:
    for number, alternatives in enumerate(pattern.rest):
        word = tokens[at].lower if at < len(tokens) else ""
        if number == 0 and word in ADVERBS and word not in alternatives and at + 1 < len(tokens):
            at += 1
            word = tokens[at].lower
        if word in alternatives and word:
            at += 1
        elif "" not in alternatives:
            return 0
    return at


class Subject(NamedTuple):
    """Who does it: phrases, and how the verb group said it."""

    phrases: tuple[str, ...]
    negated: bool = False
    passive: bool = False
    implicit: bool = False
    """There is no subject because the clause begins here."""
    bare: bool = True
    """The verb may have its base form: an auxiliary or "to" stands before it, or the subject is a pronoun."""
    inherits: bool = False
    """The clause goes on with the last subject: "and writes …"."""
    whole: str = ""
    """The clause that ", which" stands for."""


class PhraseReader:
    """Finds the phrases of one sentence; remembers the last subject for verbs that have none of their own.

    Args:
        text: The sentence. tokens: its tokens.
        actor: Who "I" is, and whom an order addresses.
        person: "we" is the actor too.
    """

    def __init__(self, text: str, tokens: list[Token], actor: str, *, person: bool) -> None:
        self.text = text
        self.tokens = tokens
        self.actor = actor
        self.person = person
        self.links: list[Link] = []
        self.subject: tuple[str, ...] = ()
        self.avoided: str = ""

    def link(self, source: str, relation: R, target: str, label: str, confidence: float = 0.9) -> None:
        """Note a relation between two phrases that name something."""
        if not source or not target or source.lower() == target.lower():
            return
        if not any(end.split(maxsplit=1)[0].lower() in _NEVER_NAMES for end in (source, target)):
            self.links.append(Link(source, relation, target, label, confidence))

    def subjects(self, start: int) -> Subject | None:
        """Return the subject of the verb group whose main word is token `start`, or None when a noun must stand there."""
        tokens = self.tokens
        at = start - 1
        negated = passive = modal = bare = False
        while at >= 0:
            lower = tokens[at].lower
            if lower in NEGATIVES and not (lower == "not" and tokens[at + 1].lower == "only"):
                negated = True
            passive = passive or lower in BE
            if lower in SUBJECT_CONTRACTIONS:
                return Subject(self.pronoun(re.split("['’]", lower)[0]), negated=negated, passive=passive)
            if lower == "to" and at > 0 and tokens[start].lower in BASES:
                modal = True
            elif lower in AUXILIARIES:
                bare = True
            elif lower == "what" and at > 0 and tokens[at - 1].lower in BE:
                passive = False
            elif lower not in ADVERBS:
                break
            at -= 1
        if modal:
            phrases = self.clause_subject(at)
            if not negated and self._is_unwilling(at):
                negated = tokens[at].lower in _WILLING
                phrases = phrases if negated else ()
                at = max(at, 0)
            return Subject(phrases, negated=negated, implicit=not phrases) if phrases or at < 0 else None
        if at < 0:
            return Subject((), negated=negated, passive=passive, implicit=True)
        return self._subject_at(at, negated=negated, passive=passive, bare=bare)

    def _subject_at(self, at: int, *, negated: bool, passive: bool, bare: bool) -> Subject | None:
        """Return the subject whose last token is `at`."""
        lower = self.tokens[at].lower
        if lower in STOPS or lower in CONJUNCTIONS or lower in _CLAUSE_OPENERS:
            inherits = lower in CONJUNCTIONS or lower == ","
            return Subject((), negated=negated, passive=passive, implicit=True, inherits=inherits)
        if lower in {"that", "which", "who"}:
            apart = at > 0 and self.tokens[at - 1].text == ","
            before = at - 2 if apart else at - 1
            phrases = self.phrase_before(before)
            start = self._clause_start(before + 1)
            if apart and lower == "which" and self._has_verb(start, before + 1):
                return Subject(phrases, negated=negated, passive=passive, whole=self.clause(start, before + 1))
        elif lower in _NO_SUBJECT or lower in PREPOSITIONS:
            return None
        else:
            phrases = self.phrase_before(at)
            bare = bare or lower in {"you", "they", "we", "i"}
            if not phrases or phrases[0].split()[0].lower() in _DENYING or self._is_denied(at, phrases[0]):
                return None
            return Subject(phrases, negated=negated, passive=passive, bare=bare)
        return Subject(phrases, negated=negated, passive=passive) if phrases else None

    def _is_unwilling(self, before: int) -> bool:
        """Whether the clause up to token `before` denies: "does not need | to use"."""
        at = before
        while at >= 0 and self.tokens[at].lower not in CLAUSE_STOPS:
            if self.tokens[at].lower in NEGATIVES:
                return True
            at -= 1
        return False

    def _is_denied(self, last: int, phrase: str) -> bool:
        """Whether "no" or "neither" stands before the phrase that ends at token `last`: "No service uses X"."""
        tokens = self.tokens
        first = last
        while first > 0 and last - first < len(phrase.split()) + 8:
            first -= 1
            if tokens[first].lower in STOPS or tokens[first].lower in SUBORDINATORS or tokens[first].lower in AUXILIARIES:
                break
            if tokens[first].lower in {"no", "neither", "none", "few"}:
                return True
        return False

    def pronoun(self, word: str) -> tuple[str, ...]:
        """Return whom a personal pronoun stands for; empty when that is unknown."""
        if word in {"i", "you", "my", "me"}:
            return (self.actor,)
        if word in {"we", "us"}:
            return (self.actor,) if self.person else ("we",)
        return self.subject if word in {"it", "they", "he", "she"} else ()

    def phrase_before(self, last: int) -> tuple[str, ...]:
        """Return the noun phrases that end at token `last`; "A and B" are two."""
        tokens = self.tokens
        first = last
        while first >= 0:
            token = tokens[first]
            lower = token.lower
            if lower in STOPS or (lower in SUBORDINATORS and lower != "before") or (lower in CLAUSE_TAKERS and first < last):
                break
            if lower in {"and", "or", "&"} and self._has_verb(self._clause_start(first), first):
                break
            if (lower in AUXILIARIES and lower != "'s") or (lower in PLAIN_VERBS and first < last and lower not in PARTICIPLES):
                antecedent = self._antecedent(first)
                if antecedent:
                    return antecedent
                break
            first -= 1
        first += 1
        if (
            first > 1
            and tokens[first - 1].text == ","
            and any(token.lower in {"and", "or"} for token in tokens[first : last + 1])
        ):
            first = self._list_start(first)
        return self.split(first, last + 1)

    def _antecedent(self, verb: int) -> tuple[str, ...]:
        """The noun phrase that a relative clause with this verb hangs on: "the service that handles billing"."""
        for at in range(verb - 1, max(-1, verb - 5), -1):
            lower = self.tokens[at].lower
            if lower in {"that", "which", "who"} and at > 0 and self.tokens[at - 1].lower not in CLAUSE_TAKERS:
                return self.phrase_before(at - 1)
            if lower in STOPS:
                break
        return ()

    def _list_start(self, first: int) -> int:
        """Take in the earlier members of "A, B and C"."""
        at = first - 1
        while at > 0 and self.tokens[at].text == ",":
            begin = at - 1
            while begin >= 0 and self.tokens[begin].lower not in STOPS and self.tokens[begin].lower not in SUBORDINATORS:
                begin -= 1
            if at - begin > 5 or self._has_verb(begin + 1, at) or self.tokens[begin + 1].lower in LEAD_WORDS | PREPOSITIONS:
                break
            first = begin + 1
            at = begin
        return first

    def _clause_start(self, index: int) -> int:
        while (
            index > 0
            and self.tokens[index - 1].lower not in STOPS
            and self.tokens[index - 1].lower not in {"but", "because", "if", "when", "while", "so", "that"}
        ):
            index -= 1
        return index

    def _has_verb(self, start: int, end: int) -> bool:
        return any(
            token.lower in PLAIN_VERBS
            or (token.lower in AUXILIARIES and token.lower != "'s")
            or match_at(self.tokens, at) is not None
            for at, token in enumerate(self.tokens[start:end], start)
        )

    def split(self, start: int, end: int) -> tuple[str, ...]:
        """Return the noun phrases in tokens [start, end); "A and B" are two."""
        tokens = self.tokens
        start = self._strip_lead(start, end)
        parts: list[str] = []
        begin = start
        inside = any(token.lower in PREPOSITIONS for token in tokens[start:end])
        for at in range(start, end + 1):
            if at == end or (tokens[at].lower in {"and", "or", "&", ",", "both"} and not inside):
                phrase = self.phrase(begin, at)
                if phrase:
                    parts.append(phrase)
                begin = at + 1
        return tuple(parts)

    def _strip_lead(self, start: int, end: int) -> int:
        tokens = self.tokens
        while start < end and tokens[start].lower in LEAD_WORDS:
            start += 1
        if end - start > 2 and tokens[start].lower in _EVERY and tokens[start + 1].lower in _SPANS:
            start += 2
        if start < end and tokens[start].lower in PREPOSITIONS and not tokens[start].text.isupper():
            for at in range(end - 1, start, -1):
                if tokens[at].lower in DETERMINERS or tokens[at].lower in PRONOUNS:
                    if at > start + 1:
                        return at
                    break
            if end - start > 2 and tokens[end - 1].text[0].isupper():
                return end - 1
        return start

    def phrase(self, start: int, end: int) -> str:
        """Return the words of tokens [start, end) without determiners, pronouns resolved; empty when they name nothing."""
        tokens = self.tokens
        while start < end and (tokens[start].lower in DETERMINERS or tokens[start].lower in LEAD_WORDS) and end - start > 1:
            start += 1
        while end > start and tokens[end - 1].lower in ADVERBS | TIME_WORDS and end - start > 1:
            end -= 1
        if start >= end:
            return ""
        if end - start > 2 and tokens[start + 1].lower in {"from", "in", "at", "of"} and self._is_given_name(tokens[start]):
            end = start + 1  # "Marta from the data team"
        if end - start == 1:
            lower = tokens[start].lower
            if lower in _FIRST or lower in {"we", "you", "us"}:
                return next(iter(self.pronoun(lower.split("'")[0])), "")
            if lower in {"it", "they", "he", "she"} and len(self.subject) == 1:
                return self.subject[0]
            if lower in _GENERIC_ARGUMENTS or lower in DETERMINERS or lower in AUXILIARIES or lower in PREPOSITIONS:
                return ""
        written = " ".join(self.text[tokens[start].start : tokens[end - 1].end].split()).strip("`\"“”'*")
        written = written.removesuffix("()")
        return written if len(written) <= _MAX_ARGUMENT and any(character.isalnum() for character in written) else ""

    def _is_given_name(self, token: Token) -> bool:
        return shape_of(token.text) is EntityType.PERSON

    def objects(self, start: int, pattern: Pattern) -> tuple[tuple[str, ...], int]:
        """Return the noun phrases that begin at token `start` and where they end."""
        phrases: list[str] = []
        end = self.object_end(start, pattern)
        at = start
        while True:
            phrase = self.phrase(at, end)
            if not phrase:
                break
            phrases.append(phrase)
            following = self._continues(end, pattern)
            if not following:
                break
            at, end = following, self.object_end(following, pattern)
        return tuple(phrases), end

    def object_end(self, start: int, pattern: Pattern) -> int:
        """Return the end of the noun phrase that begins at token `start`."""
        tokens = self.tokens
        at = start
        while at < len(tokens) and (tokens[at].lower in DETERMINERS or tokens[at].lower in ADVERBS):
            at += 1
        first = at
        while at < len(tokens) and at - first < 10:
            lower = tokens[at].lower
            if lower in STOPS or lower in CONJUNCTIONS or lower in SUBORDINATORS or lower in TIME_WORDS or lower == "rather":
                break
            if (
                at > first
                and lower in _EVERY
                and (lower in {"every", "each"} or (at + 1 < len(tokens) and tokens[at + 1].lower in _SPANS))
            ):
                break
            if at > first and lower in PREPOSITIONS and self._stays(tokens[first], lower, at, pattern):
                at += 1
                while at < len(tokens) and tokens[at].lower in DETERMINERS:
                    at += 1
                continue
            if at > first and (
                lower in PREPOSITIONS or (lower in PRONOUNS and lower != "'s") or (lower in AUXILIARIES and lower != "'s")
            ):
                if (
                    pattern.type is R.CAUSES
                    and lower == "to"
                    and at + 1 < len(tokens)
                    and _PLAIN_WORD.fullmatch(tokens[at + 1].text)
                ):
                    at += 3 if at + 2 < len(tokens) and tokens[at + 2].lower in _PARTICLES else 2
                    continue
                break
            if at == first and (
                lower in PREPOSITIONS or lower in AUXILIARIES or (lower in PLAIN_VERBS and lower not in PARTICIPLES)
            ):
                break
            if (
                at > first
                and lower in PLAIN_VERBS
                and lower not in PARTICIPLES
                and not (
                    lower.endswith("s")
                    and pattern.type is not R.PRECEDES
                    and (at + 1 == len(tokens) or tokens[at + 1].lower in STOPS)
                )
            ):
                break
            if lower == "of" and at == first:
                break
            if (
                at > first
                and lower.endswith("s")
                and lower in VERB_FORMS
                and at + 1 < len(tokens)
                and tokens[at + 1].lower in DETERMINERS
            ):
                break
            at += 1
        return at

    def _stays(self, first: Token, preposition: str, at: int, pattern: Pattern) -> bool:
        """Whether a prepositional phrase belongs to the noun: "a typo in the config", "storing secrets in Git"."""
        if preposition not in {"in", "on", "to", "into", "from", "with", "inside"} or at + 1 >= len(self.tokens):
            return False
        if first.lower.endswith("ing") and first.lower in VERB_FORMS and first.lower not in ING_NOUNS:
            return True
        following = self.tokens[at + 1].lower
        return (
            preposition == "in"
            and pattern.type in {R.CAUSES, R.FIXES}
            and following not in _SETTINGS
            and not following.isdigit()
            and following not in MONTHS_AND_DAYS
        )

    def _continues(self, end: int, pattern: Pattern) -> int:
        """Return where the next member of an enumeration begins, or 0."""
        tokens = self.tokens
        if end >= len(tokens):
            return 0
        lower = tokens[end].lower
        at = end + 1
        if lower == "," and at < len(tokens) and tokens[at].lower in {"and", "or"}:
            at += 1
        elif lower == ",":
            if not self._list_goes_on(at, pattern):
                return 0
        elif lower not in {"and", "or", "&", "plus", "nor"}:
            return 0
        if at < len(tokens) and tokens[at].lower in {"on", "upon", "for", "by"} and lower != ",":
            at += 1
        if at >= len(tokens):
            return 0
        word = tokens[at].lower
        if word in _NOT_A_MEMBER or (match_at(tokens, at) is not None and shape_of(tokens[at].text) is None):
            return 0
        return 0 if self._opens_clause(at, pattern) else at

    def _opens_clause(self, at: int, pattern: Pattern) -> bool:
        """Whether what follows a conjunction is a clause with its own verb and no further member."""
        tokens = self.tokens
        stop = self.object_end(at, pattern)
        if stop < len(tokens) and (
            tokens[stop].lower in AUXILIARIES or tokens[stop].lower in PLAIN_VERBS or match_at(tokens, stop) is not None
        ):
            return True
        return any(match_at(tokens, inner) is not None for inner in range(at + 1, stop))

    def _list_goes_on(self, at: int, pattern: Pattern) -> bool:
        """Whether a comma at `at` - 1 is one of "A, B and C"."""
        for _ in range(8):
            stop = self.object_end(at, pattern)
            if stop == at or stop >= len(self.tokens) or stop - at > 5:
                return False
            if self.tokens[stop].lower in {"and", "or"}:
                return True
            if self.tokens[stop].text != ",":
                return False
            if stop + 1 < len(self.tokens) and self.tokens[stop + 1].lower in {"and", "or"}:
                return True
            at = stop + 1
        return False

    def clause_before(self, end: int) -> str:
        """Return the words of the clause that ends before token `end`."""
        start = end
        while start > 0 and self.tokens[start - 1].lower not in CLAUSE_STOPS:
            start -= 1
        return self.clause(start, end)

    def clause_after(self, start: int) -> tuple[str, int]:
        """Return the words of the clause that begins at token `start`, and its end."""
        end = start
        while end < len(self.tokens) and self.tokens[end].lower not in CLAUSE_STOPS:
            end += 1
        return self.clause(start, end), end

    def clause(self, start: int, end: int) -> str:
        """Return the words of tokens [start, end) as the argument of a relation; empty when they are too vague or too long."""
        tokens = self.tokens
        while start < end and (tokens[start].lower in LEAD_WORDS or tokens[start].lower in _ARTICLES):
            start += 1
        if end - start > 1 and tokens[start].lower in {"it", "they", "he", "she"}:
            start += 1
        if end - start < 1 or tokens[start].lower in {"it", "that", "this", "they", "he", "she"}:
            return ""
        written = " ".join(self.text[tokens[start].start : tokens[end - 1].end].split())
        return written if len(written) <= _MAX_ARGUMENT else ""

    def clause_subject(self, before: int) -> tuple[str, ...]:
        """The subject of the clause that holds token `before`: the phrase before its first verb."""
        start = before + 1
        while start > 0 and self.tokens[start - 1].lower not in CLAUSE_STOPS:
            start -= 1
        for at in range(start, before + 1):
            lower = self.tokens[at].lower
            if lower in SUBJECT_CONTRACTIONS:
                return self.pronoun(lower.split("'")[0].split("’")[0])
            if at > start and (lower in AUXILIARIES or lower in FINITE or lower in BASES):
                return self.split(start, at)
        return ()
