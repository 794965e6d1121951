"""Relations in English sentences: a pattern of words between two noun phrases."""

from hindsight_graph.extraction.assertion import PLAIN, STATES, Assertion
from hindsight_graph.extraction.english import HEADS
from hindsight_graph.extraction.english_constructions import CONSTRUCTIONS, TEAM_WORDS, TROUBLE, Constructions, agrees
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.grammar_en import ADVERBS, BASES, BE, DETERMINERS, NEGATIVES, PARTICIPLES, VERB_FORMS
from hindsight_graph.extraction.phrases_en import Match, Subject, match_at, without_idioms
from hindsight_graph.extraction.rules_en import Pattern
from hindsight_graph.extraction.tokens_en import Token, shape_of
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_NOUN_ADJECTIVES = frozenset(
    "root main real primary actual common current technical new tech best only proper correct core key integral "
    "central important direct lead big huge great hard soft runtime build drop-in natural official obvious proposed "
    "permanent temporary".split()
)
_DOUBTFUL = {
    R.FIXES: ("remov", "eas", "plug", "settl", "clear", "address", "correct"),
    R.PART_OF: ("join",),
    R.PREFERS: ("choos", "chose", "pick", "opts", "go", "stick", "reach", "valu"),
}
"""Beginnings of verbs with many meanings."""
_NO = frozenset({"no", "neither", "none", "nothing"})
_FAVOURS = (["in", "favor"], ["in", "favour"])
_PARTICIPIAL = frozenset("causing leading resulting triggering introducing".split())
_MENDED = LazyPattern(
    r"(?P<trouble>.+?) (?:was|were|is|are|got|has been|have been) (?:finally |now |quickly )?(?P<verb>fixed|resolved|"
    r"solved|gone|cured|repaired)"
)
_HAPPENED = LazyPattern(r"\s+(?:happened|happens|occurred|occurs|arose|came about|started|is|was|are|were)$")
_NO_PLACE = LazyPattern(
    r"(?:port\s+)?[\d:]+|(?:port|time|parallel|production mode|fact|general|particular|"
    r"case|order|sync|progress|front|trouble|charge|use)\b.*"
)


def find_relations(
    text: str, tokens: list[Token], actor: str, *, person: bool = False, assertion: Assertion = PLAIN
) -> list[Link]:
    """Return the relations that an English sentence states.

    Args:
        text: One sentence.
        tokens: Its tokens.
        actor: Who "I" is, and who an order without a subject is addressed to.
        person: "we" is the actor too.
        assertion: Which of its parts state nothing.
    """
    return _Reader(text, without_idioms(tokens), actor, person=person).read(assertion)


