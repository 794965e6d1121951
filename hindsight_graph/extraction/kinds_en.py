"""What kind of thing an English phrase names: persons and teams, places, tools, troubles."""

import re

from hindsight_graph.extraction.english import HEADS
from hindsight_graph.extraction.english_constructions import TEAM_WORDS
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.extraction.words import MONTHS_AND_DAYS
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.lazy import LazyPattern

TROUBLE = LazyPattern(
    r"(?:outage|failure|crash|error|bug|issue|problem|slowdown|time-?out|leak|spike|incident|downtime|loss|delay|drop|lag|hang|"
    r"bottleneck|regression|exception|deadlock|latency|reboot|restart|glitch|fault|flicker|stutter|freeze|"
    r"jam|backlog|storm|alert|"
    r"alarm|warning|complaint|duplicate|corruption|race|loop|stall|noise|overheating|damage|panic|kill|"
    r"eviction|disconnect|dropout|"
    r"retry|retries|conflict|mismatch|drift|breakage|thrash|thrashing|throttling|starvation|congestion|"
    r"overload|defect|flake|vibration|"
    r"500|502|503|504|404|OOM|blackout|hiccup|vulnerability|exploit|breach|waste|shortage|misalignment|"
    r"overflow|wobble|squeak|rattle|"
    r"flapping|stalls|churn)(?:s|es|ing)?\b"
    r"|\b(?:slow|broken|missing|failing|failed|flaky|stale|wrong|corrupt(?:ed)?|blank|empty|garbled|stuck|"
    r"random|lost|late|blurry|"
    r"unresponsive|crashing|dropped|duplicated?|noisy|jittery|laggy|delayed|leaking) \w",
    re.IGNORECASE,
)
"""Words for what goes wrong."""
_HUMANS = frozenset(
    "rep analyst engineer developer dev admin nurse doctor driver teacher auditor designer manager "
    "operator technician editor writer "
    "student intern client customer user tester maintainer colleague accountant lawyer chef cook baker "
    "pilot captain clerk cashier "
    "guard mechanic electrician plumber farmer gardener librarian scientist researcher architect consultant contractor vendor "
    "supplier partner owner buyer planner director boss founder ceo cto cfo team crew staff folk people person man woman "
    "guy kid "
    "parent wife husband daughter son sister brother mother father mom dad friend neighbour neighbor tutor coach trainer "
    "player "
    "translator volunteer reviewer curator conductor dispatcher courier agent attendee member".split()
)
_BODIES = frozenset(
    "depot lab laboratory office plant factory studio hospital school clinic agency firm vendor museum "
    "library university department "
    "ward station workshop bakery farm bank ministry council union club institute faculty accounting "
    "finance marketing sales legal "
    "engineering procurement logistics housekeeping".split()
)
_PERSONAL = frozenset(
    "i we he she they you user users people everyone everybody someone somebody anyone nobody who them "
    "us me colleagues customers "
    "developers engineers operators auditors staff admins managers".split()
)
_PLACE_WORDS = frozenset(
    "floor room office building basement datacenter datacentre center centre city town village country region zone rack "
    "cabinet "
    "drawer kitchen garage street campus warehouse hall lobby cloud bucket directory folder repo repository vpc subnet "
    "namespace "
    "observatory brewery bakery clinic pharmacy shed depot plant factory lab laboratory workshop hangar closet cellar "
    "corridor aisle bay yard store shop shelf vault "
    "headquarters hq attic roof site dock terminal hub hospital school branch stairwell pantry container pit cluster account "
    "host machine node vm box server rack-unit partition drive disk share volume tray crate locker enclosure panel desk garden "
    "canteen reception archive library museum station park harbour port tower wing annex barn bench line "
    "district province state island valley coast north south east west".split()
)
_TOOL_WORDS = frozenset("language framework library toolkit tool compiler engine plugin sdk cli editor script scripts".split())
_CAPITAL = LazyPattern(r"[A-Z][\w.+#-]*(?: [A-Z0-9][\w.+#-]*)*")
_NAME = LazyPattern(r"[A-ZÀ-Þ][a-zà-ÿ'’-]+(?: (?:van |de |da |del |von )?[A-ZÀ-Þ][a-zà-ÿ'’-]+)*")


def is_trouble(phrase: str) -> bool:
    """Whether a phrase names something that goes wrong."""
    return TROUBLE.search(phrase) is not None


def is_person(phrase: str) -> bool:
    """Whether a phrase is a person, by pronoun or by a known first name."""
    lower = phrase.lower()
    return lower in _PERSONAL or shape_of(phrase.split(maxsplit=1)[0]) is EntityType.PERSON


