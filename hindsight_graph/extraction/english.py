"""Names in English sentences: by form, by lists, by capitals, and noun chunks that end in a technical head noun."""

import re

from hindsight_graph.extraction.findings import Name
from hindsight_graph.extraction.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FINITE,
    PLAIN_VERBS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
    VERB_FORMS,
)
from hindsight_graph.extraction.tokens_en import Token, shape_of
from hindsight_graph.extraction.words import (
    AMBIGUOUS_FIRST_NAMES,
    MONTHS_AND_DAYS,
    ORGANISATION_TAILS,
    PLACE_PHRASES,
    UNITS,
)
from hindsight_graph.models.enums import EntityType
from hindsight_graph.text.lazy import LazyPattern

HEADS = {
    **dict.fromkeys(
        "service services gateway gateways cluster clusters server servers queue queues broker brokers database "
        "databases cache proxy balancer scheduler daemon controller registry microservice microservices "
        "backend frontend api apis warehouse bus exporter indexer crawler datastore store bucket topic endpoint "
        "middleware firewall mesh".split(),
        EntityType.SERVICE,
    ),
    **dict.fromkeys(
        "app apps application client clients worker workers pipeline pipelines module modules dashboard platform "
        "engine portal sdk plugin library framework bot system systems subsystem component adapter driver parser "
        "compiler "
        "package operator agent extension tool editor repo repository website site console ui cli".split(),
        EntityType.SOFTWARE,
    ),
    **dict.fromkeys("team teams group department squad guild division committee crew".split(), EntityType.ORGANISATION),
}
"""Head nouns that make a chunk a name, and what it then names."""
_WEAK_HEADS = frozenset(
    "tool editor system systems host node instance store group agent endpoint console library framework package "
    "component driver site client clients worker workers server servers bucket topic module modules ui cli api apis "
    "cache".split()
)
"""Heads that need a modifier with a form of its own or a plain noun; loose words before them are no name."""
_LOOSE = (
    DETERMINERS
    | PRONOUNS
    | PREPOSITIONS
    | SUBORDINATORS
    | CONJUNCTIONS
    | AUXILIARIES
    | ADVERBS
    | frozenset(
        "new old main whole entire same other another different own big small large little slow fast good bad better "
        "best worse second first third last next previous current former latest early recent many few several more "
        "most less least "
        "single only certain various similar separate single-node whole real right wrong few broken failing failed "
        "dead faulty stale whole great nice local remote internal external upstream downstream existing legacy primary "
        "secondary dedicated "
        "simple complex central certain affected particular specific favorite favourite following two three four five "
        "six seven eight nine ten one zero every public private dependent expired busy idle healthy unhealthy "
        "overloaded entire generic "
        "please set let deploy restart use run check make call put start stop fix update upgrade move switch migrate "
        "need want keep add remove install create write read see try get give take send test build open close show "
        "tell ask "
        "reliable robust popular powerful important critical key global whole hidden modern custom managed unmanaged "
        "free shared cheap expensive quick underlying respective given".split()
    )
)
ING_NOUNS = frozenset(
    "billing staging caching streaming monitoring logging testing pricing shipping routing training marketing "
    "engineering reporting tracking messaging scheduling processing accounting booking hosting indexing ranking "
    "banking onboarding sharing mapping rating polling parsing rendering ticketing networking gaming advertising "
    "housing nursing running hiking painting support".split()
)
_STARTERS = frozenset(
    "the a an this that these those it its he she they we you i my our your his her their there here who what when "
    "where why how which if unless because since while although though after before until once as so but and or also "
    "then now "
    "however therefore moreover furthermore meanwhile instead otherwise besides additionally finally first second "
    "third next last please always never only just even still yet maybe perhaps probably usually often sometimes "
    "currently recently "
    "today yesterday tomorrow tonight later earlier soon every each all both some any no none most many few several "
    "more less one two three four five six seven eight nine ten another other such same note remember warning "
    "important yes ok okay sure hi hello hey thanks "
    "thank welcome sorry wow great good nice cool well oh do does did don't doesn't didn't is are was were be been can "
    "could will would should must may might have has had let let's for in on at by with from to of into over under "
    "about "
    "without within during between through against per via like unlike than not people everyone someone anyone "
    "everything something anything nothing nobody customers users developers engineers teams team user customer client "
    "clients admin admins "
    "data logs log backups backup builds build tests test errors error alerts alert requests request traffic latency "
    "memory cpu disk network production staging development deployment deployments deploys deploy releases release "
    "rollback rollbacks "
    "migration migrations restart restarts outage outages incident incidents bug bugs crash crashes fix fixes issue "
    "issues problem problems root cause causes result results version versions port ports config configuration "
    "settings setting secret secrets keys key tokens token "
    "passwords password sessions session jobs job tasks task workers worker services service servers server clusters "
    "cluster database databases queries query tables table indexes index indices caches cache queues queue messages "
    "message events event metrics metric dashboards dashboard "
    "code docs documentation files file images image reports report invoices invoice orders order payments payment "
    "checkout search login signup auth authentication authorization billing shipping inventory frontend backend api "
    "apis monitoring logging caching "
    "music work school life family friends kids children dogs cats dinner lunch breakfast coffee books movies art "
    "painting running hiking camping swimming yoga weather summer winter spring autumn fall congrats congratulations "
    "happy glad excited lately looking talking speaking being having making taking getting going "
    "using given due thus hence overall generally typically apparently actually basically honestly obviously clearly "
    "unfortunately fortunately luckily hopefully anyway regarding according despite except including nightly daily "
    "weekly monthly "
    "mom dad mum grandma grandpa sister brother uncle aunt boss manager engineering marketing sales finance legal "
    "security operations support management product design".split()
)
_STARTER_TAILS = (
    "ing",
    "tion",
    "tions",
    "ment",
    "ments",
    "ness",
    "ly",
    "ity",
    "ies",
    "ance",
    "ence",
    "sion",
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "ers",
    "ors",
    "ages",
    "ests",
    "ures",
    "ings",
    "ups",
    "ed",
    "ology",
    "ware",
)
_VERSION = LazyPattern(r"v?\d+(?:\.\d+){0,3}(?:\.x|[a-z]\d*|-\w+)?")
_DECIMAL = LazyPattern(r"v?\d+(?:\.\d+)+(?:[-.]?\w+)?")
_UPGRADE = frozenset(
    "upgrade upgrades upgraded upgrading downgrade downgraded downgrading bump bumped bumping pinned pin update "
    "updated updating version versions release released releases migrated moved rolled requires needs from to".split()
)
_ROMAN = LazyPattern(r"[A-Z](?:\d+)?|[IVX]+|\d+[a-z]?")
_BEFORE_PATH = frozenset("in under from into directory folder path file at".split())
_FIXED = {EntityType.PATH, EntityType.CODE, EntityType.NUMBER, EntityType.SERVICE}
"""Types whose names never go on with the next capitalised word."""
_BEFORE_KEBAB = frozenset(
    "job table bucket topic queue branch container image node host pod namespace channel repo repository index volume "
    "stream database service cluster server role group package library module plugin called named profile instance vm "
    "dataset".split()
)
_PINS = frozenset({"==", ">=", "<=", "~="})
_TITLES = frozenset("dr mr mrs ms prof sir".split())
_ENDS_BEFORE = frozenset('. ! ? : ; … ( [ " “ - – — • *'.split())


