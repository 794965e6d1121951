"""Relations in English sentences: a pattern of words between two noun phrases."""

import re
from typing import NamedTuple

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
from hindsight_graph.extraction.rules_en import PATTERNS, Pattern
from hindsight_graph.extraction.tokens_en import Token, shape_of
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R

_STOPS = frozenset(", ; : . ! ? ( ) [ ] { } … — – \" “ ” | => -> →".split())
_GENERIC_ARGUMENTS = frozenset("it this that them they he she him her these those which who what something anything everything nothing one ones things stuff lot way itself there here us all each both more less some any same other others".split())
_LEAD_WORDS = ADVERBS - {"too", "very", "much", "all", "both", "almost", "nearly", "only"} | TIME_WORDS | frozenset("then also however therefore so and but or please ok okay well yes no hi hello hey note that moreover furthermore meanwhile besides additionally finally first second third next if when because since while although though once whereas like".split())
_ALLOWED_MODALS = frozenset("to".split())
_FIRST = frozenset("i i'm i've i'd i'll me my i’m i’ve i’d i’ll".split())
_MAX_ARGUMENT = 80


class Match(NamedTuple):
    """A pattern at tokens [start, end)."""

    pattern: Pattern
    start: int
    end: int


class Phrase(NamedTuple):
    """A noun phrase: tokens [start, end)."""

    start: int
    end: int


def match_at(tokens: list[Token], index: int) -> Match | None:
    """Return the longest pattern that begins at token `index`."""
    for pattern in PATTERNS.get(tokens[index].lower, ()):
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


def find_relations(text: str, tokens: list[Token], actor: str, *, person: bool = False) -> list[Link]:
    """Return the relations that the sentence states. `actor` stands for "I" and for an imperative's missing subject,
    and for "we" too when it is a `person` with a name."""
    return _Reader(text, tokens, actor, person).read()


