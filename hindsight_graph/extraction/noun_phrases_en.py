"""Noun phrases of a parsed English sentence: what a subject or an object is called, and who a pronoun means."""

from hindsight_graph.extraction.kinds_en import is_agent, is_person
from hindsight_graph.extraction.syntax import Parse, Word
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.text.lazy import LazyPattern

_LEFT = frozenset("compound amod nmod nummod quantmod advmod npadvmod punct poss case prep dep det intj appos".split())
_LIGHT = frozenset(
    "new old current existing whole entire same other own whole next last previous latest certain various "
    "several many few more most some any all both each every own following above said good nice great big huge small little only "
    "single particular specific actual usual additional extra just about around over nearly almost "
    "roughly approximately at least "
    "even such another our my your his her its their the a an this that these those no half two three four five six seven eight "
    "nine ten dozen dozens hundred thousand million different recent upcoming shiny brand lovely beloved trusty fancy what which "
    "quite rather very really so too also still now always usually mainly mostly only probably either neither not never".split()
)
_VERSION = LazyPattern(r"v?\d+(?:\.\d+)+\w*")
_CODE = LazyPattern(r"[45]\d\d")
_TELLING = frozenset("new old huge big great small little own different unexpected recent sudden".split())
"""Adjectives that a cause keeps and a name does not."""
_QUANTITY = LazyPattern(r"[~≈<>]?[$€£]?\d[\d.,]*(?:%|[kKmM])?")
_SPEAKERS = {"i": "actor", "me": "actor", "we": "we", "us": "we", "you": "actor"}
_THIRD = frozenset("it they them this that these those he she him her which who that one itself themselves here there".split())
_OF_WHAT = frozenset(
    "half most some all any none many few each one several both rest majority lot lots bunch number handful plenty couple dozens "
    "hundreds thousands kind type sort version use usage".split()
)
_LABELLED = frozenset(
    "ticket issue pr mr job mill node host server machine table topic bucket queue branch port line unit "
    "truck room robot crane lift "
    "press pump van bus tractor script file repo repository commit version release library package tool plugin project customer "
    "engineer colleague user product app model device board container pod image rack vm instance "
    "database index config env variable "
    "flag option key field column endpoint path namespace robot camera printer sensor scanner oven conveyor turbine "
    "region city town manager director developer analyst nurse doctor professor teacher technician operator".split()
)
_PLACES_IN = frozenset("office offices factory plant warehouse site branch headquarters datacenter facility".split())
_ASKING = frozenset("want ask tell urge force let expect".split())
_NOMINAL = frozenset("JJ VBG VBN NN . SYM LS UH RB VB ADD".split())
"""Tags that the parser gives names it does not know."""
_NOBODY = frozenset("nobody none nothing everything something anything someone somebody anyone".split())
_GENERAL = frozenset("service system tool app job component module database server cluster machine device thing one team".split())
"""Nouns that after "that" mean what the sentence before was about."""
_ID = LazyPattern(r"(?=.*[\d#/_.-])\S+")
_NEGATIONS = frozenset("not n't never no neither nor hardly barely longer cannot".split())
TIMES = frozenset(
    "yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday morning "
    "evening afternoon night week "
    "weekend month year hour minute second day noon midnight quarter spring summer autumn winter again now".split()
)
_TAIL = LazyPattern(
    r"(?: (?:again|yesterday|today|tonight|last (?:night|week|month|year|weekend|\w+day)|this (?:morning|week|month|afternoon)|"
    r"on \w+day|over the weekend|overnight|too|as well|anyway|at all|(?:every|each) \w+|twice|at (?:noon|midnight|\d\S*)))+$"
)
_SYMBOLS = LazyPattern(r"^(?:(?![\w\x00-\x7f]).)+|(?:(?![\w\x00-\x7f]).)+$")
"""Emoji and the like around a name."""
_HEAD = LazyPattern(
    r"^(?:the|a|an|our|my|your|his|her|its|their|this|that|and|but|so|then|all|also|apparently|sadly)\s+",
    __import__("re").IGNORECASE,
)


