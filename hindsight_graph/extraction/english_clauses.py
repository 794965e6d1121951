"""Relations that English states over more than one clause: "replaced X with Y", "X won't start unless Y is up", "Y because X"."""

from typing import NamedTuple

from hindsight_graph.extraction.assertion import Assertion
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.kinds_en import (
    bare_label,
    is_amount,
    is_clause,
    is_no_place,
    is_person,
    is_place,
    is_thing_name,
    is_trouble,
)
from hindsight_graph.extraction.noun_phrases_en import Phrases
from hindsight_graph.extraction.syntax import Parse, Word
from hindsight_graph.models.enums import RelationType as R

SURE, LIKELY, GUESS = 0.9, 0.8, 0.65
"""Confidence of a verb's own arguments, of a construction, of a mere "so"."""
WHOLE = frozenset({R.CAUSES, R.FIXES, R.PRECEDES})
"""Relations between events, whose ends keep every word that tells which."""
_CANNOT_DO = frozenset(
    "run work start function operate boot exist live go build deploy load open come launch ship compile serve".split()
)
_IS_UP = frozenset(
    "up running available online ready reachable alive healthy there present connected installed open on "
    "green charged warm mounted unlocked powered plugged".split()
)
_GO_WRONG = frozenset(
    "fail crash hang freeze break stop restart panic deadlock leak time disappear vanish go slow slower unavailable unusable "
    "unresponsive flaky useless unstable offline down unreachable idle stall choke reboot loop error".split()
)
_GOES_WELL = frozenset("work run feel look know want see think use laugh smile sure need help do have be get".split())
_DOWN = frozenset("down offline away unavailable unreachable out dark".split())
_NOTHING_MADE = frozenset("data output result results value values information sense difference sound money progress".split())
_ASKING = frozenset("ask tell call ping consult inform warn check talk wait think".split())
_BETTER = frozenset("disappear vanish stop go".split())


def holds(source: str, relation: R, target: str, actor: str) -> bool:
    """Whether both ends are what a relation can hold between: no amounts, no clauses, no persons in an order of events."""
    ends = (source.lower(), target.lower())
    if any(is_amount(end) for end in ends):
        return False
    if relation is R.PRECEDES and any(end == actor.lower() or is_person(end) for end in ends):
        return False
    if relation is R.FIXES and (is_person(source) or ends[0] == actor.lower()):
        return False  # who mended it is no remedy
    if relation is R.PRODUCES and ends[1] in _NOTHING_MADE:
        return False
    if relation is R.LOCATED_IN and is_no_place(target):
        return False
    return relation in WHOLE or not any(is_clause(end) for end in ends)


class Verb(NamedTuple):
    """A verb in its clause: its particle, whether it is passive, whether the clause denies it."""

    word: Word
    particle: str
    passive: bool
    negated: bool


