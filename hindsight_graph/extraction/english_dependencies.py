"""Relations in English sentences by their grammar: what a parsed verb, noun or adjective says of its arguments."""

from hindsight_graph.extraction.assertion import PLAIN, STATES, Assertion
from hindsight_graph.extraction.english_clauses import LIKELY, WHOLE, ClauseReader, Verb
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.frames_en import (
    Frame,
    active_frames,
    adjective_frames,
    light_frames,
    noun_frames,
    passive_frames,
)
from hindsight_graph.extraction.kinds_en import (
    is_agent,
    is_label,
    is_person,
    is_place,
    is_thing_name,
    is_tool,
    is_trouble,
    may_be_place,
)
from hindsight_graph.extraction.noun_phrases_en import TIMES
from hindsight_graph.extraction.syntax import Parse, Word
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.models.enums import RelationType as R

_STOPPING = frozenset("stop quit avoid cease refrain discontinue".split())
_MOVING = frozenset("migrate move switch change convert transition port upgrade cut shift go swap jump rewrite".split())
_SWAPPING = frozenset("replace swap substitute trade exchange".split())
_DROPPING = frozenset("drop ditch retire abandon deprecate scrap phase remove leave discard dump".split())
_MAKING = frozenset("make cause let leave bring take send drive knock get render force".split())
_STAYING = frozenset("live work stay settle study reside base relocate move transfer".split())
_PICKY = frozenset("team place placed tool trouble owner".split())
"""What a frame may need that other frames of the same verb do not; these are tried first."""
Complement = tuple[list[Word], tuple[Frame, ...]]
"""What stands in one place of a verb, and what the verb says of it there."""


def find_relations(
    parse: Parse, actor: str, *, person: bool = False, assertion: Assertion = PLAIN, before: str = ""
) -> list[Link]:
    """Return the relations that a parsed English sentence states.

    Args:
        parse: One sentence.
        actor: Who "I" is, and who an order without a subject is addressed to.
        person: "we" is the actor too.
        assertion: Which of its parts state nothing.
        before: The thing the sentence before was about: what "it" at the start of this one means; empty when unknown.
    """
    return _Reader(parse, actor, person=person, assertion=assertion, before=before).read()