class _Reader:
    """Reads one sentence from left to right, remembering the last subject for verbs that have none of their own."""

    def __init__(self, text: str, tokens: list[Token], actor: str, person: bool) -> None:
        self.text = text
        self.tokens = tokens
        self.actor = actor
        self.person = person
        self.links: list[Link] = []
        self.subject: tuple[str, ...] = ()
        self.avoided: str = ""

    def read(self) -> list[Link]:
        index = 0
        tokens = self.tokens
        while index < len(tokens):
            index = self._step(index)
        return _unique(self.links)

    def _step(self, index: int) -> int:
        lower = self.tokens[index].lower
        special = _SPECIAL.get(lower)
        if special is not None:
            end = special(self, index)
            if end:
                return end
        match = match_at(self.tokens, index)
        if match is None:
            return index + 1
        end = self._apply(match)
        return end or index + 1

    # --- patterns

    def _apply(self, match: Match) -> int:
        """Emit what the match states; return where to read on, 0 when it states nothing."""
        pattern, start = match.pattern, match.start
        if pattern.form == "noun":
            return self._noun(match)
        word = self.tokens[start].lower
        verb = VERB_FORMS.get(word)
        found = self._subjects(start)
        if found is None:
            return 0
        whole_verb = verb is not None and verb in pattern.first
        if whole_verb and word in PARTICIPLES and found.passive:
            return 0
        if whole_verb and verb == word and not found.bare and not _agrees(found.phrases) and word not in PARTICIPLES:
            return 0
        if whole_verb and word.endswith("ing") and not found.passive:
            if word in {"causing", "leading", "resulting", "triggering", "introducing"}:
                return self._consequence(match)
            if word != "using" or not self.subject and not found.phrases:
                return 0
        objects, end = self._objects(match.end, pattern)
        if not objects:
            return 0
        subjects = found.phrases
        if not subjects:
            if found.implicit and (word in BASES or word in {"can't", "cannot"}) and not pattern.reverse:
                subjects = (self.actor,)
            elif found.inherits and self.subject:
                subjects = self.subject
            elif pattern.type is R.CAUSES and pattern.reverse and len(pattern.rest) == 1:
                return self._fronted_cause(match, objects, end)
            else:
                return 0
        if pattern.type is R.CAUSES and pattern.reverse and not found.passive and word in {"due", "because", "owing", "thanks"}:
            clause = self._clause_before(start)
            clause = re.sub(r"\s+(?:happened|happens|occurred|occurs|arose|came about|started|is|was|are|were)$", "", clause)
            subjects = (clause,) if clause else ()
        if not subjects or not self._fits(pattern, subjects, objects, word):
            return 0
        self._emit(match, subjects, objects, negated=found.negated)
        if not pattern.reverse:
            self.subject = subjects
        return self._after(match, subjects, end, negated=found.negated)

    def _emit(self, match: Match, subjects: tuple[str, ...], objects: tuple[str, ...], *, negated: bool) -> None:
        pattern = match.pattern
        relation = pattern.type
        inherent = self.tokens[match.start].lower in NEGATIVES
        if pattern.needs == "denial":
            negated = not negated
        if negated and not inherent:
            if relation not in {R.USES, R.PREFERS} or pattern.reverse:
                return
            relation = R.AVOIDS
        label = "en:" + " ".join(token.lower for token in self.tokens[match.start : match.end])
        for subject in subjects:
            for target in objects:
                source, aim = (target, subject) if pattern.reverse else (subject, target)
                self._link(source, relation, aim, label)

    def _link(self, source: str, relation: R, target: str, label: str, confidence: float = 0.9) -> None:
        if source and target and source.lower() != target.lower():
            self.links.append(Link(source, relation, target, label, confidence))

    def _fits(self, pattern: Pattern, subjects: tuple[str, ...], objects: tuple[str, ...], word: str) -> bool:
        if pattern.needs == "agent":
            return all(self._is_agent(subject) for subject in subjects)
        if pattern.needs == "thing" and pattern.type is R.USES:
            return not any(self._is_person(target) for target in objects)
        if pattern.needs == "thing":
            return not any(self._is_person(subject) for subject in subjects) and not any(self._is_person(target) for target in objects)
        if pattern.type is R.DEPENDS_ON and word.startswith("need"):
            return not any(self._is_person(subject) for subject in subjects)
        if pattern.type is R.LOCATED_IN:
            return not any(re.fullmatch(r"(?:port\s+)?[\d:]+|(?:port|time|parallel|production mode|fact|general|particular|case|order|sync|progress|front|trouble|charge|use)\b.*", target) for target in objects)
        return True

    def _is_person(self, phrase: str) -> bool:
        first = phrase.split()[0]
        return phrase.lower() in {"i", "we", "he", "she", "they", "you", "user", "people", "everyone"} or (phrase == self.actor) or shape_of(first) is EntityType.PERSON

    def _is_agent(self, phrase: str) -> bool:
        words = phrase.split()
        if self._is_person(phrase) or words[-1].lower() in _TEAM_WORDS:
            return True
        return all(word[0].isupper() and word.replace("-", "").isalpha() and not word.isupper() for word in words) and all(shape_of(word) in {None, EntityType.PERSON} for word in words)

    def _after(self, match: Match, subjects: tuple[str, ...], end: int, *, negated: bool) -> int:
        """Read what may follow an object: "instead of Y", "over Y", "with Y", ", not Y"."""
        relation, reverse = match.pattern.type, match.pattern.reverse
        tokens = self.tokens
        word = tokens[end].lower if end < len(tokens) else ""
        following = tokens[end + 1].lower if end + 1 < len(tokens) else ""
        if relation in {R.USES, R.PREFERS} and not reverse and not negated:
            skip = 0
            if (word, following) in {("instead", "of"), ("rather", "than"), (",", "not"), (",", "never"), ("in", "place"), ("and", "not")}:
                skip = 3 if word == "in" else 2
            elif word == "over" or (relation is R.PREFERS and word in {"to", "than"}):
                skip = 1
            elif word == "not":
                skip = 1
            if skip and not (word == "over" and relation is R.USES):
                others, after = self._objects(end + skip, match.pattern)
                for subject in subjects:
                    for other in others:
                        self._link(subject, R.AVOIDS, other, f"en:{word} {following}".rstrip())
                return after or end
            if self.avoided:
                for subject in subjects:
                    self._link(subject, R.AVOIDS, self.avoided, "en:instead of")
                self.avoided = ""
        return end

    # --- noun phrases

    def _subjects(self, start: int) -> "_Found | None":
        tokens = self.tokens
        at = start - 1
        negated = passive = inherits = modal = bare = False
        while at >= 0:
            lower = tokens[at].lower
            if lower in NEGATIVES and not (lower == "not" and at + 1 < len(tokens) and tokens[at + 1].lower == "only"):
                negated = True
            if lower in BE and at >= 0:
                passive = True
            if lower in _SUBJECT_CONTRACTIONS:
                return _Found(self._pronoun(lower.split("'")[0].split("’")[0]), negated, passive, False, True, False)
            if lower == "to" and at > 0 and tokens[start].lower in BASES:
                modal = True
                at -= 1
                continue
            if lower in AUXILIARIES or lower in ADVERBS:
                bare = bare or lower in AUXILIARIES
                at -= 1
                continue
            break
        if modal:
            phrases = self._clause_subject(at)
            return _Found(phrases, negated, False, not phrases, True, False) if phrases or at < 0 else None
        if at < 0:
            return _Found((), negated, passive, True, True, False)
        lower = tokens[at].lower
        if lower in _STOPS or lower in CONJUNCTIONS or lower in {"then", "please", "so", "but", "if", "when", "because", "instead"}:
            inherits = lower in CONJUNCTIONS or lower == ","
            return _Found((), negated, passive, True, True, inherits)
        if lower in DETERMINERS - {"this", "that", "these", "those"} or (lower in PREPOSITIONS and lower != "that"):
            return None
        if lower in {"that", "which", "who"}:
            before = at - 1
            if before >= 0 and tokens[before].text == ",":
                before -= 1
            phrases = self._phrase_before(before)
            return _Found(phrases, negated, passive, False, True, False) if phrases else None
        phrases = self._phrase_before(at)
        if phrases and phrases[0].split()[0].lower() in {"nobody", "none", "neither"}:
            return None
        return _Found(phrases, negated, passive, False, bare or lower in {"you", "they", "we", "i"}, False) if phrases else None

    def _pronoun(self, word: str) -> tuple[str, ...]:
        if word in {"i", "you", "my", "me"}:
            return (self.actor,)
        if word in {"we", "us"}:
            return (self.actor,) if self.person else ("we",)
        return self.subject if word in {"it", "they", "he", "she"} else ()

    def _phrase_before(self, last: int) -> tuple[str, ...]:
        """Return the noun phrases that end at token `last`; "A and B" are two."""
        tokens = self.tokens
        first = last
        while first >= 0:
            token = tokens[first]
            lower = token.lower
            if lower in _STOPS or lower in SUBORDINATORS and lower != "before" or lower in CLAUSE_TAKERS and first < last:
                break
            if lower in {"and", "or", "&"} and self._has_verb(self._clause_start(first), first):
                break
            if lower in AUXILIARIES and lower != "'s" or (lower in PLAIN_VERBS and first < last and lower not in PARTICIPLES):
                antecedent = self._antecedent(first)
                if antecedent:
                    return antecedent
                break
            first -= 1
        first += 1
        if first > 1 and tokens[first - 1].text == "," and any(token.lower in {"and", "or"} for token in tokens[first : last + 1]):
            first = self._list_start(first)
        return self._split(first, last + 1)

    def _antecedent(self, verb: int) -> tuple[str, ...]:
        """The noun phrase that a relative clause with this verb hangs on: "the service that handles billing"."""
        for at in range(verb - 1, max(-1, verb - 5), -1):
            lower = self.tokens[at].lower
            if lower in {"that", "which", "who"} and at > 0 and self.tokens[at - 1].lower not in CLAUSE_TAKERS:
                return self._phrase_before(at - 1)
            if lower in _STOPS:
                break
        return ()

    def _list_start(self, first: int) -> int:
        """Take in the earlier members of "A, B and C"."""
        at = first - 1
        while at > 0 and self.tokens[at].text == ",":
            begin = at - 1
            while begin >= 0 and self.tokens[begin].lower not in _STOPS and self.tokens[begin].lower not in SUBORDINATORS:
                begin -= 1
            if at - begin > 5 or self._has_verb(begin + 1, at) or self.tokens[begin + 1].lower in _LEAD_WORDS | PREPOSITIONS:
                break
            first = begin + 1
            at = begin
        return first

    def _clause_start(self, index: int) -> int:
        while index > 0 and self.tokens[index - 1].lower not in _STOPS and self.tokens[index - 1].lower not in {"but", "because", "if", "when", "while", "so", "that"}:
            index -= 1
        return index

    def _has_verb(self, start: int, end: int) -> bool:
        return any(token.lower in PLAIN_VERBS or token.lower in AUXILIARIES and token.lower != "'s" or match_at(self.tokens, at) is not None for at, token in enumerate(self.tokens[start:end], start))

    def _split(self, start: int, end: int) -> tuple[str, ...]:
        tokens = self.tokens
        start = self._strip_lead(start, end)
        parts: list[str] = []
        begin = start
        inside = any(token.lower in PREPOSITIONS for token in tokens[start:end])
        for at in range(start, end + 1):
            if at == end or (tokens[at].lower in {"and", "or", "&", ",", "both"} and not inside):
                phrase = self._phrase(begin, at)
                if phrase:
                    parts.append(phrase)
                begin = at + 1
        return tuple(parts)

    def _strip_lead(self, start: int, end: int) -> int:
        tokens = self.tokens
        while start < end and tokens[start].lower in _LEAD_WORDS:
            start += 1
        if start < end and tokens[start].lower in PREPOSITIONS and not tokens[start].text.isupper():
            for at in range(end - 1, start, -1):
                if tokens[at].lower in DETERMINERS or tokens[at].lower in PRONOUNS:
                    if at > start + 1:
                        return at
                    break
            if end - start > 2 and tokens[end - 1].text[0].isupper():
                return end - 1
        return start

    def _phrase(self, start: int, end: int) -> str:
        """Return the words of tokens [start, end) without leading determiners, pronouns resolved; empty when they name nothing."""
        tokens = self.tokens
        while start < end and (tokens[start].lower in DETERMINERS or tokens[start].lower in _LEAD_WORDS) and end - start > 1:
            start += 1
        while end > start and tokens[end - 1].lower in ADVERBS | TIME_WORDS and end - start > 1:
            end -= 1
        if start >= end:
            return ""
        if end - start == 1:
            lower = tokens[start].lower
            if lower in _FIRST or lower in {"we", "you", "us"}:
                return next(iter(self._pronoun(lower.split("'")[0])), "")
            if lower in {"it", "they", "he", "she"} and len(self.subject) == 1:
                return self.subject[0]
            if lower in _GENERIC_ARGUMENTS or lower in DETERMINERS or lower in AUXILIARIES or lower in PREPOSITIONS:
                return ""
        written = " ".join(self.text[tokens[start].start : tokens[end - 1].end].split()).strip("`\"“”'*")
        written = written.removesuffix("()")
        return written if len(written) <= _MAX_ARGUMENT and any(character.isalnum() for character in written) else ""

    def _objects(self, start: int, pattern: Pattern) -> tuple[tuple[str, ...], int]:
        """Return the noun phrases that begin at token `start` and where they end."""
        phrases: list[str] = []
        end = self._object_end(start, pattern)
        at = start
        while True:
            phrase = self._phrase(at, end)
            if not phrase:
                break
            phrases.append(phrase)
            following = self._continues(end, pattern)
            if not following:
                break
            at, end = following, self._object_end(following, pattern)
        return tuple(phrases), end

    def _object_end(self, start: int, pattern: Pattern) -> int:
        tokens = self.tokens
        at = start
        while at < len(tokens) and (tokens[at].lower in DETERMINERS or tokens[at].lower in ADVERBS):
            at += 1
        first = at
        while at < len(tokens) and at - first < 10:
            lower = tokens[at].lower
            if lower in _STOPS or lower in CONJUNCTIONS or lower in SUBORDINATORS or lower in TIME_WORDS:
                break
            if at > first and lower in _EVERY and (lower in {"every", "each"} or at + 1 < len(tokens) and tokens[at + 1].lower in _SPANS):
                break
            if at > first and lower in PREPOSITIONS and self._stays(tokens[first], lower, at, pattern):
                at += 1
                while at < len(tokens) and tokens[at].lower in DETERMINERS:
                    at += 1
                continue
            if at > first and (lower in PREPOSITIONS or (lower in PRONOUNS and lower != "'s") or (lower in AUXILIARIES and lower != "'s")):
                if pattern.type is R.CAUSES and lower == "to" and at + 1 < len(tokens) and tokens[at + 1].lower in BASES:
                    at += 2
                    continue
                break
            if at == first and (lower in PREPOSITIONS or lower in AUXILIARIES or (lower in PLAIN_VERBS and lower not in PARTICIPLES)):
                break
            if at > first and lower in PLAIN_VERBS and lower not in PARTICIPLES and not (lower.endswith("s") and pattern.type is not R.PRECEDES and (at + 1 == len(tokens) or tokens[at + 1].lower in _STOPS)):
                break
            if lower == "of" and at == first:
                break
            at += 1
        return at

    def _stays(self, first: Token, preposition: str, at: int, pattern: Pattern) -> bool:
        """Whether a prepositional phrase belongs to the noun: "a typo in the config", "storing secrets in Git"."""
        if preposition not in {"in", "on", "to", "into", "from", "with", "inside"} or at + 1 >= len(self.tokens):
            return False
        if first.lower.endswith("ing") and first.lower in VERB_FORMS:
            return True
        following = self.tokens[at + 1].lower
        return preposition == "in" and pattern.type in {R.CAUSES, R.FIXES} and following not in _SETTINGS and not following.isdigit() and following not in MONTHS_AND_DAYS

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
        elif lower not in {"and", "or", "&", "plus"}:
            return 0
        if at < len(tokens) and tokens[at].lower in {"on", "upon", "for", "by"} and lower != ",":
            at += 1
        if at >= len(tokens):
            return 0
        word = tokens[at].lower
        if word in _NO_MEMBER or word in PRONOUNS or word in AUXILIARIES or word in PREPOSITIONS or word in SUBORDINATORS or word in ADVERBS or word in BASES and word not in DETERMINERS:
            return 0
        if match_at(tokens, at) is not None and shape_of(tokens[at].text) is None:
            return 0
        stop = self._object_end(at, pattern)
        if stop < len(tokens) and (tokens[stop].lower in AUXILIARIES or tokens[stop].lower in PLAIN_VERBS or match_at(tokens, stop) is not None):
            return 0
        if any(match_at(tokens, inner) is not None for inner in range(at + 1, stop)):
            return 0
        return at

    def _list_goes_on(self, at: int, pattern: Pattern) -> bool:
        """Whether a comma at `at` - 1 is one of "A, B and C"."""
        for _ in range(8):
            stop = self._object_end(at, pattern)
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

    # --- other forms

    def _noun(self, match: Match) -> int:
        """ "Y is the owner of X", "the cause of X was Y"."""
        tokens = self.tokens
        at = match.start - 1
        while at >= 0 and match.start - at <= 4 and (tokens[at].lower in DETERMINERS or tokens[at].lower in _NOUN_ADJECTIVES or tokens[at].lower in ADVERBS):
            at -= 1
        objects, end = self._objects(match.end, match.pattern)
        if not objects:
            return 0
        if at >= 0 and tokens[at].lower in BE | {"became", "as", "'s"}:
            found = self._subjects(at + 1)
            if found is None or found.negated or not found.phrases:
                return 0
            self._emit(match, found.phrases, objects, negated=False)
            self.subject = found.phrases
            return end
        if end < len(tokens) and tokens[end].lower in {"is", "was", "are", "were", "remains"}:
            if end + 1 < len(tokens) and tokens[end + 1].lower in NEGATIVES:
                return 0
            others, after = self._objects(end + 1, match.pattern)
            if others:
                self._emit(match, others, objects, negated=False)
                return after
        return 0

    def _consequence(self, match: Match) -> int:
        """ "X crashed, causing Y": the clause before is the cause."""
        at = match.start - 1
        if at < 1 or self.tokens[at].text != ",":
            return 0
        clause = self._clause_before(at)
        objects, end = self._objects(match.end, match.pattern)
        for target in objects:
            self._link(clause, R.CAUSES, target, f"en:{self.tokens[match.start].lower}", 0.8)
        return end if objects else 0

    def _fronted_cause(self, match: Match, causes: tuple[str, ...], end: int) -> int:
        """ "Due to X, Y"."""
        if end >= len(self.tokens) or self.tokens[end].text != ",":
            return 0
        effect, after = self._clause_after(end + 1)
        for cause in causes:
            self._link(cause, R.CAUSES, effect, f"en:{self.tokens[match.start].lower} …", 0.8)
        return end + 1 if effect and after else 0

    def _clause_before(self, end: int) -> str:
        start = end
        while start > 0 and self.tokens[start - 1].lower not in _CLAUSE_STOPS:
            start -= 1
        return self._clause(start, end)

    def _clause_after(self, start: int) -> tuple[str, int]:
        end = start
        while end < len(self.tokens) and self.tokens[end].lower not in _CLAUSE_STOPS:
            end += 1
        return self._clause(start, end), end

    def _clause(self, start: int, end: int) -> str:
        tokens = self.tokens
        while start < end and (tokens[start].lower in _LEAD_WORDS or tokens[start].lower in DETERMINERS):
            start += 1
        if end - start < 1 or tokens[start].lower in {"it", "that", "this", "they", "he", "she"}:
            return ""
        written = " ".join(self.text[tokens[start].start : tokens[end - 1].end].split())
        return written if len(written) <= _MAX_ARGUMENT else ""

    def _clause_subject(self, before: int) -> tuple[str, ...]:
        """The subject of the clause that holds token `before`: the phrase before its first verb."""
        start = before + 1
        while start > 0 and self.tokens[start - 1].lower not in _CLAUSE_STOPS:
            start -= 1
        for at in range(start, before + 1):
            lower = self.tokens[at].lower
            if lower in _SUBJECT_CONTRACTIONS:
                return self._pronoun(lower.split("'")[0].split("’")[0])
            if at > start and (lower in AUXILIARIES or lower in FINITE or lower in BASES):
                return self._split(start, at)
        return ()

    def because(self, index: int) -> int:
        """ "Y because X", "Because X, Y"."""
        if index + 1 < len(self.tokens) and self.tokens[index + 1].lower == "of":
            return 0
        cause, end = self._clause_after(index + 1)
        if index == 0:
            effect = self._clause_after(end + 1)[0] if end < len(self.tokens) and self.tokens[end].text == "," else ""
        else:
            before = index - 1 if self.tokens[index - 1].text == "," else index
            effect = self._clause_before(before)
        if cause and effect and len(cause.split()) > 1:
            self._link(cause, R.CAUSES, effect, "en:because", 0.8)
        return 0

    def therefore(self, index: int) -> int:
        """ "X, so Y", "X; therefore Y"."""
        if index < 2 or self.tokens[index - 1].text not in {",", ";"}:
            return 0
        cause = self._clause_before(index - 1)
        effect, _ = self._clause_after(index + 1)
        if cause and effect and len(cause.split()) > 1 and len(effect.split()) > 1:
            self._link(cause, R.CAUSES, effect, f"en:{self.tokens[index].lower}", 0.6)
        return 0

    def instead(self, index: int) -> int:
        """ "Instead of X, use Y"."""
        if index or len(self.tokens) < 3 or (self.tokens[0].lower, self.tokens[1].lower) not in {("instead", "of"), ("rather", "than")}:
            return 0
        at = 3 if self.tokens[2].lower == "using" else 2
        objects, end = self._objects(at, _ANY_OBJECT)
        self.avoided = objects[0] if objects else ""
        return end

    def switch(self, index: int) -> int:
        """ "migrated from A to B": B replaces A; "switched to B": the subject uses B."""
        tokens = self.tokens
        source = next((at for at in range(index + 1, min(len(tokens), index + 8)) if tokens[at].lower in {"from", "off"}), 0)
        if source and not any(tokens[at].lower in _CLAUSE_STOPS for at in range(index + 1, source)):
            return self._from_to(index, source)
        if index + 1 < len(tokens) and tokens[index + 1].lower in {"to", "over"} and VERB_FORMS[tokens[index].lower] in {"switch", "migrate"}:
            at = index + 3 if tokens[index + 1].lower == "over" else index + 2
            at += 1 if at < len(tokens) and tokens[at].lower == "using" else 0
            found = self._subjects(index)
            objects, end = self._objects(at, _ANY_OBJECT)
            subjects = (found.phrases or ((self.actor,) if found.implicit and tokens[index].lower in BASES else ())) if found else ()
            if found and not found.negated:
                for subject in subjects:
                    for target in objects:
                        self._link(subject, R.USES, target, f"en:{tokens[index].lower} to", 0.8)
                self.subject = subjects
                return end if objects else 0
        return 0

    def _from_to(self, index: int, source: int) -> int:
        tokens = self.tokens
        old, end = self._objects(source + 1, _ANY_OBJECT)
        if end < len(tokens) and tokens[end].lower in {"to", "onto", "into", "over"}:
            at = end + 2 if tokens[end].lower == "over" else end + 1
            new, after = self._objects(at, _ANY_OBJECT)
        else:
            to = next((at for at in range(index + 1, source) if tokens[at].lower in {"to", "onto"}), 0)
            if not to:
                return 0
            new, _ = self._objects(to + 1, _ANY_OBJECT)
            after = end
        if not old or not new:
            return 0
        found = self._subjects(index)
        if found and found.negated:
            return after
        old_name, new_name = old[0], new[0]
        if shape_of(new_name) is EntityType.PLACE or shape_of(old_name) is EntityType.PLACE:
            for subject in found.phrases if found else ():
                self._link(subject, R.LOCATED_IN, new_name, "en:from to", 0.9)
        elif not re.fullmatch(r"v?[\d.]+\S*", new_name):
            self._link(new_name, R.REPLACES, old_name, f"en:{tokens[index].lower} from to")
        return after

    def replace(self, index: int) -> int:
        """ "replaced X with Y", "swap X for Y": Y replaces X."""
        tokens = self.tokens
        found = self._subjects(index)
        if found is None or found.passive and tokens[index].lower in PARTICIPLES:
            return 0
        old, end = self._objects(index + 1, _ANY_OBJECT)
        if not old or end >= len(tokens) or tokens[end].lower not in {"with", "by", "for"} or found.negated:
            return 0
        lemma = VERB_FORMS.get(tokens[index].lower, tokens[index].lower)
        if tokens[end].lower == "for" and lemma == "replace":
            return 0
        new, after = self._objects(end + 1, _ANY_OBJECT)
        for old_name in old[:1]:
            for new_name in new[:1]:
                pair = (old_name, new_name) if lemma.startswith("substitut") and tokens[end].lower == "for" else (new_name, old_name)
                self._link(pair[0], R.REPLACES, pair[1], f"en:{tokens[index].lower} with")
        return after if new else 0

    def make(self, index: int) -> int:
        """ "X makes Y fail"."""
        tokens = self.tokens
        end = self._object_end(index + 1, _ANY_OBJECT)
        last = next((at for at in range(index + 2, min(len(tokens), end + 2)) if tokens[at].lower in _FAILS), 0)
        found = self._subjects(index)
        if not last or found is None or found.negated or not found.phrases:
            return 0
        target = self._phrase(index + 1, last + 1)
        for subject in found.phrases:
            self._link(subject, R.CAUSES, target, f"en:{tokens[index].lower} … {tokens[last].lower}")
        return last + 1

    def without(self, index: int) -> int:
        """ "Without X, Y cannot start"."""
        if index:
            return 0
        tokens = self.tokens
        verb = next((at for at in range(2, len(tokens)) if tokens[at].lower in {"cannot", "can't", "can’t", "won't", "won’t", "doesn't", "doesn’t", "fails", "breaks", "can", "will", "does"}), 0)
        if not verb or tokens[verb].lower in {"can", "will", "does"} and (verb + 1 >= len(tokens) or tokens[verb + 1].lower != "not"):
            return 0
        comma = next((at for at in range(2, verb) if tokens[at].text == ","), 0) or next((at for at in range(2, verb) if tokens[at].lower in DETERMINERS), 0)
        if not comma:
            return 0
        needed = self._phrase(1, comma)
        for subject in self._split(comma + (tokens[comma].text == ","), verb):
            self._link(subject, R.DEPENDS_ON, needed, "en:without … cannot")
        return verb + 1

    def located(self, index: int) -> int:
        """ "The office is in Rome"."""
        tokens = self.tokens
        if index < 2 or index + 1 >= len(tokens) or tokens[index - 1].lower not in BE | {"not"}:
            return 0
        objects, end = self._objects(index + 1, _ANY_OBJECT)
        found = self._subjects(index)
        if found is None or found.negated or not objects or shape_of(objects[0].split()[-1]) not in {EntityType.PLACE, EntityType.PATH} and shape_of(objects[0]) is not EntityType.PLACE:
            return 0
        for subject in found.phrases:
            for target in objects:
                self._link(subject, R.LOCATED_IN, target, f"en:is {tokens[index].lower}")
        return end

    def with_tool(self, index: int) -> int:
        """ "deploys everything with Helm": the subject uses the tool."""
        tokens = self.tokens
        if index + 1 >= len(tokens) or shape_of(tokens[index + 1].text) is not EntityType.SOFTWARE:
            return 0
        start = index
        while start > 0 and tokens[start - 1].lower not in _CLAUSE_STOPS and index - start < 8:
            start -= 1
        verb = next((at for at in range(start, index) if VERB_FORMS.get(tokens[at].lower) in _TOOL_VERBS and tokens[at].lower not in PARTICIPLES), -1)
        if verb < 0:
            return 0
        found = self._subjects(verb)
        if found is None or found.negated or found.passive or any(link.type is R.USES for link in self.links):
            return 0
        subjects = found.phrases or ((self.actor,) if found.implicit and tokens[verb].lower in BASES else ())
        if not subjects or not _agrees(subjects) and tokens[verb].lower in BASES and not found.bare:
            return 0
        objects, end = self._objects(index + 1, _ANY_OBJECT)
        for subject in subjects:
            for target in objects:
                self._link(subject, R.USES, target, f"en:{tokens[verb].lower} … with", 0.7)
        return end if objects else 0

    def order(self, index: int) -> int:
        """ "Before X, Y" and "After X, Y"."""
        if index:
            return 0
        first, end = self._clause_after(1)
        if not first or end >= len(self.tokens) or self.tokens[end].text != ",":
            return 0
        second, _ = self._clause_after(end + 1)
        words = second.lower().split()
        if not second or len(first.split()) > 5 or words[0] in PRONOUNS or any(word in {"i", "we", "he", "she"} for word in words):
            return 0
        pair = (second, first) if self.tokens[0].lower == "before" else (first, second)
        self._link(pair[0], R.PRECEDES, pair[1], f"en:{self.tokens[0].lower} …", 0.7)
        return end + 1


