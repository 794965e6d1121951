"""English constructions that are more than a verb between two phrases: "because", "from A to B", "without X, Y cannot"."""

import re
from collections.abc import Callable

from hindsight_graph.extraction.english import HEADS
from hindsight_graph.extraction.grammar_en import BASES, BE, DETERMINERS, PARTICIPLES, PRONOUNS, VERB_FORMS
from hindsight_graph.extraction.phrases_en import ANY_OBJECT, CLAUSE_STOPS, PhraseReader
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.enums import RelationType as R
from hindsight_graph.text.lazy import LazyPattern

_FAILS = frozenset(
    "fail crash hang freeze break stop restart slow slower unavailable unusable unresponsive flaky time panic deadlock "
    "leak useless worse impossible unstable go disappear vanish offline down unreachable broken idle".split()
)
_TOOL_VERBS = frozenset(
    "build deploy test monitor manage authenticate encrypt compile schedule process render validate cache parse serve "
    "log track orchestrate provision package format lint verify sign design develop implement write configure send "
    "deliver ship publish route expose stream load upload sync notify page alert take do draw make write keep manage "
    "edit run solve handle clean analyse analyze collect store debug profile train".split()
)
TROUBLE = LazyPattern(
    r"(?:outage|failure|crash|error|bug|issue|problem|slowdown|time-?out|leak|spike|incident|downtime|loss|delay|drop|"
    r"lag|hang|bottleneck|regression|"
    r"exception|deadlock|latency)s?\b|(?:crash|loss|regression)es\b",
    re.IGNORECASE,
)
"""Words for what goes wrong."""
_PLACE_NOUN = LazyPattern(
    r"\b(?:floor|room|office|building|basement|data cent(?:er|re)|city|town|village|country|region|zone|rack|cabinet|"
    r"drawer|kitchen|garage|street|campus|warehouse|hall|lobby|"
    r"cent(?:er|re) of \w+|cloud|bucket|directory|folder|repo|repository|vpc|subnet|namespace|north|south|east|west)\b",
    re.IGNORECASE,
)
_PERSONAL = LazyPattern(r"(?:i|we|you)\b", re.IGNORECASE)
_STATE = LazyPattern(
    r"\b(?:is|are|was|were|had|has|have|did|does|do|can|could|cannot|can't|couldn't|failed|broke|crashed|changed|ran|"
    r"went|expired|stopped)\b|n't\b",
    re.IGNORECASE,
)
_DROPS = frozenset(
    "drop drops dropped dropping deprecate deprecated deprecates abandon abandoned abandons ditch ditched retire "
    "retired retires remove removed scrap scrapped replaced phased discarded discard rejected".split()
)
_UNABLE = frozenset("cannot can't can’t won't won’t doesn't doesn’t couldn't not never".split())
_AVAILABLE = frozenset(
    "running reachable available up online ready healthy installed present started connected accessible alive there "
    "configured enabled deployed".split()
)
_USE_OF = LazyPattern(r"^(?:the )?(?:use of|usage of|using|calling|calls to|direct use of)\s+(?:the |an? )?", re.IGNORECASE)
_SYSTEMS = {EntityType.SOFTWARE, EntityType.SERVICE, EntityType.ORGANISATION}
_FINISHED = LazyPattern(
    r"\s+(?:has |have |had |is |are |was |were )?(?:been )?(?:finished|finishes|completed|completes|complete|done|"
    r"succeeded|succeeds|passed|passes|ended|ends|ready|over)$",
    re.IGNORECASE,
)
_HAS_TO_RUN = LazyPattern(
    r"\s+(?:(?:must|should|has to|have to|needs to|need to|will|can|always|also|then) )*(?:be |have )?(?:run|runs|pass|"
    r"passes|passed|finish|finishes|finished|complete|completes|completed|start|starts|started|begin|"
    r"begins|happen|happens|executed|done|execute|executes|succeed|succeeds|launched|launches|deployed)$",
    re.IGNORECASE,
)
_DOWN = frozenset("offline down unreachable broken idle unavailable unusable unresponsive useless".split())
_DEGREES = frozenset("much many far long good few little well nice".split())
TEAM_WORDS = frozenset(
    "team teams group squad guild department crew company org organisation organization division committee engineers "
    "developers sre ops maintainers staff".split()
)