class Phrases:
    """The phrases of one parsed sentence.

    `before` is what the sentence before was about: an "it" that finds nothing in its own sentence means that.
    """

    def __init__(self, parse: Parse, actor: str, *, person: bool, before: str = "") -> None:
        self.parse = parse
        self.actor = actor
        self.person = person
        self.before = before

    # --- names

    def named(self, word: Word, *, whole: bool = False) -> list[str]:
        """Return what the phrase around a noun is called: nothing for a pronoun without a meaning.

        Args:
            word: Head of the phrase.
            whole: With the adjectives that tell what went wrong; else a name without its general adjectives.
        """
        if word.lower in _SPEAKERS and word.tag in {"PRP", "PRP$"}:
            return [self._speaker(word)]
        if word.lower in _THIRD and (word.tag in {"PRP", "DT", "WDT", "WP", "EX"} or word.lower in {"here", "there"}):
            return self._meant(word)
        elsewhere = self._elsewhere(word, whole=whole)
        if elsewhere is not None:
            return elsewhere
        nominal = word.is_noun or word.dep.startswith("nsubj") or word.tag in _NOMINAL
        text = self._text(word, whole=whole) if nominal else ""
        return [text] if text else []

    def _elsewhere(self, word: Word, *, whole: bool) -> list[str] | None:
        """Return the name where it does not stand around the word itself; None where it does."""
        parse = self.parse
        if word.lower in _NOBODY and (word.lower != "none" or not parse.kids(word.index, "prep")):
            return []
        if self._means_before(word):
            return [self.before]
        if word.lower in _OF_WHAT or (word.is_noun and word.lemma in _OF_WHAT):
            inner = [kid for kid in parse.kids(word.index, "prep") if kid.lower == "of"]
            if inner:
                return [name for one in self.objects_of(inner[0]) for name in self.named(one, whole=whole)]
            if word.tag in {"DT", "CD", "NN", "JJ", "PDT"} and word.lower in _OF_WHAT:
                return []
        if word.tag == "VBG" and word.dep in {"csubj", "pcomp", "xcomp", "nsubj", "dobj", "pobj"}:
            return [self._gerund(word)] if whole else []
        return self._beside(word, whole=whole)

    def _beside(self, word: Word, *, whole: bool) -> list[str] | None:
        """Return the name before a version, in "the office in X", after "a broker called X"."""
        parse = self.parse
        before = parse.words[word.index - 1] if word.index else word
        tight = parse.text[before.end : word.start] == " "
        if _VERSION.fullmatch(word.text) and before.is_noun and tight:
            return self.named(before, whole=whole)
        if word.lower in _PLACES_IN and word.dep == "pobj" and not parse.kids(word.index, "compound", "amod", "nmod"):
            inner = [one for kid in parse.kids(word.index, "prep") if kid.lower == "in" for one in self.objects_of(kid)]
            if inner and inner[0].tag.startswith("NNP"):
                return [name for one in inner for name in self.named(one)]
        for clause in parse.kids(word.index, "acl"):
            if clause.lower in {"called", "named", "dubbed"}:
                return [name for kid in parse.kids(clause.index, "oprd", "dobj", "attr") for name in self.named(kid)] or None
        return None

    def _means_before(self, word: Word) -> bool:
        """Whether it is "that service": what the sentence before was about."""
        return (
            word.lemma in _GENERAL
            and bool(self.before)
            and not is_person(self.before)
            and not self.parse.kids(word.index, "compound", "amod")
            and any(kid.lower in {"that", "this"} for kid in self.parse.kids(word.index, "det"))
        )

    def _speaker(self, word: Word) -> str:
        if _SPEAKERS[word.lower] == "we" and not self.person:
            return "we"
        return self.actor

    def _meant(self, word: Word) -> list[str]:
        """Return what a pronoun means: the noun its clause describes, the subject of the clause before, the sentence before."""
        parse = self.parse
        if (
            word.tag == "WDT"
            or (word.tag == "WP" and word.lower != "what")
            or (word.lower == "that" and word.dep in {"nsubj", "dobj", "nsubjpass"} and self._relative(word))
        ):
            clause = self._relative(word)
            return self.named(parse.words[clause.head]) if clause is not None and clause.dep == "relcl" else []
        if word.lower == "what" and word.dep == "nsubj":
            clause = parse.words[word.head]
            head = parse.words[clause.head]
            return self.subjects(head, whole=True) if head.lemma == "be" and clause.index != head.index else []
        if word.lower not in {"it", "they", "them", "he", "she", "itself"}:
            return []
        human = word.lower in {"he", "she"}
        for other in parse.words[: word.index]:
            if other.dep in {"nsubj", "nsubjpass"} and other.is_noun and (is_agent if human else is_person)(other.text) == human:
                head = parse.words[other.head]
                if head.index != word.head:
                    return self.named(other)
        plain = bool(self.before) and is_person(self.before) == human
        return [self.before] if plain and word.dep in {"nsubj", "nsubjpass"} and word.lower != "them" else []

    def _relative(self, word: Word) -> Word | None:
        at = self.parse.words[word.head]
        for _ in range(4):
            if at.dep == "relcl":
                return at
            at = self.parse.words[at.head]
        return None

    def _gerund(self, word: Word) -> str:
        """Return "restarting nginx", without what follows a relative clause or a comma."""
        parse = self.parse
        span = [at for at in parse.subtree(word.index) if at >= word.index]
        stop = next((at for at in span if parse.words[at].text in {",", ";"} or parse.words[at].dep == "relcl"), None)
        span = [at for at in span if stop is None or at < stop]
        return self._between(word.index, span[-1]) if span else word.text

    def span(self, word: Word, *, whole: bool = False) -> tuple[int, int] | None:
        """Return the first and the last word of the phrase around a noun, without what is no part of its name."""
        words = self.parse.words
        left = right = word.index
        while left > 0 and self._joins_left(words[left - 1], left, word.index):
            left -= 1
        while right + 1 < len(words) and self._joins_right(words[right + 1], right, left):
            right += 1
        while left < word.index and self._is_light(words[left], whole=whole):
            left += 1
        if words[left].lower in {"'s", "’s", "-", ","}:
            left += 1
        if left > right or (left == right and words[left].lower in _LIGHT and not words[left].is_noun):
            return None
        return left, right

    def _text(self, word: Word, *, whole: bool) -> str:
        words = self.parse.words
        span = self.span(word, whole=whole)
        if span is None:
            return ""
        left, right = span
        spans = words[left : right + 1]
        if (len(spans) == 2 and not whole and spans[0].lower in _LABELLED and _ID.fullmatch(spans[1].text)) or (
            len(spans) == 2 and spans[0].lower in {"pr", "ticket", "issue", "mr"} and _ID.fullmatch(spans[1].text)
        ):
            left += 1
        if whole and left == right and words[left].tag in {"NN", "NNS"}:  # "spike in refunds"
            inner = next(
                (kid for kid in self.parse.kids(word.index, "prep") if kid.lower in {"in", "of"} and kid.index == right + 1), None
            )
            objects = self.parse.kids(inner.index, "pobj") if inner is not None else []
            if objects and not objects[0].tag.startswith("NNP"):
                right = objects[0].index
        text = self._between(left, right)
        if text[:1] in '"“`' and len(text) > 2:
            text = text[1:-1]
        return _SYMBOLS.sub("", text.removesuffix("()")).strip()

    def _joins_left(self, word: Word, left: int, head: int) -> bool:
        if word.dep == "case" and left > 1:
            owner = self.parse.words[left - 2]
            return owner.dep == "poss" and left <= owner.head <= head and owner.tag.startswith("NNP")
        if word.head < left or word.head > head:
            return False
        if word.dep not in _LEFT or word.dep in {"prep", "appos"}:
            return False
        if word.dep == "punct":
            return word.text in {"-", "–", "/"}
        if word.dep in {"advmod", "npadvmod", "det", "intj"} and word.head == head:
            return word.dep == "npadvmod" and word.is_noun and word.lower not in TIMES
        if word.dep == "poss":
            return word.tag != "PRP$"
        return True

    def _joins_right(self, word: Word, right: int, left: int) -> bool:
        """Whether a word after the noun belongs to its name: a version, a label."""
        tight = self.parse.text[self.parse.words[right].end : word.start] in {" ", "-"}
        if _VERSION.fullmatch(word.text) and tight:
            return True
        if not left <= word.head <= right:
            return False
        version = word.text[:1].isdigit() or (word.text.isupper() and len(word.text) <= 3) or word.text[:1] in "v#"
        if word.dep in {"nummod", "npadvmod"} and version:
            return tight and word.lower not in TIMES
        return word.dep == "appos" and tight and (version or word.text[:1].isupper() or _ID.fullmatch(word.text) is not None)

    @staticmethod
    def _is_light(word: Word, *, whole: bool) -> bool:
        if whole and word.lower in _TELLING:
            return False
        if word.lower in _LIGHT or word.tag in {"DT", "PDT", "PRP$", "WP$", "RB", "RBR", "RBS", "POS"}:
            return True
        if _QUANTITY.fullmatch(word.text) and word.dep in {"nummod", "quantmod"}:
            return not (whole and _CODE.fullmatch(word.text))
        if whole:
            return False
        return word.tag in {"JJR", "JJS"} or word.lower in TIMES

    def _between(self, left: int, right: int) -> str:
        words = self.parse.words
        return " ".join(self.parse.text[words[left].start : words[right].end].split()).strip(" ,;:.")

    # --- arguments

    def conjuncts(self, word: Word) -> list[Word]:
        """Return a noun and what is joined to it by "and", "or" and commas; not what a "not" or "but" puts against it."""
        found = [word]
        wait = [word]
        while wait:
            one = wait.pop()
            denied = any(kid.lower in {"not", "than"} for kid in self.parse.kids(one.index, "cc", "neg", "advmod"))
            for kid in self.parse.kids(one.index, "conj"):
                if (
                    (kid.is_noun or (kid.tag in {"JJ", "VBG"} and kid.dep == "conj"))
                    and not denied
                    and not self._is_put_against(kid)
                ):
                    found.append(kid)
                    wait.append(kid)
        return sorted([*found, *self._listed(max(found))])

    def _listed(self, last: Word) -> list[Word]:
        """Return the rest of an enumeration that the parser hung elsewhere: ", a board and a display"."""
        words = self.parse.words
        found: list[Word] = []
        at, closed = last.index + 1, False
        while at < len(words) and (words[at].text == "," or words[at].lower in {"and", "or"}):
            while at < len(words) and (words[at].text == "," or words[at].lower in {"and", "or"}):
                closed = closed or words[at].lower in {"and", "or"}
                at += 1
            noun = at
            while noun < len(words) and (
                words[noun].tag in {"DT", "JJ", "VBN", "PRP$", "CD"} or words[noun].dep in {"compound", "amod"}
            ):
                noun += 1
            if noun >= len(words) or not words[noun].is_noun or words[noun].dep in {"nsubj", "nsubjpass"}:
                return []
            found.append(words[noun])
            at = noun + 1
        return found if closed and len(found) > 1 else []

    def _is_put_against(self, word: Word) -> bool:
        if any(kid.lower == "not" for kid in self.parse.kids(word.index)):
            return True
        return word.index > 0 and self.parse.words[word.index - 1].lower in {"not", "than"}

    def objects_of(self, preposition: Word) -> list[Word]:
        """Return the nouns that a preposition governs; "on top of X" and "out of X" reach X."""
        parse = self.parse
        objects = [
            one
            for noun in parse.kids(preposition.index, "pobj", "pcomp")
            for one in self.conjuncts(noun)
            if noun.is_noun or noun.tag in {"VBG", "PRP", "WDT", "JJ", "DT", "WP", "VBN", "VB", "NN", "RB", "UH", "."}
        ]
        if not objects:
            objects = [one for inner in parse.kids(preposition.index, "prep") for one in self.objects_of(inner)]
        if objects and objects[0].lower == "top":
            return [one for inner in parse.kids(objects[0].index, "prep") for one in self.objects_of(inner)]
        if objects and objects[0].tag == "VBG" and objects[0].lower in {"using", "having", "running"}:
            return [one for noun in parse.kids(objects[0].index, "dobj") for one in self.conjuncts(noun)]
        return objects

    def relative_object(self, verb: Word, direct: list[Word]) -> Word | None:
        """Return the noun that a relative clause makes the object of its verb: "the cache (that) we use", "… we depend on"."""
        parse = self.parse
        if verb.dep != "relcl" or not parse.kids(verb.index, "nsubj"):
            return None
        subject = parse.kids(verb.index, "nsubj")[0]
        if subject.tag in {"WDT", "WP"} or subject.lower == "that":
            return None
        head = parse.words[verb.head]
        stranded = any(not parse.kids(kid.index, "pobj", "pcomp") for kid in parse.kids(verb.index, "prep"))
        if direct and direct[0].tag not in {"WDT", "WP"} and direct[0].lower != "that":
            return None
        return head if direct or stranded or not parse.kids(verb.index, "prep", "ccomp", "xcomp", "acomp", "prt") else None

    def contrasted(self, complement: list[Word], *, prefers: bool) -> list[Word]:
        """Return what stands against an object: "X instead of Y", "X rather than Y", "X, not Y", "prefers X over Y"."""
        words = self.parse.words
        last = max((word.index for word in complement), default=len(words))
        while last + 1 < len(words) and self._joins_right(words[last + 1], last, last):
            last += 1
        at = last + 1
        pair = [word.lower for word in words[at : at + 3]]
        if prefers and pair[:1] in (["over"], ["to"], ["than"]):
            return self.objects_after(words[at])
        if prefers and pair[:2] in (["better", "than"], ["more", "than"]):
            return self.objects_after(words[at + 1])
        while at < len(words) and at - last < 10 and not words[at].is_verb:
            pair = [word.lower for word in words[at : at + 3]]
            if pair[:2] in (["instead", "of"], ["rather", "than"]):
                return self.objects_after(words[at])
            if pair[:2] in ([",", "not"], ["and", "not"], [",", "never"]) or (pair[:1] == ["not"] and at == last + 1):
                return self.objects_after(words[at if pair[0] == "not" else at + 1])
            if pair[:3] == ["in", "place", "of"]:
                return self.objects_after(words[at + 1])
            at += 1
        return []

    def objects_after(self, word: Word) -> list[Word]:
        """Return the first noun phrase after a word: after "instead of", "rather than", "not"."""
        words = self.parse.words
        at = word.index + 1
        while at < len(words) and words[at].lower in {
            "of",
            "than",
            "using",
            "the",
            "a",
            "an",
            "in",
            "with",
            "any",
            "to",
            "use",
            "our",
            "on",
        }:
            at += 1
        if at >= len(words) or not (words[at].is_noun or words[at].tag in {"JJ", "VBG", "VBN"}):
            return []
        head = self.head_of(words[at])
        return self.conjuncts(head) if head is not None else []

    def head_of(self, word: Word) -> Word | None:
        """Return the noun that heads the phrase a word stands in."""
        at = word
        for _ in range(6):
            head = self.parse.words[at.head]
            if at.dep in {"compound", "amod", "nmod", "nummod", "poss"} and head.index > at.index and head.is_noun:
                at = head
            else:
                break
        return at if at.is_noun else None

    def prepositions(self, verb: Word, *, deep: bool = False) -> list[Word]:
        """Return the prepositions of a verb; those the parser hung on its object come last, and with `deep` those below."""
        parse = self.parse
        found = parse.kids(verb.index, "prep", "dative", "agent") if not deep else parse.kids(verb.index, "prep", "dative")
        found += [
            kid for kid in parse.kids(verb.index, "advmod", "prt", "acomp") if kid.tag == "IN" and parse.kids(kid.index, "pobj")
        ]
        found += [
            other for one in list(found) for other in parse.kids(one.index, "conj") if other.tag == "IN" and other not in found
        ]
        for kid in parse.kids(verb.index, "advmod", "prt", "acomp", "prep"):
            if not parse.kids(kid.index, "pobj"):
                found += [one for one in parse.kids(kid.index, "prep") if one not in found]
        for kid in parse.kids(verb.index, "dobj", "nsubjpass", "pobj"):
            found += [one for one in parse.kids(kid.index, "prep") if kid.index > verb.index and one not in found]
        if deep:
            for one in list(found):
                found += [inner for inner in parse.kids(one.index, "prep") if inner not in found]
                for noun in parse.kids(one.index, "pobj"):
                    found += [inner for inner in parse.kids(noun.index, "prep") if inner not in found]
        return found

    def subjects(self, verb: Word, *, whole: bool = False, depth: int = 0) -> list[str]:
        """Return who or what does it, or of a passive what it is done to; "actor" for an order."""
        parse = self.parse
        own = parse.kids(verb.index, "nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
        named = [name for kid in own for one in self.conjuncts(kid) for name in self.named(one, whole=whole)]
        if own:
            extra = [
                kid for kid in parse.kids(verb.index, "dep", "ccomp") if kid.is_noun and kid.index < verb.index and not named
            ]
            return named or [name for kid in extra for name in self.named(kid, whole=whole)]
        if depth > 4:
            return []
        above = self._subjects_above(verb, whole=whole, depth=depth)
        if above is not None:
            return above
        if self.is_order(verb):
            return [self.actor]
        extra = [
            kid
            for kid in parse.kids(verb.index, "dep", "npadvmod", "meta", "advmod")
            if kid.is_noun and kid.index < verb.index and verb.dep == "ROOT"
        ]
        return [
            name
            for kid in extra[-1:]
            if kid.lower not in TIMES and kid.lower not in MONTHS_AND_DAYS
            for name in self.named(kid, whole=whole)
        ]

    def _subjects_above(self, verb: Word, *, whole: bool, depth: int) -> list[str] | None:
        """Return the subjects of a verb that shares another's, or describes a noun; None when it does neither."""
        parse = self.parse
        head = parse.words[verb.head]
        if verb.dep == "conj" and head.index != verb.index:
            return self.subjects(head, whole=whole, depth=depth + 1)
        if verb.dep in {"xcomp", "ccomp"} and head.index != verb.index:
            objects = parse.kids(head.index, "dobj") if head.lemma in _ASKING else []
            if objects:
                return [name for one in objects for name in self.named(one, whole=whole)]
            return self.subjects(head, whole=whole, depth=depth + 1)
        if verb.dep in {"acl", "relcl"} and head.is_noun:
            return self.named(head, whole=whole) if verb.tag in {"VBG", "VBN", "VBD", "VB", "JJ"} else []
        if verb.dep in {"advcl", "pcomp"} and verb.tag in {"VBG", "VBN"}:
            target = head if verb.dep == "advcl" else parse.words[head.head]
            return self.subjects(target, whole=whole, depth=depth + 1) if target.index != verb.index else []
        return [] if verb.dep == "pcomp" and head.dep == "prep" else None

    def deed(self, verb: Word) -> str:
        """Return a verb with its object: "stop the consumer", "running the tests"."""
        objects = self.parse.kids(verb.index, "dobj", "prt")
        last = max((at for kid in objects for at in self.parse.subtree(kid.index)), default=verb.index)
        return self._between(verb.index, last) if objects and last > verb.index else ""

    def is_implied(self, verb: Word) -> bool:
        """Whether the actor is the subject of a verb without being named: an order, or what hangs on one."""
        at = verb
        for _ in range(5):
            if self.parse.kids(at.index, "nsubj", "nsubjpass"):
                return False
            if at.head == at.index:
                return True
            at = self.parse.words[at.head]
        return True

    def is_order(self, verb: Word) -> bool:
        """Whether a verb without a subject tells somebody to do it."""
        bare = verb.tag in {"VB", "VBP"} or (verb.index == 0 and verb.tag == "VBD")
        return (
            bare
            and verb.dep in {"ROOT", "ccomp", "parataxis", "conj", "advcl", "dep"}
            and not any(kid.tag in {"MD", "TO"} for kid in self.parse.kids(verb.index, "aux"))
        )

    # --- denial

    def is_denied(self, verb: Word) -> bool:
        """Whether a verb is denied: not, never, no longer, neither, "fails to", or a denied verb that governs it."""
        parse = self.parse
        for kid in parse.kids(verb.index, "neg", "advmod", "preconj", "aux", "cc"):
            if kid.lower in _NEGATIONS or (kid.lower == "longer" and any(one.lower == "no" for one in parse.kids(kid.index))):
                return True
        if verb.index > 0 and parse.words[verb.index - 1].lower in {"not", "never", "n't"}:
            return True
        if self.denies_subject(verb):
            return True
        head = parse.words[verb.head]
        if verb.dep == "xcomp" and head.index != verb.index:
            if head.lemma in {"fail", "refuse", "decline"}:
                return True
            return self.is_denied(head)
        if verb.dep == "conj" and head.is_verb and not parse.kids(verb.index, "nsubj"):
            between = parse.words[head.index + 1 : verb.index]
            if any(one.lower in {"or", "nor"} for one in between):
                return self.is_denied(head)
        return False

    def denies_subject(self, verb: Word) -> bool:
        """Whether the subject says that nobody does it: "none of", "nobody", "neither X nor Y", "no service"."""
        for kid in self.parse.kids(verb.index, "nsubj", "nsubjpass"):
            if kid.lower in {"none", "nobody", "nothing", "neither"}:
                return True
            if any(one.lower in {"no", "neither"} for one in self.parse.kids(kid.index, "det", "preconj", "neg", "cc")):
                return True
        return False

    def denies_object(self, objects: list[Word]) -> bool:
        """Whether an object has "no" before it."""
        return any(
            kid.lower in {"no", "neither", "zero"}
            for word in objects[:1]
            for kid in self.parse.kids(word.index, "det", "neg", "preconj")
        )

    # --- clauses

    def clause(self, verb: Word, *, without: Word | None = None, before: Word | None = None, after: Word | None = None) -> str:
        """Return the words of a clause without its opening "because" and "the", and without another clause in it."""
        parse = self.parse
        banned: set[int] = set()
        if without is not None:
            banned |= set(parse.subtree(without.index))
        span = [at for at in parse.subtree(verb.index) if at not in banned]
        if before is not None:
            span = [at for at in span if at < before.index]
        if after is not None:
            span = [at for at in span if at > after.index]
        own = [
            at
            for at in span
            if at >= verb.index or parse.words[at].dep not in {"mark", "cc"} or parse.words[at].head != verb.index
        ]
        own = [at for at in own if at not in banned]
        while own and (
            parse.words[own[0]].dep in {"mark", "cc", "punct", "intj"} or parse.words[own[0]].lower in {"because", "so", "then"}
        ):
            own.pop(0)
        while own and (parse.words[own[-1]].dep in {"punct", "cc"} or parse.words[own[-1]].text in {",", ";"}):
            own.pop()
        if not own:
            return ""
        last = own[0]
        for at in own:  # one stretch: up to the first gap or comma after the verb
            if at > verb.index and (at > last + 1 or parse.words[at].text in {",", ";", "("}):
                break
            last = at
        text = self._between(own[0], last)
        text = _HEAD.sub("", text)
        return _TAIL.sub("", text)

    def event(self, verb: Word) -> str:
        """Return what a clause is about, where it only says that it happens; else the clause."""
        parse = self.parse
        if verb.lemma in {
            "run",
            "start",
            "begin",
            "happen",
            "finish",
            "complete",
            "end",
            "pass",
            "open",
            "close",
            "go",
            "come",
            "be",
            "execute",
            "occur",
            "launch",
            "succeed",
            "do",
            "have",
            "boot",
            "commence",
            "take",
            "get",
            "deploy",
            "apply",
            "schedule",
            "kick",
            "fire",
        }:
            subjects = [name for name in self.subjects(verb, whole=True) if not is_person(name) and name != self.actor]
            if subjects:
                return subjects[0]
            if verb.lemma in {
                "run",
                "start",
                "finish",
                "complete",
                "execute",
                "pass",
                "begin",
                "apply",
                "schedule",
                "launch",
                "deploy",
            }:
                objects = [name for kid in parse.kids(verb.index, "dobj") for name in self.named(kid, whole=True)]
                return objects[0] if objects else ""
        return ""