class ClauseReader:
    """Reads the constructions of one parsed sentence, and keeps what was found in it."""

    def __init__(self, parse: Parse, actor: str, *, person: bool, assertion: Assertion, before: str) -> None:
        self.parse = parse
        self.actor = actor
        self.phrases = Phrases(parse, actor, person=person, before=before)
        self.assertion = assertion
        self.links: dict[tuple[str, R, str], Link] = {}

    def add(self, source: str, relation: R, target: str, pattern: str, confidence: float = SURE) -> None:
        """State a relation between two phrases, unless one is missing or both are the same."""
        source, target = bare_label(source), bare_label(target)
        if not source or not target or source.lower() == target.lower() or not holds(source, relation, target, self.actor):
            return
        key = (source.lower(), relation, target.lower())
        if key not in self.links:
            self.links[key] = Link(source, relation, target, f"en-dep:{pattern}", confidence)

    # --- constructions of more than one clause

    def _swap(self, verb: Verb) -> bool:
        """Read "replaced X with Y", "swapped X for Y": Y replaces X."""
        if verb.negated or verb.passive:
            return False
        direct = self.parse.first(verb.word.index, "dobj")
        if direct is None:
            return False
        for preposition in [*self.phrases.prepositions(verb.word), *self.parse.kids(direct.index, "prep")]:
            if preposition.lower in {"with", "by", "for"} and not (preposition.lower == "for" and verb.word.lemma == "replace"):
                new = self.phrases.objects_of(preposition)
                pair = (direct, new[0]) if new else None
                if pair is None:
                    continue
                old_name, new_name = self.phrases.named(pair[0]), self.phrases.named(pair[1])
                if verb.word.lemma == "substitute" and preposition.lower == "for":
                    old_name, new_name = new_name, old_name
                for one in new_name[:1]:
                    for other in old_name[:1]:
                        self.add(one, R.REPLACES, other, f"{verb.word.lemma} {preposition.lower}")
                return True
        return False

    def _move(self, verb: Verb) -> bool:
        """Read "migrated from A to B": B replaces A; of a place or a person: where it is now."""
        old: list[Word] = []
        new: list[Word] = []
        for preposition in self.phrases.prepositions(verb.word, deep=True):
            if preposition.lower in {"from", "off", "of"} and not old and preposition.lower != "of":
                old = self.phrases.objects_of(preposition)
                for inner in old[:1]:
                    new = new or [
                        word
                        for one in self.parse.kids(inner.index, "prep")
                        if one.lower in {"to", "onto"}
                        for word in self.phrases.objects_of(one)
                    ]
            elif preposition.lower in {"to", "onto"} and not new:
                new = self.phrases.objects_of(preposition)
        if not old or not new or verb.negated:
            return bool(old and new)
        for one in self.phrases.named(new[0])[:1]:
            for other in self.phrases.named(old[0])[:1]:
                if one[0].isdigit() or (one[:1] == "v" and one[1:2].isdigit()):
                    return True
                if is_place(one):
                    moved = [phrase for word in self.parse.kids(verb.word.index, "dobj") for phrase in self.phrases.named(word)]
                    for subject in moved or self.phrases.subjects(verb.word):
                        self.add(subject, R.LOCATED_IN, one, "from … to")
                    return True
                self.add(one, R.REPLACES, other, f"{verb.word.lemma} from … to")
        return True

    def _drop(self, verb: Verb) -> bool:
        """Read "dropped X in favour of Y", "retired X for Y"."""
        direct = self.parse.first(verb.word.index, "dobj", "nsubjpass")
        if direct is None or verb.negated:
            return False
        for place in [verb.word, direct]:
            for preposition in self.parse.kids(place.index, "prep"):
                new = self.phrases.objects_of(preposition)
                if preposition.lower == "in" and new and new[0].lemma in {"favor", "favour"}:
                    new = [word for one in self.parse.kids(new[0].index, "prep") for word in self.phrases.objects_of(one)]
                elif preposition.lower != "for" or not new or verb.word.lemma in {"leave", "remove"}:
                    continue
                for one in [phrase for word in new[:1] for phrase in self.phrases.named(word)]:
                    if not is_thing_name(one) and preposition.lower == "for":
                        continue
                    for other in self.phrases.named(direct)[:1]:
                        self.add(one, R.REPLACES, other, f"{verb.word.lemma} in favour of")
                        return True
        return False

    def _make(self, verb: Verb) -> bool:
        """Read "X makes Y fail", "X took Y down", "X made the errors go away"."""
        if verb.negated or verb.passive:
            return False
        parse, word = self.parse, verb.word
        for kid in parse.kids(word.index, "ccomp", "acomp", "xcomp", "oprd", "advmod", "prt"):
            lemma = kid.lemma
            subject = parse.first(kid.index, "nsubj") or parse.first(word.index, "dobj")
            if subject is None or (
                lemma not in _GO_WRONG and not (word.lemma == "make" and kid.tag == "VB" and lemma not in _GOES_WELL)
            ):
                continue
            if word.lemma in {"take", "bring", "knock", "send", "get", "let", "leave", "drive"} and lemma not in _DOWN:
                continue
            effects = self.phrases.named(subject, whole=True)
            gone = lemma in {"disappear", "vanish"} or (
                lemma == "go" and any(one.lower == "away" for one in parse.kids(kid.index))
            )
            for effect in effects:
                for cause in self.phrases.subjects(word, whole=True):
                    if gone:
                        self.add(cause, R.FIXES, effect, f"{word.lemma} … {lemma}")
                    elif not is_person(cause):
                        tail = (
                            ""
                            if kid.dep == "prt" or word.lemma in {"take", "bring", "knock"}
                            else f" {self.parse.words[kid.index].lower}"
                        )
                        self.add(cause, R.CAUSES, effect + tail, f"{word.lemma} … {lemma}")
            return True
        return False

    def _get_rid(self, verb: Verb) -> bool:
        """Read "got rid of X", which the parser takes for a passive."""
        places = [verb.word, *self.parse.kids(verb.word.index)]
        objects = [
            one
            for place in places
            for kid in self.parse.kids(place.index, "prep")
            if kid.lower == "of"
            for one in self.phrases.objects_of(kid)
        ]
        for cause in self.phrases.subjects(verb.word, whole=True):
            for target in [phrase for one in objects for phrase in self.phrases.named(one, whole=True)]:
                if is_person(cause):
                    self.add(cause, R.AVOIDS, target, "get rid of", LIKELY)
                else:
                    self.add(cause, R.FIXES, target, "get rid of")
        return bool(objects)

    def _order(self, verb: Verb) -> None:
        """Read "X runs before Y starts", "after X, Y", "X comes first, then Y"."""
        parse, word = self.parse, verb.word
        marks = [
            kid for kid in parse.kids(word.index, "mark", "advmod", "prep") if kid.lower in {"before", "after", "once", "until"}
        ]
        if word.dep == "advcl" and marks and not verb.negated:
            head = parse.words[word.head]
            first, second = self.phrases.event(head), self.phrases.event(word)
            if not first or not second:
                return
            mark = marks[0].lower
            if mark == "until":
                if not self.phrases.is_denied(head):
                    return
                mark = "after"
            if mark == "once" and not self._is_over(word):
                return
            pair = (first, second) if mark == "before" else (second, first)
            if mark == "after" and self._is_better(head):
                return
            if mark in {"after", "before", "once"}:
                self.add(pair[0], R.PRECEDES, pair[1], f"{marks[0].lower} …", LIKELY)
        elif self.phrases.is_order(word) and not verb.negated and self._ordered(word):
            return
        elif word.lemma in {"come", "go", "run", "happen"} and any(
            kid.lower == "first" for kid in parse.kids(word.index, "advmod")
        ):
            self._first_then(word)

    def _ordered(self, word: Word) -> bool:
        """Read the orders "First do X, then do Y" and "Do X before doing Y"."""
        parse = self.parse
        deed = self.phrases.deed(word)
        then = [
            kid
            for kid in parse.kids(word.index, "conj", "dep")
            if any(one.lower == "then" for one in parse.words[word.index : kid.index])
        ]
        if then and any(one.lower == "first" for one in parse.words[: word.index + 1]):
            self.add(deed, R.PRECEDES, self.phrases.deed(then[0]), "first … then", LIKELY)
            return True
        for kid in parse.kids(word.index, "prep"):
            later = [one for one in parse.kids(kid.index, "pcomp") if one.tag == "VBG"]
            if word.lemma not in _ASKING and kid.lower == "before" and later and kid.index > word.index:
                self.add(deed, R.PRECEDES, self.phrases.deed(later[0]), "before …", LIKELY)
                return True
        return False

    def _first_then(self, word: Word) -> None:
        """Read "X comes first, then Y"."""
        rest = self.parse.words[word.index + 1 :]
        then = next((one for one in rest if one.lower in {"then", "followed", "afterwards"}), word)
        after = next((one for one in self.parse.words[then.index + 1 :] if one.is_noun and then is not word), None)
        second_noun = self.phrases.head_of(after) if after is not None else None
        for first in self.phrases.subjects(word) if second_noun is not None else ():
            for second in self.phrases.named(second_noun) if second_noun is not None else ():
                self.add(first, R.PRECEDES, second, "first … then", LIKELY)

    @staticmethod
    def _is_over(word: Word) -> bool:
        return word.lemma in {"finish", "complete", "end", "pass", "succeed", "do", "be", "land", "merge", "close", "go"}

    def _is_better(self, word: Word) -> bool:
        """Read "the errors disappeared after X": X fixes the errors. True when it was read so."""
        return word.lemma in _BETTER and any(is_trouble(subject) for subject in self.phrases.subjects(word, whole=True))

    def _only_when(self, verb: Verb) -> None:
        """Read "X won't start unless Y is up", "X only works when Y is up", "when Y is down X fails"."""
        parse, word = self.parse, verb.word
        for clause in parse.kids(word.index, "advcl"):
            mark = parse.first(clause.index, "mark", "advmod")
            if mark is None:
                continue
            state = {kid.lower for kid in parse.kids(clause.index, "acomp", "advmod", "prt", "attr")} | {clause.lower}
            needed = self.phrases.subjects(clause)
            users = self.phrases.subjects(word)
            only = any(kid.lower == "only" for kid in parse.kids(word.index, "advmod")) or any(
                kid.lower == "only" for kid in parse.kids(clause.index, "advmod")
            )
            conditional = (
                mark.lower == "unless"
                or (mark.lower in {"if", "until", "before", "without"} and verb.negated)
                or (only and mark.lower in {"when", "if", "while", "once", "after"})
            )
            able = word.lemma in _CANNOT_DO or (verb.negated and bool(parse.kids(word.index, "aux")))
            if conditional and state & _IS_UP and able:
                for user in users:
                    for one in needed:
                        self.add(user, R.DEPENDS_ON, one, f"{mark.lower} … up", LIKELY)

    def _without(self, word: Word) -> None:
        """Read "X cannot run without Y", "Without Y, X will not start"."""
        parse = self.parse
        head = parse.words[word.head]
        if not head.is_verb or word.lower != "without":
            return
        objects = self.phrases.objects_of(word)
        fails = head.lemma in {"fail", "break", "crash", "stop", "stall", "halt", "struggle", "choke", "die", "collapse"}
        denied = self.phrases.is_denied(head) or self.phrases.denies_subject(head)
        able = (
            any(kid.lower in {"can", "ca", "could"} for kid in parse.kids(head.index, "aux"))
            or head.lemma in _CANNOT_DO
            or head.lemma in {"open", "answer", "respond", "do", "print", "send", "process", "connect"}
        )
        if head.lemma == "be" and any(
            kid.lower in {"useless", "nothing", "dead", "down", "helpless"} for kid in parse.kids(head.index)
        ):
            fails = True
        if not (fails or (denied and able)):
            return
        for user in self.phrases.subjects(head):
            for needed in [phrase for one in objects for phrase in self.phrases.named(one)]:
                self.add(user, R.DEPENDS_ON, needed, f"{head.lemma} without")

    def _reason(self, word: Word) -> None:
        """Read "Y because X", "due to X, Y", "X, so Y"."""
        parse = self.parse
        head = parse.words[word.head]
        if word.dep == "mark" and word.lower == "because" and head.is_verb:
            effect = self.phrases.clause(parse.words[head.head], without=head)
            self._caused(self.phrases.clause(head), effect, "because")
        elif word.lower in {"because", "due", "owing", "thanks"} and word.dep in {
            "prep",
            "amod",
            "mark",
            "acomp",
            "npadvmod",
            "advmod",
        }:
            inner = [one for kid in parse.kids(word.index, "prep", "pcomp", "fixed") for one in self.phrases.objects_of(kid)]
            objects = self.phrases.objects_of(word) or inner
            clause = head if head.is_verb and head.lemma != "be" else None
            if clause is None or not objects:
                return
            effect = self.phrases.clause(clause, without=word)
            for cause in [phrase for one in objects for phrase in self.phrases.named(one, whole=True)]:
                if any(kid.lemma in {"fix", "resolve", "solve"} for kid in [clause]):
                    continue
                self._caused(cause, effect, f"{word.lower} to")
        elif word.lower in {"so", "hence", "therefore", "thus"} and word.index > 2:
            self._so(word, head)

    def _so(self, word: Word, head: Word) -> None:
        """Read "X, so Y"."""
        parse = self.parse
        if parse.words[word.index - 1].text not in {",", ";"}:
            return
        before = parse.words[head.head] if head.dep in {"conj", "ccomp", "advcl"} else None
        first = before if before is not None and before.index < word.index else None
        second = head if head.index > word.index else None
        if first is None:
            first = next((kid for kid in parse.kids(head.index, "ccomp", "conj") if kid.index < word.index), None)
        if first is None and head.index < word.index:
            first = head
            second = next((kid for kid in parse.kids(head.index, "conj", "ccomp", "advcl") if kid.index > word.index), None)
        if first is None or second is None or not parse.kids(second.index, "nsubj", "nsubjpass"):
            return
        effect, cause = self.phrases.clause(second, after=word), self.phrases.clause(first, before=word)
        people = {"i", "we", "you", "please", "let", "it", "they", "this", "that", "he", "she"}
        if effect.split()[0].lower() in people or cause.split()[0].lower() in people:
            return
        self._caused(cause, effect, word.lower, GUESS)

    def _caused(self, cause: str, effect: str, pattern: str, confidence: float = LIKELY) -> None:
        if len(cause.split()) > 1 and effect and max(len(cause), len(effect)) <= 90:
            self.add(cause, R.CAUSES, effect, pattern, confidence)

    def _instead(self, word: Word) -> None:
        """Read "Instead of X, use Y"."""
        parse = self.parse
        if word.index > 0:
            return
        others = self.phrases.objects_after(word)
        verb = next((one for one in parse.words if one.is_verb and one.dep == "ROOT"), None)
        if verb is None:
            return
        subjects = self.phrases.subjects(verb)
        for other in [phrase for one in others for phrase in self.phrases.named(one)]:
            for subject in subjects:
                self.add(subject, R.AVOIDS, other, "instead of", LIKELY)