def _is_place(phrase: str) -> bool:
    last = phrase.rsplit(maxsplit=1)[-1]
    kinds = {EntityType.PLACE, EntityType.PATH}
    return shape_of(phrase) in kinds or shape_of(last) in kinds or _PLACE_NOUN.search(phrase) is not None


def agrees(phrases: tuple[str, ...]) -> bool:
    """Whether the subject can take a verb without -s: a plural, an enumeration, "I" and "we"."""
    last = phrases[0].split()[-1].lower() if phrases else ""
    return (
        len(phrases) != 1
        or last in {"i", "we", "you", "they", "user", "people"}
        or (last.endswith("s") and not last.endswith("ss"))
        or last in TEAM_WORDS
    )


class Constructions(PhraseReader):
    """Each method reads one construction at a token and returns where to read on; 0 when it is not there."""

    def since(self, index: int) -> int:
        """Read "Since X had expired, Y": a reason when the clause has a verb; "since 2020" is a time."""
        if index:
            return 0
        cause, end = self.clause_after(1)
        if not cause or end >= len(self.tokens) or self.tokens[end].text != ",":
            return 0
        effect, _ = self.clause_after(end + 1)
        if effect and _STATE.search(cause):
            self.link(cause, R.CAUSES, effect, "en:since", 0.7)
        return 0

    def as_result(self, index: int) -> int:
        """Read "Y as a result of X"."""
        tokens = self.tokens
        words = tuple(token.lower for token in tokens[index : index + 4])
        if index == 0 or words not in {("as", "a", "result", "of"), ("as", "a", "consequence", "of")}:
            return 0
        effect = self.clause_before(index)
        causes, end = self.objects(index + 4, ANY_OBJECT)
        for cause in causes:
            self.link(cause, R.CAUSES, effect, "en:as a result of", 0.85)
        return end if causes else 0

    def in_favour(self, index: int) -> int:
        """Read "drop X in favour of Y": Y replaces X."""
        tokens = self.tokens
        if index < 2 or index + 2 >= len(tokens) or tokens[index - 1].lower != "in" or tokens[index + 1].lower != "of":
            return 0
        verb = next((at for at in range(index - 2, max(-1, index - 10), -1) if tokens[at].lower in _DROPS), -1)
        new, end = self.objects(index + 2, ANY_OBJECT)
        if verb < 0 or not new:
            return 0
        found = self.subjects(verb)
        passive = found is not None and found.passive
        old = found.phrases if found is not None and passive else self.objects(verb + 1, ANY_OBJECT)[0]
        for name in old[:1]:
            self.link(new[0], R.REPLACES, name, "en:in favour of")
        return end

    def unless(self, index: int) -> int:
        """Read "X cannot start unless Y is running": X depends on Y."""
        tokens = self.tokens
        start = index
        while start > 0 and tokens[start - 1].lower not in CLAUSE_STOPS:
            start -= 1
        verb = next((at for at in range(start, index) if tokens[at].lower in _UNABLE), -1)
        state = next((at for at in range(index + 1, len(tokens)) if tokens[at].lower in BE), -1)
        if verb < 0 or state < 0 or state + 1 >= len(tokens) or tokens[state + 1].lower not in _AVAILABLE:
            return 0
        needed = self.phrase(index + 1, state)
        for subject in self.split(start, verb):
            self.link(subject, R.DEPENDS_ON, needed, "en:cannot … unless")
        return state + 1

    def forbidden(self, index: int) -> int:
        """Read "use of X is forbidden", "X must not be used": whoever is addressed avoids it."""
        tokens = self.tokens
        if index == 0 or (index + 1 < len(tokens) and tokens[index + 1].lower in {"by", "to"}):
            return 0
        found = self.subjects(index)
        if found is None or not found.passive or not found.phrases:
            return 0
        used = tokens[index].lower in {"used", "allowed", "permitted", "called"}
        if found.negated is not used:
            return 0
        for subject in found.phrases:
            name = _USE_OF.sub("", subject)
            if tokens[index].lower not in {"allowed", "permitted"} or name != subject:
                self.link(self.actor, R.AVOIDS, name, f"en:{tokens[index].lower}", 0.85)
        return index + 1

    def get_from(self, index: int) -> int:
        """Read "X gets rates from the currency API": X uses the API."""
        tokens = self.tokens
        source = next((at for at in range(index + 1, min(len(tokens), index + 8)) if tokens[at].lower == "from"), 0)
        if not source or source == index + 1 or any(tokens[at].lower in CLAUSE_STOPS for at in range(index, source)):
            return 0
        found = self.subjects(index)
        origins, end = self.objects(source + 1, ANY_OBJECT)
        if found is None or found.negated or found.passive or not found.phrases or not origins:
            return 0
        if not agrees(found.phrases) and tokens[index].lower in BASES and not found.bare:
            return 0
        for subject in found.phrases:
            for origin in origins:
                if subject != self.actor and (HEADS.get(origin.split()[-1].lower()) or shape_of(origin.split()[0]) in _SYSTEMS):
                    self.link(subject, R.USES, origin, f"en:{tokens[index].lower} … from", 0.8)
        self.subject = found.phrases
        return end

    def because(self, index: int) -> int:
        """Read "Y because X", "Because X, Y"."""
        if index + 1 < len(self.tokens) and self.tokens[index + 1].lower == "of":
            return 0
        cause, end = self.clause_after(index + 1)
        if index == 0:
            effect = self.clause_after(end + 1)[0] if end < len(self.tokens) and self.tokens[end].text == "," else ""
        else:
            before = index - 1 if self.tokens[index - 1].text == "," else index
            effect = self.clause_before(before)
        if cause and effect and len(cause.split()) > 1:
            self.link(cause, R.CAUSES, effect, "en:because", 0.8)
        return 0

    def therefore(self, index: int) -> int:
        """Read "X, so Y", "X; therefore Y"."""
        if index < 2 or self.tokens[index - 1].text not in {",", ";"}:
            return 0
        if index + 1 < len(self.tokens) and self.tokens[index + 1].lower in _DEGREES:
            return 0
        cause = self.clause_before(index - 1)
        effect, _ = self.clause_after(index + 1)
        if _PERSONAL.match(cause) and _PERSONAL.match(effect):
            return 0
        if cause and effect and len(cause.split()) > 1 and len(effect.split()) > 1:
            self.link(cause, R.CAUSES, effect, f"en:{self.tokens[index].lower}", 0.6)
        return 0

    def instead(self, index: int) -> int:
        """Read "Instead of X, use Y"."""
        if (
            index
            or len(self.tokens) < 3
            or (self.tokens[0].lower, self.tokens[1].lower) not in {("instead", "of"), ("rather", "than")}
        ):
            return 0
        at = 3 if self.tokens[2].lower == "using" else 2
        objects, end = self.objects(at, ANY_OBJECT)
        self.avoided = objects[0] if objects else ""
        return end

    def switch(self, index: int) -> int:
        """Read "migrated from A to B": B replaces A; "switched to B": the subject uses B."""
        tokens = self.tokens
        source = next((at for at in range(index + 1, min(len(tokens), index + 8)) if tokens[at].lower in {"from", "off"}), 0)
        if source and not any(tokens[at].lower in CLAUSE_STOPS for at in range(index + 1, source)):
            return self._from_to(index, source)
        if (
            index + 1 < len(tokens)
            and tokens[index + 1].lower in {"to", "over"}
            and VERB_FORMS.get(tokens[index].lower) in {"switch", "migrate"}
        ):
            at = index + 3 if tokens[index + 1].lower == "over" else index + 2
            at += 1 if at < len(tokens) and tokens[at].lower == "using" else 0
            found = self.subjects(index)
            objects, end = self.objects(at, ANY_OBJECT)
            subjects = (
                (found.phrases or ((self.actor,) if found.implicit and tokens[index].lower in BASES else ())) if found else ()
            )
            if found and not found.negated:
                for subject in subjects:
                    for target in objects:
                        self.link(subject, R.USES, target, f"en:{tokens[index].lower} to", 0.8)
                self.subject = subjects
                return end if objects else 0
        return 0

    def _from_to(self, index: int, source: int) -> int:
        tokens = self.tokens
        old, end = self.objects(source + 1, ANY_OBJECT)
        if end < len(tokens) and tokens[end].lower in {"to", "onto", "into", "over"}:
            at = end + 2 if tokens[end].lower == "over" else end + 1
            new, after = self.objects(at, ANY_OBJECT)
        else:
            to = next((at for at in range(index + 1, source) if tokens[at].lower in {"to", "onto"}), 0)
            if not to:
                return 0
            new, _ = self.objects(to + 1, ANY_OBJECT)
            after = end
        if not old or not new:
            return 0
        found = self.subjects(index)
        if found and found.negated:
            return after
        old_name, new_name = old[0], new[0]
        if shape_of(new_name) is EntityType.PLACE or shape_of(old_name) is EntityType.PLACE:
            for subject in found.phrases if found else ():
                self.link(subject, R.LOCATED_IN, new_name, "en:from to", 0.9)
        elif not re.fullmatch(r"v?[\d.]+\S*", new_name):
            self.link(new_name, R.REPLACES, old_name, f"en:{tokens[index].lower} from to")
        return after

    def replace(self, index: int) -> int:
        """Read "replaced X with Y", "swap X for Y": Y replaces X."""
        tokens = self.tokens
        found = self.subjects(index)
        if found is None or (found.passive and tokens[index].lower in PARTICIPLES):
            return 0
        at = index + 2 if index + 1 < len(tokens) and tokens[index + 1].lower == "out" else index + 1
        old, end = self.objects(at, ANY_OBJECT)
        if not old or end >= len(tokens) or tokens[end].lower not in {"with", "by", "for"} or found.negated:
            return 0
        lemma = VERB_FORMS.get(tokens[index].lower, tokens[index].lower)
        if tokens[end].lower == "for" and lemma == "replace":
            return 0
        new, after = self.objects(end + 1, ANY_OBJECT)
        for old_name in old[:1]:
            for new_name in new[:1]:
                pair = (
                    (old_name, new_name) if lemma.startswith("substitut") and tokens[end].lower == "for" else (new_name, old_name)
                )
                self.link(pair[0], R.REPLACES, pair[1], f"en:{tokens[index].lower} with")
        return after if new else 0

    def make(self, index: int) -> int:
        """Read "X makes Y fail"."""
        tokens = self.tokens
        end = self.object_end(index + 1, ANY_OBJECT)
        last = next((at for at in range(index + 2, min(len(tokens), end + 2)) if tokens[at].lower in _FAILS), 0)
        if last and not tokens[index].lower.startswith("ma") and tokens[last].lower not in _DOWN:
            return 0
        found = self.subjects(index)
        if not last or found is None or found.negated or not found.phrases:
            return 0
        if tokens[last].lower in {"go", "disappear", "vanish"}:
            for subject in found.phrases:
                self.link(subject, R.FIXES, self.phrase(index + 1, last), f"en:{tokens[index].lower} … {tokens[last].lower}")
            return last + 1
        target = self.phrase(index + 1, last + 1)
        for subject in found.phrases:
            self.link(subject, R.CAUSES, target, f"en:{tokens[index].lower} … {tokens[last].lower}")
        return last + 1

    def without(self, index: int) -> int:
        """Read "Without X, Y cannot start"."""
        if index:
            return 0
        tokens = self.tokens
        verb = next(
            (
                at
                for at in range(2, len(tokens))
                if tokens[at].lower
                in {"cannot", "can't", "can’t", "won't", "won’t", "doesn't", "doesn’t", "fails", "breaks", "can", "will", "does"}
            ),
            0,
        )
        if not verb or (
            tokens[verb].lower in {"can", "will", "does"} and (verb + 1 >= len(tokens) or tokens[verb + 1].lower != "not")
        ):
            return 0
        comma = next((at for at in range(2, verb) if tokens[at].text == ","), 0) or next(
            (at for at in range(2, verb) if tokens[at].lower in DETERMINERS), 0
        )
        if not comma:
            return 0
        needed = self.phrase(1, comma)
        for subject in self.split(comma + (tokens[comma].text == ","), verb):
            self.link(subject, R.DEPENDS_ON, needed, "en:without … cannot")
        return verb + 1

    def favourite(self, index: int) -> int:
        """Read "Nora's favourite editor is Vim"."""
        tokens = self.tokens
        verb = next(
            (at for at in range(index + 1, min(len(tokens), index + 6)) if tokens[at].lower in {"is", "are", "was", "remains"}), 0
        )
        if not verb or index == 0:
            return 0
        owner = ""
        if tokens[index - 1].lower in {"my", "i"}:
            owner = self.actor
        elif tokens[index - 1].lower in {"'s", "’s"} and index > 1:
            owner = self.phrase(max(0, index - 3) if index > 2 and tokens[index - 3].text[0].isupper() else index - 2, index - 1)
        objects, end = self.objects(verb + 1, ANY_OBJECT)
        for target in objects:
            self.link(owner, R.PREFERS, target, f"en:{tokens[index].lower}")
        return end if owner and objects else 0

    def first_then(self, index: int) -> int:
        """Read "First X, then Y"."""
        tokens = self.tokens
        if index:
            return 0
        first, end = self.clause_after(1)
        if end + 1 >= len(tokens) or tokens[end].text not in {",", ";"}:
            return 0
        skip = end + 2 if tokens[end + 1].lower == "and" else end + 1
        if skip >= len(tokens) or tokens[skip].lower not in {"then", "afterwards"}:
            return 0
        second, _ = self.clause_after(skip + 1)
        self.link(first, R.PRECEDES, second, "en:first … then", 0.8)
        return skip + 1

    def gone(self, index: int) -> int:
        """Read "the errors disappeared after updating the driver"."""
        tokens = self.tokens
        at = index + 1
        if at < len(tokens) and tokens[at].lower == "away":
            at += 1
        elif VERB_FORMS.get(tokens[index].lower) == "go":
            return 0
        if at + 1 >= len(tokens) or tokens[at].lower not in {"after", "once", "when", "since"}:
            return 0
        found = self.subjects(index)
        remedy, end = self.clause_after(at + 1)
        remedy = re.sub(r"^(?:we|i|they|he|she) ", "", remedy, flags=re.IGNORECASE)
        if found is None or found.negated or not remedy:
            return 0
        for trouble in found.phrases:
            self.link(remedy, R.FIXES, trouble, f"en:{tokens[index].lower} {tokens[at].lower}", 0.8)
        return end if found.phrases else 0

    def located(self, index: int) -> int:
        """Read "The office is in Rome"."""
        tokens = self.tokens
        if index < 2 or index + 1 >= len(tokens) or tokens[index - 1].lower not in BE | {"not"}:
            return 0
        objects, end = self.objects(index + 1, ANY_OBJECT)
        found = self.subjects(index)
        if found is None or found.negated or not objects or not all(_is_place(target) for target in objects):
            return 0
        for subject in found.phrases:
            for target in objects:
                self.link(subject, R.LOCATED_IN, target, f"en:is {tokens[index].lower}")
        return end

    def with_tool(self, index: int) -> int:
        """Read "deploys everything with Helm": the subject uses the tool."""
        tokens = self.tokens
        if index + 1 >= len(tokens) or shape_of(tokens[index + 1].text) not in _SYSTEMS:
            return 0
        start = index
        while start > 0 and tokens[start - 1].lower not in CLAUSE_STOPS and index - start < 8:
            start -= 1
        verb = next(
            (
                at
                for at in range(start, index)
                if VERB_FORMS.get(tokens[at].lower) in _TOOL_VERBS and tokens[at].lower not in PARTICIPLES
            ),
            -1,
        )
        if verb < 0:
            return 0
        found = self.subjects(verb)
        if found is None or found.negated or found.passive or self.links:
            return 0
        subjects = found.phrases or ((self.actor,) if found.implicit and tokens[verb].lower in BASES else ())
        if not subjects or (not agrees(subjects) and tokens[verb].lower in BASES and not found.bare):
            return 0
        objects, end = self.objects(index + 1, ANY_OBJECT)
        for subject in subjects:
            for target in objects:
                self.link(subject, R.USES, target, f"en:{tokens[verb].lower} … with", 0.7)
        return end if objects else 0

    def order(self, index: int) -> int:
        """Read "Before X, Y", "After X, Y" and "Once X has finished, Y starts"."""
        if index:
            return 0
        word = self.tokens[0].lower
        first, end = self.clause_after(1)
        if word in {"once", "when"} and not _FINISHED.search(first):
            return 0
        if not first or end >= len(self.tokens) or self.tokens[end].text != ",":
            return 0
        second, _ = self.clause_after(end + 1)
        first = re.sub(r"^(?:any|each|every|all) ", "", first)
        first, second = _FINISHED.sub("", first), _HAS_TO_RUN.sub("", second)
        words = second.lower().split()
        if (
            not second
            or len(first.split()) > 5
            or words[0] in PRONOUNS
            or any(word in {"i", "we", "he", "she"} for word in words)
        ):
            return 0
        pair = (second, first) if word == "before" else (first, second)
        self.link(pair[0], R.PRECEDES, pair[1], f"en:{word} …", 0.7)
        return end + 1