class _Reader(Constructions):
    """Reads one sentence from left to right, by constructions first, then by patterns."""

    def read(self, assertion: Assertion) -> list[Link]:
        """Return the relations of the sentence, each once, in the order in which they are stated."""
        index = 0
        while index < len(self.tokens):
            at = self.tokens[index].start
            if assertion.veils and assertion.hides(at):
                index += 1
                continue
            before = len(self.links)
            index = self._step(index)
            if assertion.veils and assertion.is_past(at):
                self.links[before:] = [link for link in self.links[before:] if link.type not in STATES]
        return _unique(self.links)

    def _step(self, index: int) -> int:
        lower = self.tokens[index].lower
        special = CONSTRUCTIONS.get(lower)
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
        pattern = match.pattern
        if any(token.lower in _NO for token in self.tokens[match.start + 1 : match.end]):
            return match.end  # "has no dependency on"
        if pattern.form == "noun":
            return self._noun(match)
        word = self.tokens[match.start].lower
        found = self.subjects(match.start)
        if found is None or not self._is_verb_here(match, word, found):
            return 0
        if word in _PARTICIPIAL and not found.passive:
            return self._consequence(match)
        begin, denied = self._skip_use(match)
        objects, end = self.objects(begin, pattern)
        if denied:
            found = found._replace(negated=not found.negated)
        if (
            not objects
            or self._is_noun(found, end)
            or (pattern.type is R.AVOIDS and [token.lower for token in self.tokens[end : end + 2]] in _FAVOURS)
        ):
            return 0
        if not found.phrases and pattern.type is R.CAUSES and pattern.reverse and found.implicit and len(pattern.rest) == 1:
            return self._fronted_cause(match, objects, end)
        subjects = self._who(match, word, found)
        if found.whole and pattern.type in {R.CAUSES, R.FIXES} and not pattern.reverse:
            subjects = (found.whole,)
        if not subjects or not self._fits(pattern, subjects, objects, word):
            return 0
        self._emit(match, subjects, objects, negated=found.negated)
        self.subject = subjects
        return self._after(match, subjects, end, negated=found.negated)

    def _is_noun(self, found: Subject, end: int) -> bool:
        """Whether a verb that opens the sentence is part of a noun: "Patch 5.2 addresses the bug"."""
        return (
            found.implicit
            and end < len(self.tokens)
            and self.tokens[end].lower.endswith("s")
            and match_at(self.tokens, end) is not None
        )

    def _skip_use(self, match: Match) -> tuple[int, bool]:
        """Return where the object begins, and whether "no", "neither" or "not to" denies it: "avoid using X", "uses no X"."""
        tokens, at, denied = self.tokens, match.end, False
        words = [token.lower for token in tokens[at : at + 4]]
        if words[:2] == ["not", "to"] and match.pattern.type is R.PREFERS:
            at, denied, words = at + 1, True, words[1:]
        elif words and words[0] in _NO:
            return at + 1, True
        if match.pattern.type in {R.AVOIDS, R.PREFERS}:
            if words[:1] == ["to"] and words[1:2] == ["use"]:
                at += 2
            elif words[:1] == ["using"]:
                at += 1
            elif words[:3] == ["the", "use", "of"]:
                at += 3
        return at, denied

    def _is_verb_here(self, match: Match, word: str, found: Subject) -> bool:
        """Whether a word of the pattern is the verb of this clause: no passive without "by", no plural noun, no gerund."""
        lemma = VERB_FORMS.get(word)
        if lemma is None or lemma not in match.pattern.first:
            return True
        if word == "like":  # mostly a preposition: "feels like", "people like you"
            return not found.implicit and bool(set(found.phrases) & {self.actor, "we", "they", "user"})
        if word in PARTICIPLES:
            return not found.passive
        if lemma == word:
            return found.bare or agrees(found.phrases)
        if word.endswith("ing") and not found.passive:
            return word in _PARTICIPIAL or (word == "using" and bool(self.subject or found.phrases))
        return True

    def _who(self, match: Match, word: str, found: Subject) -> tuple[str, ...]:
        """Return the subjects: as written, whom an order addresses, the last subject, or the clause before "because of"."""
        pattern = match.pattern
        if pattern.type is R.CAUSES and pattern.reverse and not found.passive and word in {"due", "because", "owing", "thanks"}:
            clause = _HAPPENED.sub("", self.clause_before(match.start))
            return (clause,) if clause else ()
        if found.phrases:
            return found.phrases
        if found.implicit and (word in BASES or word in {"can't", "cannot"}) and not pattern.reverse:
            return (self.actor,)
        return self.subject if found.inherits else ()

    def _emit(self, match: Match, subjects: tuple[str, ...], objects: tuple[str, ...], *, negated: bool) -> None:
        pattern = match.pattern
        relation = pattern.type
        inherent = self.tokens[match.start].lower in NEGATIVES
        if pattern.needs == "denial":
            negated = not negated
        if negated and not inherent:
            told = relation is R.DEPENDS_ON and subjects == (self.actor,)
            if pattern.reverse or not (told or relation in {R.USES, R.PREFERS}):
                return
            relation = R.AVOIDS
        if relation is R.PRODUCES and any(TROUBLE.search(target) for target in objects) and not pattern.reverse:
            relation = R.CAUSES
        if relation is R.PART_OF and self._is_property(match, subjects, objects):
            for subject in subjects:
                for target in objects:
                    self.link(target, R.OWNS, subject, "en:belongs to")
            return
        label = "en:" + " ".join(token.lower for token in self.tokens[match.start : match.end])
        for subject in subjects:
            for target in objects:
                source, aim = (target, subject) if pattern.reverse else (subject, target)
                self.link(source, relation, aim, label)

    def _is_property(self, match: Match, subjects: tuple[str, ...], objects: tuple[str, ...]) -> bool:
        """Whether "belongs to" names an owner: a thing, and a person or a team."""
        if not self.tokens[match.start].lower.startswith("belong"):
            return False
        return all(self._is_agent(target) for target in objects) and not any(self._is_person(subject) for subject in subjects)

    def _fits(self, pattern: Pattern, subjects: tuple[str, ...], objects: tuple[str, ...], word: str) -> bool:
        if word.startswith(_DOUBTFUL.get(pattern.type, ("\n",))) and not self._certain(pattern.type, subjects, objects):
            return False
        if pattern.needs == "agent" and word in {"run", "runs", "ran"}:
            objects_run = all(
                target.split()[-1].lower() in HEADS or target.split()[-1].lower() in TEAM_WORDS for target in objects
            )
            return objects_run and all(self._is_agent(subject) for subject in subjects)
        if pattern.needs == "agent":
            return all(self._is_agent(subject) for subject in subjects)
        if pattern.needs == "thing":
            ends = objects if pattern.type is R.USES else subjects + objects
            return not any(self._is_person(end) for end in ends)
        if pattern.type is R.DEPENDS_ON and word.startswith("need"):
            return not any(self._is_person(subject) for subject in subjects)
        if pattern.type is R.LOCATED_IN:
            return not any(_NO_PLACE.fullmatch(target) for target in objects)
        return True

    def _certain(self, relation: R, subjects: tuple[str, ...], objects: tuple[str, ...]) -> bool:
        """Whether the arguments settle what a verb of many meanings says."""
        if relation is R.PART_OF:
            return all(self._is_agent(target) or target[:1].isupper() for target in objects)
        if relation is R.PREFERS:
            return all(self._is_person(subject) or self._is_agent(subject) for subject in subjects)
        known = all(TROUBLE.search(target) or len(target.split()) > 1 for target in objects)
        return known and not any(self._is_person(subject) for subject in subjects)

    def _is_person(self, phrase: str) -> bool:
        first = phrase.split(maxsplit=1)[0]
        return (
            phrase.lower() in {"i", "we", "he", "she", "they", "you", "user", "people", "everyone"}
            or (phrase == self.actor)
            or shape_of(first) is EntityType.PERSON
        )

    def _is_agent(self, phrase: str) -> bool:
        words = phrase.split()
        if self._is_person(phrase) or words[-1].lower() in TEAM_WORDS:
            return True
        return all(word[0].isupper() and word.replace("-", "").isalpha() and not word.isupper() for word in words) and all(
            shape_of(word) in {None, EntityType.PERSON} for word in words
        )

    def _after(self, match: Match, subjects: tuple[str, ...], end: int, *, negated: bool) -> int:
        """Read what may follow an object: "instead of Y", "over Y", "with Y", ", not Y"."""
        relation, reverse = match.pattern.type, match.pattern.reverse
        tokens = self.tokens
        word = tokens[end].lower if end < len(tokens) else ""
        following = tokens[end + 1].lower if end + 1 < len(tokens) else ""
        if relation in {R.USES, R.PREFERS} and not reverse and not negated:
            skip = 0
            if (word, following) in {
                ("instead", "of"),
                ("rather", "than"),
                (",", "not"),
                (",", "never"),
                ("in", "place"),
                ("and", "not"),
            }:
                skip = 3 if word == "in" else 2
            elif word == "over" or (relation is R.PREFERS and word in {"to", "than"}) or word == "not":
                skip = 1
            if skip and not (word == "over" and relation is R.USES):
                if (
                    word in {"than", "rather"}
                    and end + skip < len(tokens)
                    and tokens[end + skip].lower in {"with", "in", "using", "to", "use"}
                ):
                    skip += 1
                others, after = self.objects(end + skip, match.pattern)
                for subject in subjects:
                    for other in others:
                        self.link(subject, R.AVOIDS, other, f"en:{word} {following}".rstrip())
                return after or end
            if self.avoided:
                for subject in subjects:
                    self.link(subject, R.AVOIDS, self.avoided, "en:instead of")
                self.avoided = ""
        return end

    def _noun(self, match: Match) -> int:
        """Read "Y is the owner of X", "the cause of X was Y"."""
        tokens = self.tokens
        at = match.start - 1
        while (
            at >= 0
            and match.start - at <= 4
            and (tokens[at].lower in DETERMINERS or tokens[at].lower in _NOUN_ADJECTIVES or tokens[at].lower in ADVERBS)
        ):
            at -= 1
        objects, end = self.objects(match.end, match.pattern)
        if not objects or (tokens[match.start].lower == "behind" and not all(TROUBLE.search(target) for target in objects)):
            return 0
        if at >= 0 and tokens[at].lower in BE | {"became", "as", "'s"}:
            found = self.subjects(at + 1)
            if found is None or found.negated or not found.phrases:
                return 0
            self._emit(match, found.phrases, objects, negated=False)
            self.subject = found.phrases
            return end
        if end < len(tokens) and tokens[end].lower in {"is", "was", "are", "were", "remains"}:
            if end + 1 < len(tokens) and tokens[end + 1].lower in NEGATIVES:
                return 0
            others, after = self.objects(end + 1, match.pattern)
            if others:
                self._emit(match, others, objects, negated=False)
                return after
        return 0

    def _consequence(self, match: Match) -> int:
        """Read "X crashed, causing Y": the clause before is the cause."""
        at = match.start - 1
        if at < 1 or self.tokens[at].text != ",":
            return 0
        clause = self.clause_before(at)
        objects, end = self.objects(match.end, match.pattern)
        for target in objects:
            self.link(clause, R.CAUSES, target, f"en:{self.tokens[match.start].lower}", 0.8)
        return end if objects else 0

    def _fronted_cause(self, match: Match, causes: tuple[str, ...], end: int) -> int:
        """Read "Due to X, Y"."""
        if end >= len(self.tokens) or self.tokens[end].text != ",":
            return 0
        effect, after = self.clause_after(end + 1)
        mended = _MENDED.fullmatch(effect)
        if mended is not None:
            for cause in causes:
                self.link(cause, R.FIXES, mended["trouble"], f"en:{self.tokens[match.start].lower} … {mended['verb']}", 0.8)
            return end + 1
        for cause in causes:
            self.link(cause, R.CAUSES, effect, f"en:{self.tokens[match.start].lower} …", 0.8)
        return end + 1 if effect and after else 0


def _unique(links: list[Link]) -> list[Link]:
    seen: dict[tuple[str, R, str], Link] = {}
    for link in links:
        seen.setdefault((link.source.lower(), link.type, link.target.lower()), link)
    return list(seen.values())
