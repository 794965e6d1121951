"""Relations in English sentences by their grammar: what a parsed verb, noun or adjective says of its arguments."""

from collections.abc import Iterable
from typing import NamedTuple

from hindsight_graph.extraction.assertion import PLAIN, STATES, Assertion
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.frames_en import (
    Frame,
    active_frames,
    adjective_frames,
    light_frames,
    noun_frames,
    passive_frames,
)
from hindsight_graph.extraction.kinds_en import is_agent, is_person, is_place, is_thing_name, is_tool, is_trouble, may_be_place
from hindsight_graph.extraction.noun_phrases_en import TIMES, Phrases
from hindsight_graph.extraction.syntax import Parse, Word
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.models.enums import RelationType as R

_SURE, _LIKELY, _GUESS = 0.9, 0.8, 0.65
_STOPPING = frozenset("stop quit avoid cease refrain discontinue".split())
_MOVING = frozenset("migrate move switch change convert transition port upgrade cut shift go swap jump rewrite".split())
_SWAPPING = frozenset("replace swap substitute trade exchange".split())
_DROPPING = frozenset("drop ditch retire abandon deprecate scrap phase remove leave discard dump".split())
_CANNOT_DO = frozenset("run work start function operate boot exist live go build deploy load open come launch ship compile serve".split())
_IS_UP = frozenset("up running available online ready reachable alive healthy there present connected installed open on green charged warm mounted unlocked powered plugged".split())
_GO_WRONG = frozenset(
    "fail crash hang freeze break stop restart panic deadlock leak time disappear vanish go slow slower unavailable unusable "
    "unresponsive flaky useless unstable offline down unreachable idle stall choke reboot loop error".split()
)
_GOES_WELL = frozenset("work run feel look know want see think use laugh smile sure need help do have be get".split())
_DOWN = frozenset("down offline away unavailable unreachable out dark".split())
_BETTER = frozenset("disappear vanish stop go".split())
_STAYING = frozenset("live work stay settle study reside base relocate move transfer".split())
_WHOLE = frozenset({R.CAUSES, R.FIXES, R.PRECEDES})


class _Verb(NamedTuple):
    """A verb in its clause: its particle, whether it is passive, whether the clause denies it."""

    word: Word
    particle: str
    passive: bool
    negated: bool


def find_relations(parse: Parse, actor: str, *, person: bool = False, assertion: Assertion = PLAIN, before: str = "") -> list[Link]:
    """Return the relations that a parsed English sentence states.

    Args:
        parse: One sentence.
        actor: Who "I" is, and who an order without a subject is addressed to.
        person: "we" is the actor too.
        assertion: Which of its parts state nothing.
        before: The thing the sentence before was about: what "it" at the start of this one means; empty when unknown.
    """
    return _Reader(parse, actor, person=person, assertion=assertion, before=before).read()