CONSTRUCTIONS: dict[str, Callable[[Constructions, int], int]] = {
    "because": Constructions.because,
    **dict.fromkeys(("so", "therefore", "hence", "thus", "consequently"), Constructions.therefore),
    **dict.fromkeys(("instead", "rather"), Constructions.instead),
    **dict.fromkeys(("before", "after", "once", "when"), Constructions.order),
    "since": Constructions.since,
    "first": Constructions.first_then,
    **dict.fromkeys("favorite favourite".split(), Constructions.favourite),
    **dict.fromkeys("disappeared disappears vanished vanish went goes gone stopped".split(), Constructions.gone),
    "as": Constructions.as_result,
    **dict.fromkeys(("favor", "favour"), Constructions.in_favour),
    "unless": Constructions.unless,
    **dict.fromkeys(
        "forbidden prohibited banned disallowed discouraged used allowed permitted called".split(), Constructions.forbidden
    ),
    **dict.fromkeys(
        [
            form
            for form, lemma in VERB_FORMS.items()
            if lemma in {"get", "fetch", "read", "pull", "load", "receive", "download", "import", "collect"}
        ],
        Constructions.get_from,
    ),
    "without": Constructions.without,
    **dict.fromkeys(("in", "at", "on"), Constructions.located),
    **dict.fromkeys(("with", "via", "through"), Constructions.with_tool),
    **dict.fromkeys(
        [
            form
            for form, lemma in VERB_FORMS.items()
            if lemma in {"switch", "migrate", "move", "change", "convert", "upgrade", "port", "rewrite"}
        ]
        + ["transitioned", "transition", "transitioning"],
        Constructions.switch,
    ),
    **dict.fromkeys(
        [form for form, lemma in VERB_FORMS.items() if lemma in {"replace", "swap", "trade", "exchange"}]
        + ["substitute", "substituted"],
        Constructions.replace,
    ),
    **dict.fromkeys(
        (
            "make",
            "makes",
            "made",
            "making",
            "take",
            "takes",
            "took",
            "bring",
            "brings",
            "brought",
            "knocked",
            "leaves",
            "left",
            "rendered",
            "renders",
            "drove",
        ),
        Constructions.make,
    ),
}
"""The word at which each construction is recognised."""