def find_names(text: str, tokens: list[Token]) -> list[Name]:
    """Return the names in a sentence in order, without overlaps."""
    found: list[tuple[int, int, EntityType]] = []  # token ranges
    extra: list[Name] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text[0] in '`"“' and len(token.text) > 2:
            quoted = _quoted(token)
            if quoted is not None:
                extra.append(quoted)
            index += 1
            continue
        end, kind = _named(text, tokens, index)
        if end:
            found.append((index, end, kind))
            index = end
        else:
            index += 1
    chunks = _chunks(text, tokens)
    names = extra + [_name(text, tokens, start, end, kind) for start, end, kind in _merge(found, chunks)]
    names.sort(key=lambda name: name.start)
    return names


def _name(text: str, tokens: list[Token], start: int, end: int, kind: EntityType) -> Name:
    first, last = tokens[start].start, tokens[end - 1].end
    written = text[first:last]
    if written.endswith("()"):
        written, last = written[:-2], last - 2
    return Name(" ".join(written.split()), first, last, kind)


def _quoted(token: Token) -> Name | None:
    inner = token.text[1:-1].strip(" .,!?")
    words = inner.split()
    code = token.text[0] == "`"
    if not inner or len(inner) > 60 or len(words) > (6 if code else 5):
        return None
    if not code and not (words[0][0].isupper() or shape_of(inner) or len(words) == 1):
        return None
    inner = inner.removesuffix("()")
    start = token.start + token.text.index(inner)
    return Name(
        " ".join(inner.split()), start, start + len(inner), shape_of(inner) or (EntityType.CODE if code else EntityType.OTHER)
    )