class _Reader(ClauseReader):
    """Reads one parsed sentence."""

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

    # --- verbs

    def _rather(self, verb: Verb, subjects: list[str]) -> bool:
        """Read "would rather write X than touch Y", whatever the verbs."""
        parse, word = self.parse, verb.word
        if verb.negated or not any(kid.lower == "rather" for kid in parse.kids(word.index, "advmod")):
            return False
        if not any(kid.lower in {"would", "'d"} for kid in parse.kids(word.index, "aux")):
            return False
        direct = [
            *parse.kids(word.index, "dobj"),
            *(one for kid in self.phrases.prepositions(word) for one in self.phrases.objects_of(kid)),
        ]
        wanted = self.phrases.conjuncts(direct[0]) if direct else []
        refused = self.phrases.contrasted(wanted, prefers=True) if wanted else []
        for clause in parse.kids(word.index, "advcl", "conj", "ccomp"):
            if clause.index > word.index and any(one.lower == "than" for one in parse.words[word.index : clause.index]):
                refused += [one for kid in parse.kids(clause.index, "dobj") for one in self.phrases.conjuncts(kid)]
        for subject in subjects:
            for phrase in [phrase for one in wanted for phrase in self.phrases.named(one)]:
                self.add(subject, R.PREFERS, phrase, "would rather")
            for phrase in [phrase for one in refused for phrase in self.phrases.named(one)]:
                self.add(subject, R.AVOIDS, phrase, "would rather", LIKELY)
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

    def _as_verb(self, word: Word) -> Verb:
        parse = self.parse
        particle = parse.first(word.index, "prt")
        passive = bool(parse.kids(word.index, "auxpass", "nsubjpass", "agent")) or (
            word.tag in {"VBN", "VBD"} and word.dep in {"acl", "relcl"} and not parse.kids(word.index, "nsubj", "aux")
        )
        if passive and word.dep == "acl" and parse.words[word.head].dep == "ROOT" and not parse.kids(word.index, "agent"):
            passive = word.tag == "VBN" and any(
                (word.lemma, particle.lower if particle else "", kid.lower) in passive_frames()
                for kid in parse.kids(word.index, "prep")
            )  # "A bad migration led to data loss", read as "a migration that was led"
        if not passive and word.tag == "VBN" and word.dep == "conj":
            head = parse.words[word.head]
            passive = head.is_verb and self._as_verb(head).passive and not parse.kids(word.index, "nsubj", "dobj")
        return Verb(word, particle.lower if particle is not None else "", passive, self.phrases.is_denied(word))

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

    def _complements(self, verb: Verb) -> list[Complement]:
        """Return the objects of a verb with what the verb says of each: direct, by preposition, or the agent of a passive."""
        parse, word = self.parse, verb.word
        found: list[Complement] = []
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
        found.extend(self._direct(verb))
        found.extend(self._by_preposition(verb, active_frames()))
        return found

    def _direct(self, verb: Verb) -> list[Complement]:
        """Return the direct object of a verb, also in "the cache we use" and "needs X to be online"."""
        parse, word, lemma = self.parse, verb.word, verb.word.lemma
        found: list[Complement] = []
        direct = [*parse.kids(word.index, "dobj", "dative"), *parse.kids(word.index, "attr", "oprd")[:1]]
        relative = self.phrases.relative_object(word, direct)
        if relative is not None:
            stranded = [kid for kid in parse.kids(word.index, "prep") if not parse.kids(kid.index, "pobj", "pcomp")]
            complement = stranded[0].lower if stranded else ""
            found.append(([relative], active_frames().get((lemma, verb.particle, complement), ())))
        elif direct and (direct[0].is_noun or direct[0].tag == "PRP"):
            found.append((self.phrases.conjuncts(direct[0]), active_frames().get((lemma, verb.particle, ""), ())))
        if lemma in {"need", "require"}:  # "needs X to be online"
            found.extend(
                (self.phrases.conjuncts(subject), active_frames()[lemma, "", ""])
                for clause in parse.kids(word.index, "ccomp")
                for subject in parse.kids(clause.index, "nsubj", "nsubjpass")
                if subject.is_noun
            )
        return found

    def _by_preposition(self, verb: Verb, table: dict[tuple[str, str, str], tuple[Frame, ...]]) -> list[Complement]:
        found: list[Complement] = []
        for preposition in self.phrases.prepositions(verb.word):
            frames = table.get((verb.word.lemma, verb.particle, preposition.lower), ())
            if not verb.passive and self.parse.kids(verb.word.index, "dobj"):
                frames = tuple(frame for frame in frames if frame.needs != "bare")
            if not frames and not verb.particle:
                frames = table.get((verb.word.lemma, preposition.lower, ""), ())
            if frames:
                found.append((self.phrases.objects_of(preposition), frames))
        return found

    def _state(self, verb: Verb, subjects: list[str], complement: list[Word], frames: tuple[Frame, ...]) -> bool:
        """State what the first frame that fits says. True when one did, or when what it says is denied."""
        lemma = verb.word.lemma
        if lemma in {"like", "love"} and self.parse.kids(verb.word.index, "aux") and not verb.negated:
            return False  # "would like more plants" is a wish
        for frame in sorted(frames, key=lambda frame: frame.needs not in _PICKY):
            whole = frame.type in WHOLE
            targets = [phrase for word in complement for phrase in self.phrases.named(word, whole=whole)]
            sources = self.phrases.subjects(verb.word, whole=True) if whole else subjects
            if sources == [self.actor] and (frame.type is R.OWNS or lemma == "run") and self.phrases.is_implied(verb.word):
                continue  # "run the tests": an order makes nobody the owner
            if not targets or not sources or not self._fits(frame, verb, sources, targets, complement):
                continue
            denied = verb.negated or self.phrases.denies_object(complement)
            if frame.needs == "denied" and not denied:
                continue
            if frame.type is R.REPLACES and verb.particle == "over" and self.parse.kids(verb.word.index, "dobj"):
                continue
            if denied and frame.needs != "denied" and (frame.reverse or frame.type not in {R.USES, R.PREFERS}):
                return True
            relation = self._relation(frame, verb, targets, denied=denied)
            owned = frame.type is R.PART_OF and relation is R.OWNS
            name = " ".join(part for part in (verb.word.lemma, verb.particle) if part)
            name += " (passive)" if verb.passive else ""
            for source in sources:
                for target in targets:
                    ends = (target, source) if frame.reverse or owned else (source, target)
                    self.add(ends[0], relation, ends[1], name)
            self._contrast(complement, sources, relation)
            return True
        return False

    def _relation(self, frame: Frame, verb: Verb, targets: list[str], *, denied: bool) -> R:
        """Return what a frame says here: a denied use is avoided, a produced trouble is caused, a thing of a team is owned."""
        adverbs = self.parse.kids(verb.word.index, "advmod")
        if frame.type in {R.USES, R.PREFERS} and (denied or self._is_stopped(verb.word)):
            return R.AVOIDS
        if frame.type is R.USES and any(kid.lower in {"rather", "preferably"} for kid in adverbs):
            return R.PREFERS
        if frame.type is R.PRODUCES and all(is_trouble(target) for target in targets):
            return R.CAUSES
        if frame.type is R.PART_OF and verb.word.lemma == "belong" and all(is_agent(target) for target in targets):
            return R.OWNS
        return frame.type

    def _is_stopped(self, word: Word) -> bool:
        """Whether it is "stop using", "avoid calling", "instead of using"."""
        head = self.parse.words[word.head]
        if word.dep in {"xcomp", "pcomp"} and word.tag == "VBG":
            return head.lemma in _STOPPING or (
                head.lower in {"from", "of"}
                and self.parse.words[head.head].lemma
                in {*_STOPPING, "instead", "clear", "away", "keep", "steer", "move", "discourage", "ban", "prevent"}
            )
        return False

    def _fits(self, frame: Frame, verb: Verb, sources: list[str], targets: list[str], complement: list[Word]) -> bool:
        """Whether the ends are of the kind that a frame needs."""
        turned = verb.passive and frame.reverse
        agents = all(is_agent(one) for one in sources)
        timed = any(word.lower in TIMES or word.lower in MONTHS_AND_DAYS for word in complement)
        numbers = any(target[0].isdigit() and "." not in target for target in targets)
        stays = verb.word.lemma in _STAYING
        placed = all(is_place(target) or (stays and may_be_place(target)) for target in targets)
        checks = {
            "agent": all(is_agent(one) for one in (targets if turned else sources)),
            "owner": all(is_agent(target) for target in targets),
            "thing": not any(is_person(one) for one in (targets if turned else sources)),
            "trouble": all(is_trouble(target) for target in targets),
            "tool": all(is_tool(target) for target in targets),
            "system": not any(is_person(one) for one in sources) and all(is_tool(target) for target in targets),
            "team": agents and all(is_agent(target) or not is_tool(target) for target in targets),
            "place": placed and not (agents and verb.word.lemma in {"run", "hang"}),
            "placed": placed if any(is_agent(one) for one in sources) else not timed and not numbers,
        }
        checks["bare"] = checks["thing"]
        needed = checks.get(frame.needs)
        if needed is None:
            return frame.type is not R.LOCATED_IN or not (numbers or timed)
        return needed

    def _contrast(self, complement: list[Word], sources: list[str], relation: R) -> None:
        """Read what follows an object: "over Y", "instead of Y", "rather than Y", ", not Y", "to Y" after prefer."""
        if relation not in {R.USES, R.PREFERS}:
            return
        others = self.phrases.contrasted(complement, prefers=relation is R.PREFERS)
        for other in others:
            for target in self.phrases.named(other):
                for source in sources:
                    self.add(source, R.AVOIDS, target, "not", LIKELY)

    def _light(self, verb: Verb, subjects: list[str]) -> bool:
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

    def _consequence(self, verb: Verb) -> None:
        """Read "X crashed, causing Y": the clause is the cause."""
        if verb.word.tag != "VBG" or verb.word.dep != "advcl" or verb.word.lemma not in {"cause", "trigger", "lead", "result"}:
            return
        head = self.parse.words[verb.word.head]
        key = [key for key, link in self.links.items() if link.pattern.startswith(f"en-dep:{verb.word.lemma}")]
        cause = self.phrases.clause(head, without=verb.word)
        for one in key[-3:]:
            link = self.links.pop(one)
            self.add(cause, link.type, link.target, f"…, {verb.word.lower}", LIKELY)

    def _construction(self, verb: Verb) -> bool:
        lemma = verb.word.lemma
        if lemma in _SWAPPING and self._swap(verb):
            return True
        if lemma in _MOVING and self._move(verb):
            return True
        if lemma in _DROPPING and self._drop(verb):
            return True
        if lemma == "rid" or (lemma == "get" and any(kid.lower == "rid" for kid in self.parse.kids(verb.word.index))):
            return self._get_rid(verb)
        if lemma in _MAKING:
            return self._make(verb)
        self._order(verb)
        self._only_when(verb)
        return False

    # --- be

    def _copula(self, verb: Verb) -> None:
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

    def _described(self, adjective: Word, subjects: list[str], verb: Verb) -> None:
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
                for target in [phrase for word in objects for phrase in self.phrases.named(word, whole=frame.type in WHOLE)]:
                    if frame.type is R.OWNS and not frame.reverse and not is_agent(subject):
                        continue
                    ends = (target, subject) if frame.reverse else (subject, target)
                    self.add(ends[0], frame.type, ends[1], f"{noun.lemma} of")

    def _is_at(self, preposition: Word, subjects: list[str], verb: Verb) -> None:
        """Read "X is in Rome", "X is behind Y", "X is due to Y", "X is in charge of Y"."""
        objects = self.phrases.objects_of(preposition)
        if preposition.lower in {"in", "at", "on", "inside", "near"}:
            if not self._in_charge(objects[:1], subjects):
                self._in_place(preposition, objects, subjects)
        elif preposition.lower == "behind":
            for target in [phrase for word in objects for phrase in self.phrases.named(word, whole=True)]:
                for subject in self.phrases.subjects(verb.word, whole=True):
                    if is_trouble(target):
                        self.add(subject, R.CAUSES, target, "is behind", LIKELY)
        elif preposition.lower in {"due", "down", "because", "from"}:
            frames = adjective_frames().get((preposition.lower, "", "of" if preposition.lower == "because" else "to"), ())
            inner = [word for kid in self.parse.kids(preposition.index, "prep", "pcomp") for word in self.phrases.objects_of(kid)]
            if frames and (objects or inner):
                self._state(verb, subjects, objects or inner, frames)

    def _in_charge(self, nouns: list[Word], subjects: list[str]) -> bool:
        """Read "X is in charge of Y". True when something is said "of" the noun."""
        for noun in nouns:
            for inner in self.parse.kids(noun.index, "prep"):
                if inner.lower not in {"of", "for", "by"}:
                    continue
                if noun.lemma in {"charge", "control", "command"} and all(is_agent(subject) for subject in subjects):
                    for target in [phrase for word in self.phrases.objects_of(inner) for phrase in self.phrases.named(word)]:
                        for subject in subjects:
                            self.add(subject, R.OWNS, target, "in charge of")
                return True
        return False

    def _in_place(self, preposition: Word, objects: list[Word], subjects: list[str]) -> None:
        for target in [phrase for noun in objects for phrase in self.phrases.named(noun)]:
            if is_place(target) or (preposition.lower == "in" and may_be_place(target)):
                for subject in subjects:
                    self.add(subject, R.LOCATED_IN, target, f"is {preposition.lower}", LIKELY)

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
                    if known or (
                        preposition.lower != "on"
                        and is_place(noun.lemma)
                        and place.tag.startswith("NNP")
                        and place.lower not in MONTHS_AND_DAYS
                    ):
                        for subject in self.phrases.named(noun):
                            self.add(subject, R.LOCATED_IN, target, f"… {preposition.lower}", LIKELY)

    def _tool_use(self, verb: Verb, subjects: list[str]) -> None:
        """Read "keeps its forecasts in Anaplan", "deploys everything with Helm": the subject uses the tool."""
        if verb.passive or not self.parse.kids(verb.word.index, "dobj", "ccomp"):
            return
        keeps = verb.word.lemma in {
            "keep",
            "store",
            "track",
            "manage",
            "plan",
            "draw",
            "write",
            "schedule",
            "do",
            "log",
            "model",
            "edit",
        }
        for preposition in self.phrases.prepositions(verb.word):
            if preposition.lower not in ({"with", "via", "through", "in"} if keeps else {"with", "via", "through"}):
                continue
            objects = self.phrases.objects_of(preposition)
            named = [phrase for word in objects for phrase in self.phrases.named(word)]
            if named and all(is_label(one) for one in named):
                for kept in [phrase for kid in self.parse.kids(verb.word.index, "dobj") for phrase in self.phrases.named(kid)]:
                    for one in named:
                        self.add(kept, R.LOCATED_IN, one, f"{verb.word.lemma} … {preposition.lower}", LIKELY)
                return
            tools = [
                one for one, _ in zip(named, objects, strict=False) if is_tool(one) and not is_place(one) and not is_person(one)
            ]
            if tools and len(tools) == len(named) and all(one[:1].isupper() or is_thing_name(one) for one in tools):
                relation = R.AVOIDS if verb.negated else R.USES
                for subject in subjects:
                    for tool in tools:
                        self.add(subject, relation, tool, f"{verb.word.lemma} … {preposition.lower}", LIKELY)
                self._contrast(objects, subjects, R.USES)
                return