def _agrees(phrases: tuple[str, ...]) -> bool:
    """Whether the subject can take a verb without -s: a plural, an enumeration, "I" and "we"."""
    last = phrases[0].split()[-1].lower() if phrases else ""
    return len(phrases) != 1 or last in {"i", "we", "you", "they", "user", "people"} or (last.endswith("s") and not last.endswith("ss")) or last in _TEAM_WORDS


class _Found(NamedTuple):
    """Who does it: phrases, and how the verb group said it."""

    phrases: tuple[str, ...]
    negated: bool
    passive: bool
    implicit: bool
    """There is no subject because the clause begins here."""
    bare: bool
    """An auxiliary or "to" stands before, so that the verb has its base form for any subject."""
    inherits: bool
    """The clause goes on with the last subject: "and writes …"."""


def _unique(links: list[Link]) -> list[Link]:
    seen: dict[tuple[str, R, str], Link] = {}
    for link in links:
        seen.setdefault((link.source.lower(), link.type, link.target.lower()), link)
    return list(seen.values())


_ANY_OBJECT = Pattern(R.RELATED_TO, frozenset(), ())
_CLAUSE_STOPS = frozenset(", ; : . ! ? ( ) — – because so therefore but although though while whereas unless if when which hence".split())
_SUBJECT_CONTRACTIONS = frozenset(f"{pronoun}{mark}{end}" for pronoun in ("i", "we", "you", "they", "he", "she", "it") for mark in "'’" for end in ("m", "re", "ve", "d", "ll", "s"))
_NO_MEMBER = frozenset("then use not never also do don't only".split())
_TOOL_VERBS = frozenset("build deploy test monitor manage authenticate encrypt compile schedule process render validate cache parse serve log track orchestrate provision package format lint verify sign design develop implement write configure".split())
_TEAM_WORDS = frozenset("team teams group squad guild department crew company org organisation organization division committee engineers developers sre ops maintainers staff".split())
_NOUN_ADJECTIVES = frozenset("root main real primary actual common current technical new tech best only proper correct core key integral central important direct lead big huge great hard soft runtime build drop-in natural official obvious proposed permanent temporary".split())
_EVERY = frozenset("every each last next this".split())
_SPANS = frozenset("year month week day night morning evening afternoon time spring summer autumn fall winter quarter sprint monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december".split())
_SETTINGS = frozenset("production prod staging dev development test testing general particular practice most some many several all the_ turn time fact minutes seconds hours two three five ten total".split())
_FAILS = frozenset("fail crash hang freeze break stop restart slow slower unavailable unusable unresponsive flaky time panic deadlock leak useless worse impossible unstable".split())
_SPECIAL = {
    "because": _Reader.because,
    **dict.fromkeys(("so", "therefore", "hence", "thus", "consequently"), _Reader.therefore),
    **dict.fromkeys(("instead", "rather"), _Reader.instead),
    **dict.fromkeys(("before", "after"), _Reader.order),
    "without": _Reader.without,
    **dict.fromkeys(("in", "at"), _Reader.located),
    "with": _Reader.with_tool,
    **dict.fromkeys([form for form, lemma in VERB_FORMS.items() if lemma in {"switch", "migrate", "move", "change", "convert", "upgrade"}] + ["transitioned", "transition", "transitioning"], _Reader.switch),
    **dict.fromkeys([form for form, lemma in VERB_FORMS.items() if lemma in {"replace", "swap"}] + ["substitute", "substituted", "exchanged"], _Reader.replace),
    **dict.fromkeys(("make", "makes", "made", "making"), _Reader.make),
}