def _named(text: str, tokens: list[Token], index: int) -> tuple[int, EntityType]:
    """Return the end of the name that begins at `index` and its type, or (0, OTHER)."""
    token = tokens[index]
    word = token.text
    before = tokens[index - 1].lower if index else ""
    if word[0].isdigit():
        return _number(tokens, index, before)
    kind = shape_of(word)
    after = _next(tokens, index)
    if kind is None and word.isalpha() and word.islower() and after not in _PINS:
        return 0, EntityType.OTHER
    if kind is None and after in _PINS:
        return index + 1, EntityType.SOFTWARE
    if kind is None and before in _BEFORE_KEBAB and re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+", word) and after not in HEADS:
        return index + 1, EntityType.OTHER
    if (
        kind is None
        and "/" in word
        and (before in _BEFORE_PATH or after in {"folder", "directory", "path", "file", "endpoint", "branch", "repo"})
        and re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", word)
    ):
        return index + 1, EntityType.PATH
    if kind is None and not _capital_name(tokens, index):
        return 0, EntityType.OTHER
    end = _extend(text, tokens, index + 1) if word[0].isupper() and kind not in _FIXED else index + 1
    return _typed(text, tokens, index, end, kind)


def _capital_name(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    word = token.text
    if (
        not "A" <= word[0] <= "\u024f"
        or not word[0].isupper()
        or len(word) < 2
        or word.isupper()
        or not word.replace("-", "").isalpha()
    ):
        return False
    return (
        token.lower not in MONTHS_AND_DAYS
        and token.lower not in AUXILIARIES
        and token.lower not in _TITLES
        and _proper(tokens, index)
    )


def _typed(text: str, tokens: list[Token], index: int, end: int, kind: EntityType | None) -> tuple[int, EntityType]:
    """Settle the type of a run of capitalised words and take in its version number."""
    if kind in {None, EntityType.PERSON} and end > index + 1:
        if tokens[end - 1].lower in ORGANISATION_TAILS:
            kind = EntityType.ORGANISATION
        elif kind is None and text[tokens[index].start : tokens[end - 1].end].lower() in PLACE_PHRASES:
            kind = EntityType.PLACE
    if kind in {EntityType.SOFTWARE, EntityType.ORGANISATION, None} and end < len(tokens) and _is_version(text, tokens, end):
        return end + 1, EntityType.SOFTWARE
    if kind is None:
        kind = EntityType.PERSON if tokens[index].lower in AMBIGUOUS_FIRST_NAMES else EntityType.OTHER
    return end, kind


def _number(tokens: list[Token], index: int, before: str) -> tuple[int, EntityType]:
    word = tokens[index].text
    if before in {"port", "ports", "version"} and (_VERSION.fullmatch(word) is not None):
        return index + 1, EntityType.NUMBER
    if (
        before in {"and", "or", ",", "to"}
        and word.isdigit()
        and index > 2
        and tokens[index - 2].text.isdigit()
        and tokens[index - 3].lower in {"ports", "port"}
    ):
        return index + 1, EntityType.NUMBER
    if shape_of(word) is not None:
        return index + 1, shape_of(word) or EntityType.NUMBER
    if before in {"==", ">=", "<=", "~=", "@"} or (
        before == "on" and re.fullmatch(r"\d{4,5}", word) and shape_of(tokens[index - 2].text)
    ):
        return index + 1, EntityType.NUMBER
    if (
        _DECIMAL.fullmatch(word)
        and before in {"from", "to", "with", "than", "at", "version"}
        and _next(tokens, index) not in UNITS - {"and", "or", "of"}
    ):
        window = {token.lower for token in tokens[max(0, index - 8) : index]}
        if before != "at" and window & _UPGRADE - {"to", "from"}:
            return index + 1, EntityType.NUMBER
    return 0, EntityType.OTHER


def _next(tokens: list[Token], index: int) -> str:
    return tokens[index + 1].lower if index + 1 < len(tokens) else ""


def _is_version(text: str, tokens: list[Token], index: int) -> bool:
    word = tokens[index].text
    if _VERSION.fullmatch(word) is None or text[tokens[index - 1].end : tokens[index].start] != " ":
        return False
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after is None or not after.text[0].isalpha() or "." in word:
        return after is None or after.lower not in UNITS - {"and", "or", "of", "nodes", "node"} or "." in word
    if after.lower in AUXILIARIES or after.lower in VERB_FORMS or after.lower in HEADS:
        return True
    return after.lower not in UNITS - {"and", "or", "of"} and not (
        after.lower.endswith("s") and not after.lower.endswith(("ss", "us"))
    )


def _proper(tokens: list[Token], index: int) -> bool:
    """Whether a capitalised word that no list knows is a name here."""
    token = tokens[index]
    initial = index == 0 or tokens[index - 1].text in _ENDS_BEFORE
    if index > 1 and tokens[index - 1].text == "." and tokens[index - 2].lower in _TITLES:
        return True
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if not initial:
        return token.lower not in _STARTERS or (after is not None and after.text[0].isupper() and after.text[1:].islower())
    if token.lower in _STARTERS or token.lower in VERB_FORMS:
        return False
    if after is None:
        return False
    if after.text[0].isupper() and len(after.text) > 1 and after.text[1:].islower() and after.lower not in MONTHS_AND_DAYS:
        return True
    if token.lower.endswith(_STARTER_TAILS):
        return False
    if after.text in {"'s", "’s", ","}:
        return after.text != "," and token.lower not in HEADS
    return (
        (
            after.lower in FINITE
            or after.lower in VERB_FORMS
            or after.lower in {"from", "and", "also", "never", "always"}
            or after.lower in AUXILIARIES
        )
        and not (token.lower.endswith("s") and not token.lower.endswith(("ss", "us", "is")))
        and token.lower not in HEADS
    )


def _extend(text: str, tokens: list[Token], end: int) -> int:
    while end < len(tokens) and end < 8 + len(tokens):
        token = tokens[end]
        word = token.text
        if text[tokens[end - 1].end : token.start] != " " or not word[0].isupper() or not word.replace("-", "").isalnum():
            break
        if (
            token.lower in MONTHS_AND_DAYS
            or token.lower in AUXILIARIES
            or token.lower in PRONOUNS
            or (word.isupper() and shape_of(word) is None)
        ):
            break
        end += 1
    return end


def _chunks(text: str, tokens: list[Token]) -> list[tuple[int, int, EntityType]]:
    found: list[tuple[int, int, EntityType]] = []
    for index, token in enumerate(tokens):
        kind = HEADS.get(token.lower)
        if kind is None:
            continue
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if after is not None and after.lower in HEADS and text[token.end : after.start] == " ":
            continue
        end = index + 1
        labelled = (
            after is not None
            and _ROMAN.fullmatch(after.text) is not None
            and after.text != "I"
            and text[token.end : after.start] == " "
            and after.text[0].isupper()
        )
        if labelled:
            end += 1
        start = index
        while start > 0 and index - start < 3 and _modifies(text, tokens, start - 1):
            start -= 1
        if (
            start < index
            and token.lower in _WEAK_HEADS
            and token.lower.endswith("s")
            and shape_of(tokens[index - 1].text) is not None
        ):
            continue  # "gunicorn workers": the software is the name
        if start < index or labelled:
            found.append((start, end, kind))
    return found


def _modifies(text: str, tokens: list[Token], index: int) -> bool:
    """Whether the token at `index` is a noun that belongs to the chunk on its right."""
    token = tokens[index]
    word, lower = token.text, token.lower
    if text[token.end : tokens[index + 1].start] != " " or not word[0].isalnum() or lower in _LOOSE or lower in MONTHS_AND_DAYS:
        return False
    kind = shape_of(word)
    if kind is not None:
        return kind not in {EntityType.PATH, EntityType.NUMBER, EntityType.CODE, EntityType.PERSON}
    if not word.replace("-", "").replace("/", "").isalpha() or lower in PLAIN_VERBS or lower.endswith("ly"):
        return False
    if lower.endswith(("ing", "ed")):
        return lower in ING_NOUNS or lower in {"embedded", "feed", "seed", "med", "distributed"}
    if lower in VERB_FORMS:  # "order service" after a noun phrase start, "restart service" at the start
        before = tokens[index - 1].lower if index else ""
        if index > 0 and before in DETERMINERS and lower.endswith("s"):
            return True
        return (
            index > 0
            and (before in DETERMINERS or before in PREPOSITIONS or before in _LOOSE)
            and not lower.endswith("s")
            and before not in PRONOUNS - {"this", "that", "these", "those"}
            and before not in {"to", "and", "or", ","}
        )
    return True


def _merge(
    found: list[tuple[int, int, EntityType]], chunks: list[tuple[int, int, EntityType]]
) -> list[tuple[int, int, EntityType]]:
    """Longest first; ties to the chunk."""
    taken: list[tuple[int, int, EntityType]] = []
    for start, end, kind in sorted([*chunks, *found], key=lambda span: span[0] - span[1]):
        if all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end, kind))
    return taken