class _Reader:
    """Reads one parsed sentence."""

    def __init__(self, parse: Parse, actor: str, *, person: bool, assertion: Assertion, before: str) -> None:
        self.parse = parse
        self.actor = actor
        self.phrases = Phrases(parse, actor, person=person, before=before)
        self.assertion = assertion
        self.links: dict[tuple[str, R, str], Link] = {}

    def read(self) -> list[Link]:
        """Return the relations, each once, in the order of the sentence."""
        for word in self.parse.words:
            if self.assertion.veils and self.assertion.hides(word.start):
                continue
            known = set(self.links)
            if word.is_verb or self._acts_as_verb(word):
                self._verb(word)
            elif word.lower in {"without", "unless"}:
                self._without(word)
            elif word.lower in {"because", "due", "so", "owing", "thanks", "hence", "therefore", "since", "thus"}:
                self._reason(word)
            elif word.lower in {"instead", "rather"}:
                self._instead(word)
            elif word.dep == "appos" and word.is_noun:
                self._apposition(word)
            if word.dep in {"nsubj", "nsubjpass"} and word.is_noun:
                self._stands(word)
            if self.assertion.veils and self.assertion.is_past(word.start):
                self.links = {key: link for key, link in self.links.items() if key in known or link.type not in STATES}
        return list(self.links.values())

    def add(self, source: str, relation: R, target: str, pattern: str, confidence: float = _SURE) -> None:
        """State a relation between two phrases, unless one is missing or both are the same."""
        if not source or not target or source.lower() == target.lower():
            return
        key = (source.lower(), relation, target.lower())
        if key not in self.links:
            self.links[key] = Link(source, relation, target, f"en-dep:{pattern}", confidence)

    # --- verbs

    def _rather(self, verb: _Verb, subjects: list[str]) -> bool:
        """Read "would rather write X than touch Y", whatever the verbs."""
        parse, word = self.parse, verb.word
        if verb.negated or not any(kid.lower == "rather" for kid in parse.kids(word.index, "advmod")):
            return False
        if not any(kid.lower in {"would", "'d"} for kid in parse.kids(word.index, "aux")):
            return False
        direct = [*parse.kids(word.index, "dobj"), *(one for kid in self.phrases.prepositions(word) for one in self.phrases.objects_of(kid))]
        wanted = self.phrases.conjuncts(direct[0]) if direct else []
        refused = [one for one in self.phrases.contrasted(wanted, prefers=True)] if wanted else []
        for clause in parse.kids(word.index, "advcl", "conj", "ccomp"):
            if clause.index > word.index and any(one.lower == "than" for one in parse.words[word.index : clause.index]):
                refused += [one for kid in parse.kids(clause.index, "dobj") for one in self.phrases.conjuncts(kid)]
        for subject in subjects:
            for phrase in [phrase for one in wanted for phrase in self.phrases.named(one)]:
                self.add(subject, R.PREFERS, phrase, "would rather")
            for phrase in [phrase for one in refused for phrase in self.phrases.named(one)]:
                self.add(subject, R.AVOIDS, phrase, "would rather", _LIKELY)
        return bool(wanted)

    def _acts_as_verb(self, word: Word) -> bool:
        """Whether the parser took a verb for a noun or an adjective: "uses/NNS", "called/JJ by"."""
        if word.tag not in {"NNS", "NN", "JJ", "IN"} or word.dep not in {"ROOT", "relcl", "ccomp", "advcl", "conj", "acl"}:
            return False
        if self.parse.first(word.index, "nsubj", "nsubjpass", "aux", "agent") is not None:
            return True
        return (
            word.dep == "conj"
            and word.tag == "NNS"
            and self.parse.words[word.head].is_verb
            and any((word.lemma, "", kid.lower) in active_frames() for kid in self.parse.kids(word.index, "prep"))
        )

    def _as_verb(self, word: Word) -> _Verb:
        parse = self.parse
        particle = parse.first(word.index, "prt")
        passive = bool(parse.kids(word.index, "auxpass", "nsubjpass", "agent")) or (
            word.tag in {"VBN", "VBD"} and word.dep in {"acl", "relcl"} and not parse.kids(word.index, "nsubj", "aux")
        )
        if passive and word.dep == "acl" and parse.words[word.head].dep == "ROOT" and not parse.kids(word.index, "agent"):
            passive = word.tag == "VBN" and any(
                (word.lemma, particle.lower if particle else "", kid.lower) in passive_frames() for kid in parse.kids(word.index, "prep")
            )  # "A bad migration led to data loss", read as "a migration that was led"
        if not passive and word.tag == "VBN" and word.dep == "conj":
            head = parse.words[word.head]
            passive = head.is_verb and self._as_verb(head).passive and not parse.kids(word.index, "nsubj", "dobj")
        return _Verb(word, particle.lower if particle is not None else "", passive, self.phrases.is_denied(word))

    def _verb(self, word: Word) -> None:
        verb = self._as_verb(word)
        if self._construction(verb):
            return
        if word.lemma == "be":
            self._copula(verb)
            return
        subjects = self.phrases.subjects(word)
        if self._rather(verb, subjects):
            return
        stated = False
        for complement, frames in self._complements(verb):
            stated = self._state(verb, subjects, complement, frames) or stated
        if not stated and not self._light(verb, subjects):
            self._tool_use(verb, subjects)
        self._consequence(verb)

    def _complements(self, verb: _Verb) -> list[tuple[list[Word], tuple[Frame, ...]]]:
        """Return the objects of a verb with what the verb says of each: direct, by preposition, or the agent of a passive."""
        parse, word = self.parse, verb.word
        found: list[tuple[list[Word], tuple[Frame, ...]]] = []
        lemma = word.lemma
        if verb.passive:
            for agent in parse.kids(word.index, "agent"):
                frames = tuple(
                    frame._replace(reverse=not frame.reverse) for frame in active_frames().get((lemma, verb.particle, ""), ())
                )
                stranded = [
                    frame._replace(reverse=not frame.reverse)
                    for preposition in parse.kids(word.index, "prep")
                    if not parse.kids(preposition.index, "pobj")
                    for frame in active_frames().get((lemma, verb.particle, preposition.lower), ())
                ]
                special = passive_frames().get((lemma, verb.particle, "by"), ())
                found.append((self.phrases.objects_of(agent), special or tuple(stranded) or frames))
            found.extend(self._by_preposition(verb, passive_frames()))
            return found
        direct = [*parse.kids(word.index, "dobj", "dative"), *parse.kids(word.index, "attr", "oprd")[:1]]
        relative = self.phrases.relative_object(word, direct)
        if relative is not None:
            stranded = [kid for kid in parse.kids(word.index, "prep") if not parse.kids(kid.index, "pobj", "pcomp")]
            complement = stranded[0].lower if stranded else ""
            found.append(([relative], active_frames().get((lemma, verb.particle, complement), ())))
        elif direct and (direct[0].is_noun or direct[0].tag == "PRP"):
            found.append((self.phrases.conjuncts(direct[0]), active_frames().get((lemma, verb.particle, ""), ())))
        found.extend(self._by_preposition(verb, active_frames()))
        if lemma in {"need", "require"}:  # "needs X to be online"
            found.extend(
                (self.phrases.conjuncts(subject), active_frames()[lemma, "", ""])
                for clause in parse.kids(word.index, "ccomp")
                for subject in parse.kids(clause.index, "nsubj", "nsubjpass")
                if subject.is_noun
            )
        return found

    def _by_preposition(
        self, verb: _Verb, table: dict[tuple[str, str, str], tuple[Frame, ...]]
    ) -> list[tuple[list[Word], tuple[Frame, ...]]]:
        found: list[tuple[list[Word], tuple[Frame, ...]]] = []
        for preposition in self.phrases.prepositions(verb.word):
            frames = table.get((verb.word.lemma, verb.particle, preposition.lower), ())
            if not verb.passive and self.parse.kids(verb.word.index, "dobj"):
                frames = tuple(frame for frame in frames if frame.needs != "bare")
            if not frames and not verb.particle:
                frames = table.get((verb.word.lemma, preposition.lower, ""), ())
            if frames:
                found.append((self.phrases.objects_of(preposition), frames))
        return found

    def _state(self, verb: _Verb, subjects: list[str], complement: list[Word], frames: tuple[Frame, ...]) -> bool:
        stated = False
        for frame in sorted(frames, key=lambda frame: frame.needs not in {"team", "place", "placed", "tool", "trouble", "owner"}):
            whole = frame.type in _WHOLE
            targets = [phrase for word in complement for phrase in self.phrases.named(word, whole=whole)]
            sources = self.phrases.subjects(verb.word, whole=True) if whole else subjects
            if not targets or not sources or not self._fits(frame, verb, sources, targets, complement):
                continue
            relation = frame.type
            denied = verb.negated or self.phrases.denies_object(complement)
            if frame.needs == "denied":
                if not denied:
                    continue
            elif denied:
                if frame.reverse or relation not in {R.USES, R.PREFERS}:
                    return True
                relation = R.AVOIDS
            elif relation in {R.USES, R.PREFERS} and self._is_stopped(verb.word):
                relation = R.AVOIDS
            elif relation is R.USES and any(kid.lower in {"rather", "preferably"} for kid in self.parse.kids(verb.word.index, "advmod")):
                relation = R.PREFERS
            if relation is R.PRODUCES and all(is_trouble(target) for target in targets):
                relation = R.CAUSES
            if relation is R.PART_OF and verb.word.lemma == "belong" and all(is_agent(target) for target in targets):
                relation, frame = R.OWNS, frame._replace(reverse=True)
            if relation is R.REPLACES and verb.particle == "over" and self.parse.kids(verb.word.index, "dobj"):
                continue
            name = " ".join(part for part in (verb.word.lemma, verb.particle) if part)
            name += " (passive)" if verb.passive else ""
            for source in sources:
                for target in targets:
                    ends = (target, source) if frame.reverse else (source, target)
                    self.add(ends[0], relation, ends[1], name)
            self._contrast(verb, complement, sources, relation)
            stated = True
            break
        return stated

    def _is_stopped(self, word: Word) -> bool:
        """Whether it is "stop using", "avoid calling", "instead of using"."""
        head = self.parse.words[word.head]
        if word.dep in {"xcomp", "pcomp"} and word.tag == "VBG":
            return head.lemma in _STOPPING or head.lower in {"from", "of"} and self.parse.words[head.head].lemma in {
                *_STOPPING, "instead", "clear", "away", "keep", "steer", "move", "discourage", "ban", "prevent"
            }
        return False

    def _fits(self, frame: Frame, verb: _Verb, sources: list[str], targets: list[str], complement: list[Word]) -> bool:
        needs = frame.needs
        if needs == "agent":
            return all(is_agent(source) for source in (targets if verb.passive and frame.reverse else sources))
        if needs == "owner":
            return all(is_agent(target) for target in targets)
        if needs in {"thing", "bare"}:
            checked = targets if verb.passive and frame.reverse else sources
            return not any(is_person(one) for one in checked)
        if needs == "trouble":
            return all(is_trouble(target) for target in targets)
        if needs == "tool":
            return all(is_tool(target) for target in targets)
        if needs == "placed" and not any(is_agent(source) for source in sources):
            return not any(target[0].isdigit() for target in targets) and not any(word.lower in TIMES for word in complement)
        if needs in {"place", "placed"}:
            if verb.word.lemma in {"run", "hang"} and any(is_agent(source) for source in sources):
                return False
            stays = verb.word.lemma in _STAYING
            return all(is_place(target) or (stays and may_be_place(target)) for target in targets)
        if needs == "team":
            return all(is_agent(source) for source in sources) and all(is_agent(target) or not is_tool(target) for target in targets)
        if frame.type is R.LOCATED_IN:
            return not any(target[0].isdigit() and "." not in target for target in targets) and not any(
                word.lower in TIMES or word.lower in MONTHS_AND_DAYS for word in complement
            )
        return True

    def _contrast(self, verb: _Verb, complement: list[Word], sources: list[str], relation: R) -> None:
        """Read what follows an object: "over Y", "instead of Y", "rather than Y", ", not Y", "to Y" after prefer."""
        if relation not in {R.USES, R.PREFERS}:
            return
        others = self.phrases.contrasted(complement, prefers=relation is R.PREFERS)
        for other in others:
            for target in self.phrases.named(other):
                for source in sources:
                    self.add(source, R.AVOIDS, target, "not", _LIKELY)

    def _light(self, verb: _Verb, subjects: list[str]) -> bool:
        """Read "takes care of X", "gets rid of X", "steers clear of X"."""
        parse = self.parse
        for noun in parse.kids(verb.word.index, "dobj", "acomp", "attr", "advmod", "oprd", "prep", "pobj"):
            for preposition in parse.kids(noun.index, "prep"):
                frames = light_frames().get((verb.word.lemma, noun.lemma, preposition.lower), ())
                if frames:
                    return self._state(verb, subjects, self.phrases.objects_of(preposition), frames)
            for preposition in self.phrases.prepositions(verb.word):
                frames = light_frames().get((verb.word.lemma, noun.lemma, preposition.lower), ())
                if frames and preposition.index > noun.index:
                    return self._state(verb, subjects, self.phrases.objects_of(preposition), frames)
        return False

    def _consequence(self, verb: _Verb) -> None:
        """Read "X crashed, causing Y": the clause is the cause."""
        if verb.word.tag != "VBG" or verb.word.dep != "advcl" or verb.word.lemma not in {"cause", "trigger", "lead", "result"}:
            return
        head = self.parse.words[verb.word.head]
        key = [key for key, link in self.links.items() if link.pattern.startswith(f"en-dep:{verb.word.lemma}")]
        cause = self.phrases.clause(head, without=verb.word)
        for one in key[-3:]:
            link = self.links.pop(one)
            self.add(cause, link.type, link.target, f"…, {verb.word.lower}", _LIKELY)

    # --- be

    def _copula(self, verb: _Verb) -> None:
        """Read "X is part of Y", "X is responsible for Y", "X is in Rome", "the owner of X is Y"."""
        parse, word = self.parse, verb.word
        if verb.negated:
            return
        subjects = self.phrases.subjects(word)
        for attribute in parse.kids(word.index, "attr", "acomp", "dobj"):
            if attribute.tag.startswith("JJ") or attribute.tag in {"VBN", "RB"}:
                self._described(attribute, subjects, verb)
            elif attribute.is_noun:
                self._is_a(attribute, word, subjects)
        for preposition in parse.kids(word.index, "prep", "advmod"):
            self._is_at(preposition, subjects, verb)
        for blame in parse.kids(word.index, "xcomp"):
            if blame.lemma == "blame":
                for preposition in [*parse.kids(blame.index, "prep"), *parse.kids(word.index, "prep")]:
                    if preposition.lower == "for":
                        self._state(verb, subjects, self.phrases.objects_of(preposition), (Frame(R.CAUSES),))

    def _described(self, adjective: Word, subjects: list[str], verb: _Verb) -> None:
        for preposition in [*self.parse.kids(adjective.index, "prep"), *self.parse.kids(verb.word.index, "prep")]:
            frames = adjective_frames().get((adjective.lower, "", preposition.lower), ()) or passive_frames().get(
                (adjective.lemma, "", preposition.lower), ()
            )
            if frames and self._state(verb, subjects, self.phrases.objects_of(preposition), frames):
                return

    def _is_a(self, noun: Word, verb: Word, subjects: list[str]) -> None:
        """Read "X is the owner of Y" both ways round."""
        for preposition in self.parse.kids(noun.index, "prep"):
            frames = noun_frames().get((noun.lemma, "", preposition.lower), ())
            self._noun_relation(frames, noun, subjects, self.phrases.objects_of(preposition))
        subject = self.parse.first(verb.index, "nsubj")
        if subject is None:
            return
        for preposition in self.parse.kids(subject.index, "prep"):
            frames = noun_frames().get((subject.lemma, "", preposition.lower), ())
            others = [phrase for word in self.phrases.conjuncts(noun) for phrase in self.phrases.named(word, whole=True)]
            self._noun_relation(frames, subject, others, self.phrases.objects_of(preposition))
        owner = self.parse.first(subject.index, "poss")
        if owner is not None and subject.lemma in {"owner", "maintainer", "lead", "manager", "replacement", "successor"}:
            frames = noun_frames().get((subject.lemma, "", "of"), ())
            others = [phrase for word in self.phrases.conjuncts(noun) for phrase in self.phrases.named(word)]
            self._noun_relation(frames, subject, others, [owner])
        if any(kid.lower in {"favorite", "favourite", "preferred"} for kid in self.parse.kids(subject.index, "amod")):
            who = self.phrases.named(owner) if owner is not None else []
            for target in [phrase for word in self.phrases.conjuncts(noun) for phrase in self.phrases.named(word)]:
                for one in who or [self.actor]:
                    self.add(one, R.PREFERS, target, "favourite")

    def _noun_relation(self, frames: tuple[Frame, ...], noun: Word, subjects: list[str], objects: list[Word]) -> None:
        for frame in frames:
            if frame.type is R.CAUSES and self.parse.first(noun.index, "neg") is not None:
                return
            for subject in subjects:
                for target in [phrase for word in objects for phrase in self.phrases.named(word, whole=frame.type in _WHOLE)]:
                    if frame.type is R.OWNS and not frame.reverse and not is_agent(subject):
                        continue
                    ends = (target, subject) if frame.reverse else (subject, target)
                    self.add(ends[0], frame.type, ends[1], f"{noun.lemma} of")

    def _is_at(self, preposition: Word, subjects: list[str], verb: _Verb) -> None:
        """Read "X is in Rome", "X is behind Y", "X is due to Y", "X is in charge of Y", "X is on Y's desk"."""
        objects = self.phrases.objects_of(preposition)
        if preposition.lower in {"in", "at", "on", "inside", "near"}:
            for noun in objects[:1]:
                inner = [(noun.lemma, one) for one in self.parse.kids(noun.index, "prep") if one.lower in {"of", "for", "by"}]
                for lemma, one in inner:
                    if lemma in {"charge", "control", "command"} and all(is_agent(subject) for subject in subjects):
                        for target in [phrase for word in self.phrases.objects_of(one) for phrase in self.phrases.named(word)]:
                            for subject in subjects:
                                self.add(subject, R.OWNS, target, "in charge of")
                        return
            for noun in objects:
                for target in self.phrases.named(noun):
                    if is_place(target) or (preposition.lower == "in" and may_be_place(target)):
                        for subject in subjects:
                            self.add(subject, R.LOCATED_IN, target, f"is {preposition.lower}", _LIKELY)
        elif preposition.lower == "behind":
            for target in [phrase for word in objects for phrase in self.phrases.named(word, whole=True)]:
                for subject in self.phrases.subjects(verb.word, whole=True):
                    if is_trouble(target):
                        self.add(subject, R.CAUSES, target, "is behind", _LIKELY)
        elif preposition.lower in {"due", "down", "because", "from"}:
            frames = adjective_frames().get((preposition.lower, "", "of" if preposition.lower == "because" else "to"), ())
            inner_objects = objects or [word for kid in self.parse.kids(preposition.index, "prep", "pcomp")
                                        for word in self.phrases.objects_of(kid)]
            if frames and inner_objects:
                self._state(verb, subjects, inner_objects, frames)

    def _apposition(self, word: Word) -> None:
        """Read "Ana, the owner of X," and "Ana (owner of X)"."""
        subjects = self.phrases.named(self.parse.words[word.head])
        for preposition in self.parse.kids(word.index, "prep"):
            frames = noun_frames().get((word.lemma, "", preposition.lower), ())
            self._noun_relation(frames, word, subjects, self.phrases.objects_of(preposition))

    def _stands(self, noun: Word) -> None:
        """Read "the label printer in the Rotterdam warehouse is …": where the subject stands."""
        for preposition in self.parse.kids(noun.index, "prep"):
            if preposition.lower not in {"in", "at", "on", "inside"} or preposition.index < noun.index:
                continue
            for place in self.phrases.objects_of(preposition):
                for target in self.phrases.named(place):
                    known = is_place(target) and (target[:1].isupper() or " " in target)
                    if known or (is_place(noun.lemma) and place.tag.startswith("NNP") and place.lower not in MONTHS_AND_DAYS):
                        for subject in self.phrases.named(noun):
                            self.add(subject, R.LOCATED_IN, target, f"… {preposition.lower}", _LIKELY)

    def _tool_use(self, verb: _Verb, subjects: list[str]) -> None:
        """Read "keeps its forecasts in Anaplan", "deploys everything with Helm": the subject uses the tool."""
        if verb.passive or not self.parse.kids(verb.word.index, "dobj", "ccomp"):
            return
        keeps = verb.word.lemma in {"keep", "store", "track", "manage", "plan", "draw", "write", "schedule", "do", "log", "model", "edit"}
        for preposition in self.phrases.prepositions(verb.word):
            if preposition.lower not in ({"with", "via", "through", "in"} if keeps else {"with", "via", "through"}):
                continue
            objects = self.phrases.objects_of(preposition)
            named = [phrase for word in objects for phrase in self.phrases.named(word)]
            tools = [one for one, word in zip(named, objects, strict=False) if is_tool(one) and not is_place(one) and not is_person(one)]
            if tools and len(tools) == len(named) and all(one[:1].isupper() or is_thing_name(one) for one in tools):
                relation = R.AVOIDS if verb.negated else R.USES
                for subject in subjects:
                    for tool in tools:
                        self.add(subject, relation, tool, f"{verb.word.lemma} … {preposition.lower}", _LIKELY)
                self._contrast(verb, objects, subjects, R.USES)
                return

    # --- constructions of more than one clause

    def _construction(self, verb: _Verb) -> bool:
        lemma = verb.word.lemma
        if lemma in _SWAPPING and self._swap(verb):
            return True
        if lemma in _MOVING and self._move(verb):
            return True
        if lemma in _DROPPING and self._drop(verb):
            return True
        if lemma == "rid" or (lemma == "get" and any(kid.lower == "rid" for kid in self.parse.kids(verb.word.index))):
            return self._get_rid(verb)
        if lemma in {"make", "cause", "let", "leave", "bring", "take", "send", "drive", "knock", "get", "render", "force"}:
            return self._make(verb)
        self._order(verb)
        self._only_when(verb)
        return False

    def _swap(self, verb: _Verb) -> bool:
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

    def _move(self, verb: _Verb) -> bool:
        """Read "migrated from A to B": B replaces A; of a place or a person: where it is now."""
        old: list[Word] = []
        new: list[Word] = []
        for preposition in self.phrases.prepositions(verb.word, deep=True):
            if preposition.lower in {"from", "off", "of"} and not old and preposition.lower != "of":
                old = self.phrases.objects_of(preposition)
                for inner in old[:1]:
                    new = new or [word for one in self.parse.kids(inner.index, "prep") if one.lower in {"to", "onto"}
                                  for word in self.phrases.objects_of(one)]
            elif preposition.lower in {"to", "onto"} and not new:
                new = self.phrases.objects_of(preposition)
        if not old or not new or verb.negated:
            return bool(old and new)
        for one in self.phrases.named(new[0])[:1]:
            for other in self.phrases.named(old[0])[:1]:
                if one[0].isdigit() or one[:1] == "v" and one[1:2].isdigit():
                    return True
                if is_place(one):
                    moved = [phrase for word in self.parse.kids(verb.word.index, "dobj") for phrase in self.phrases.named(word)]
                    for subject in moved or self.phrases.subjects(verb.word):
                        self.add(subject, R.LOCATED_IN, one, "from … to")
                    return True
                self.add(one, R.REPLACES, other, f"{verb.word.lemma} from … to")
        return True

    def _drop(self, verb: _Verb) -> bool:
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

    def _make(self, verb: _Verb) -> bool:
        """Read "X makes Y fail", "X took Y down", "X made the errors go away"."""
        if verb.negated or verb.passive:
            return False
        parse, word = self.parse, verb.word
        for kid in parse.kids(word.index, "ccomp", "acomp", "xcomp", "oprd", "advmod", "prt"):
            lemma = kid.lemma
            subject = parse.first(kid.index, "nsubj") or parse.first(word.index, "dobj")
            if subject is None or (lemma not in _GO_WRONG and not (word.lemma == "make" and kid.tag == "VB" and lemma not in _GOES_WELL)):
                continue
            if word.lemma in {"take", "bring", "knock", "send", "get", "let", "leave", "drive"} and lemma not in _DOWN:
                continue
            effects = self.phrases.named(subject, whole=True)
            gone = lemma in {"disappear", "vanish"} or (lemma == "go" and any(one.lower == "away" for one in parse.kids(kid.index)))
            for effect in effects:
                for cause in self.phrases.subjects(word, whole=True):
                    if gone:
                        self.add(cause, R.FIXES, effect, f"{word.lemma} … {lemma}")
                    elif not is_person(cause):
                        tail = "" if kid.dep == "prt" or word.lemma in {"take", "bring", "knock"} else f" {self.parse.words[kid.index].lower}"
                        self.add(cause, R.CAUSES, effect + tail, f"{word.lemma} … {lemma}")
            return True
        return False

    def _get_rid(self, verb: _Verb) -> bool:
        """Read "got rid of X", which the parser takes for a passive."""
        places = [verb.word, *self.parse.kids(verb.word.index)]
        objects = [one for place in places for kid in self.parse.kids(place.index, "prep") if kid.lower == "of" for one in self.phrases.objects_of(kid)]
        for cause in self.phrases.subjects(verb.word, whole=True):
            for target in [phrase for one in objects for phrase in self.phrases.named(one, whole=True)]:
                if is_person(cause):
                    self.add(cause, R.AVOIDS, target, "get rid of", _LIKELY)
                else:
                    self.add(cause, R.FIXES, target, "get rid of")
        return bool(objects)

    def _order(self, verb: _Verb) -> None:
        """Read "X runs before Y starts", "after X, Y", "X comes first, then Y"."""
        parse, word = self.parse, verb.word
        marks = [kid for kid in parse.kids(word.index, "mark", "advmod", "prep") if kid.lower in {"before", "after", "once", "until"}]
        if word.dep in {"advcl", "pcomp"} and marks and not verb.negated:
            head = parse.words[word.head]
            if word.dep == "pcomp":
                return
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
                self.add(pair[0], R.PRECEDES, pair[1], f"{marks[0].lower} …", _LIKELY)
        elif word.lemma in {"come", "go", "run", "happen"} and any(kid.lower == "first" for kid in parse.kids(word.index, "advmod")):
            then = next((one for one in parse.words[word.index + 1 :] if one.lower in {"then", "followed", "afterwards"}), None)
            if then is not None:
                after = next((one for one in parse.words[then.index + 1 :] if one.is_noun), None)
                second_noun = self.phrases.head_of(after) if after is not None else None
                if second_noun is not None:
                    for first in self.phrases.subjects(word):
                        for second in self.phrases.named(second_noun):
                            self.add(first, R.PRECEDES, second, "first … then", _LIKELY)

    @staticmethod
    def _is_over(word: Word) -> bool:
        return word.lemma in {"finish", "complete", "end", "pass", "succeed", "do", "be", "land", "merge", "close", "go"}

    def _is_better(self, word: Word) -> bool:
        """Read "the errors disappeared after X": X fixes the errors. True when it was read so."""
        return word.lemma in _BETTER and any(is_trouble(subject) for subject in self.phrases.subjects(word, whole=True))

    def _only_when(self, verb: _Verb) -> None:
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
            conditional = mark.lower in {"unless"} or (
                mark.lower in {"if", "until", "before", "without"} and verb.negated
            ) or (only and mark.lower in {"when", "if", "while", "once", "after"})
            able = word.lemma in _CANNOT_DO or (verb.negated and bool(parse.kids(word.index, "aux")))
            if conditional and state & _IS_UP and able:
                for user in users:
                    for one in needed:
                        self.add(user, R.DEPENDS_ON, one, f"{mark.lower} … up", _LIKELY)

    def _without(self, word: Word) -> None:
        """Read "X cannot run without Y", "Without Y, X will not start"."""
        parse = self.parse
        head = parse.words[word.head]
        if not head.is_verb or word.lower != "without":
            return
        objects = self.phrases.objects_of(word)
        fails = head.lemma in {"fail", "break", "crash", "stop", "stall", "halt", "struggle", "choke", "die", "collapse"}
        denied = self.phrases.is_denied(head) or self.phrases.denies_subject(head)
        able = any(kid.lower in {"can", "ca", "could"} for kid in parse.kids(head.index, "aux")) or head.lemma in _CANNOT_DO or head.lemma in {"open", "answer", "respond", "do", "print", "send", "process", "connect"}
        if head.lemma == "be" and any(kid.lower in {"useless", "nothing", "dead", "down", "helpless"} for kid in parse.kids(head.index)):
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
        elif word.lower in {"because", "due", "owing", "thanks"} and word.dep in {"prep", "amod", "mark", "acomp", "npadvmod", "advmod"}:
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
        self._caused(cause, effect, word.lower, _GUESS)

    def _caused(self, cause: str, effect: str, pattern: str, confidence: float = _LIKELY) -> None:
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
                self.add(subject, R.AVOIDS, other, "instead of", _LIKELY)


def merge(parsed: Iterable[Link], ruled: Iterable[Link]) -> list[Link]:
    """Return the relations of the grammar, and of the rules those whose pattern the grammar has no word for."""
    found = {(link.source.lower(), link.type, link.target.lower()): link for link in parsed}
    return [*found.values(), *ruled]