def is_human(noun: str) -> bool:
    """Whether a noun is what a person is or does: engineer, nurses."""
    return noun.lower() in _HUMANS or noun.lower().rstrip("s") in _HUMANS


def is_agent(phrase: str) -> bool:
    """Whether a phrase can own, prefer or decide: persons, teams, and capitalised words that are no software."""
    words = phrase.split()
    last = words[-1].lower()
    if is_person(phrase) or last in TEAM_WORDS or last in {"ops", "support"} or is_human(last):
        return True
    if last in _BODIES:
        return True
    if HEADS.get(words[-1].lower(), EntityType.ORGANISATION) is not EntityType.ORGANISATION:
        return False
    return _NAME.fullmatch(phrase) is not None and all(shape_of(word) in {None, EntityType.PERSON} for word in words)


def is_place(phrase: str) -> bool:
    """Whether a phrase is where a thing can stand: a place, a room, a path, a machine."""
    kinds = {EntityType.PLACE, EntityType.PATH}
    last = phrase.rsplit(maxsplit=1)[-1]
    return (
        shape_of(phrase) in kinds
        or shape_of(last) in kinds
        or last.lower().rstrip("s") in _PLACE_WORDS
        or any(word.lower() in _PLACE_WORDS for word in phrase.split()[:1] if len(phrase.split()) > 1)
    )


def may_be_place(phrase: str) -> bool:
    """Whether a capitalised phrase that no list knows may be a town: after "lives in"."""
    return (
        _NAME.fullmatch(phrase) is not None
        and shape_of(phrase) is None
        and phrase.split(maxsplit=1)[0].lower() not in MONTHS_AND_DAYS
    )


_AMOUNT = LazyPattern(
    r"(?:~?[\d.,]+ ?)?(?:%|percent|[kmgt]i?b|ms|s|sec|min|seconds?|minutes?|hours?|days?|weeks?|months?|years?|bytes?|"
    r"times|people)"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|dozens?|hundreds?|thousands?|several|few|many|some|both|most|all|more|less)",
    re.IGNORECASE,
)
_CLAUSE = LazyPattern(
    r"(?:i|we|you|they|it|he|she|that|this|whether|who|what|how|why|when|if|there|everyone|everybody|nobody|someone|anyone|"
    r"running|using|doing|having|being) .+",
    re.IGNORECASE,
)
_NO_PLACE = LazyPattern(
    r"(?:ports?|front|back|top|middle|place|line|case|order|sync|touch|charge|use|need|time|progress|review)(?: \d+)?",
    re.IGNORECASE,
)
_LABELS = LazyPattern(r"(?:[a-z]+ )*[A-Z]{1,2}-?\d{1,3}")
_LABEL = LazyPattern(r"[a-z]+(?: [a-z]+)? ([A-Z]{1,4}-\d+\w*)")


def is_amount(phrase: str) -> bool:
    """Whether a phrase counts or measures and names nothing: "GB", "two", "40 seconds"."""
    return _AMOUNT.fullmatch(phrase) is not None


def is_clause(phrase: str) -> bool:
    """Whether a phrase opens like a clause: "we ship", "whether it works"."""
    return _CLAUSE.fullmatch(phrase) is not None


def is_no_place(phrase: str) -> bool:
    """Whether nothing stands in what a phrase names: "in front", "on port 5433"."""
    return _NO_PLACE.fullmatch(phrase) is not None


def bare_label(phrase: str) -> str:
    """Return the label of "buoy B-7" alone: with a general noun before it, it is the name."""
    match = _LABEL.fullmatch(phrase)
    return match[1] if match is not None else phrase


def is_label(phrase: str) -> bool:
    """Whether a phrase is the label of one of several things alike: "F-2", "M-12"."""
    return _LABELS.fullmatch(phrase) is not None


def is_tool(phrase: str) -> bool:
    """Whether a phrase names what things are made with: a language, a program."""
    last = phrase.rsplit(maxsplit=1)[-1]
    return _CAPITAL.fullmatch(phrase) is not None or shape_of(last) is not None or last.lower() in _TOOL_WORDS


def is_thing_name(phrase: str) -> bool:
    """Whether a phrase names a thing: software, a service, anything with a form of its own, or a technical noun."""
    last = phrase.rsplit(maxsplit=1)[-1]
    return last.lower() in HEADS or last.lower() in TEAM_WORDS or shape_of(last) is not None or phrase[:1].isupper()
