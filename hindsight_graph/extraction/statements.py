"""From a source to the sentences that are to be read, and from what was found in them to statements. Every extractor's frame."""

from collections.abc import Sequence
from typing import NamedTuple

from hindsight_graph.extraction import chinese
from hindsight_graph.extraction.assertion import Assertion, read_assertion
from hindsight_graph.extraction.base import Dropped, Extraction, Source, Statement
from hindsight_graph.extraction.findings import Link, Name
from hindsight_graph.extraction.grammar_en import AUXILIARIES, VERB_FORMS
from hindsight_graph.extraction.junk import is_code, is_junk
from hindsight_graph.extraction.orders import is_order, wanted
from hindsight_graph.extraction.pieces import Piece, cut_pieces
from hindsight_graph.extraction.slots import find_slot, row_slot
from hindsight_graph.extraction.smalltalk import GREETING, drop_reason, is_question, opening_of
from hindsight_graph.extraction.tone import read_tone
from hindsight_graph.models.enums import EntityType, MentionRole
from hindsight_graph.models.memory import Mention, Relation
from hindsight_graph.text.language import HAN, Language, detect_language
from hindsight_graph.text.lazy import LazyPattern

_QUESTION_CONFIDENCE = 0.5
_HEADING_CONFIDENCE = 0.6
_ACTORS = {"user": ("user", "用户"), "assistant": ("assistant", "助手")}


class Sentence(NamedTuple):
    """One statement's worth of text that is to be read.

    Attributes:
        piece: The text, and where it stands. language: How to read it.
        actor: Who "I" is. person: "we" is the actor too.
        assertion: Which of its parts state nothing. asks: It is a question.
        states: Whether relations are to be looked for: not in questions and program text.
    """

    piece: Piece
    language: Language
    actor: str
    person: bool
    assertion: Assertion
    asks: bool
    states: bool

    @property
    def text(self) -> str:
        """The words."""
        return self.piece.text


class Found(NamedTuple):
    """What was read in a sentence."""

    names: list[Name]
    links: list[Link]


class Draft(NamedTuple):
    """A source cut into what is to be read and what is dropped."""

    source: Source
    sentences: list[Sentence]
    dropped: list[Dropped]
    notes: tuple[str, ...]


def draft(source: Source) -> Draft:
    """Cut a source into sentences, and drop small talk."""
    sentences: list[Sentence] = []
    dropped: list[Dropped] = []
    pieces = cut_pieces(source.text)
    for piece in pieces:
        if source.keep_all or source.role == "tool":
            sentences.append(_sentence(piece, source))
            continue
        reason = drop_reason(piece.text)
        if reason is not None:
            dropped.append(Dropped(text=piece.text, reason=reason))
            continue
        opening = opening_of(piece.text)
        if opening:
            dropped.append(Dropped(text=piece.text[:opening].strip(" ,，"), reason=GREETING))
            piece = _without_opening(piece, opening, source.text)  # noqa: PLW2901
        sentences.append(_sentence(piece, source))
    forced = sum(piece.forced for piece in pieces)
    notes = (f"a run of characters without a border was cut by length {forced} times",) if forced else ()
    return Draft(source, sentences, dropped, notes)


def finish(draft: Draft, found: Sequence[Found], extractor: str) -> Extraction:
    """Return the extraction of a draft, given what was found in each of its sentences, and by what."""
    statements = [
        _statement(sentence, draft.source, one.names, one.links) for sentence, one in zip(draft.sentences, found, strict=True)
    ]
    return Extraction(statements=tuple(statements), dropped=tuple(draft.dropped), notes=draft.notes, extractor=extractor)


def _without_opening(piece: Piece, opening: int, source: str) -> Piece:
    rest = piece.text[opening:]
    start = piece.start + opening
    if source[start : start + 4] != rest[:4]:
        start = piece.start
    return piece._replace(text=rest, start=start)


def _actor(source: Source, language: Language) -> str:
    if source.name and source.role != "tool":
        return source.name
    return _ACTORS.get(source.role, _ACTORS["user"])[language == "zh"]


def _sentence(piece: Piece, source: Source) -> Sentence:
    language = language_of(piece.text)
    asks = is_question(piece.text) if piece.form in {"sentence", "item"} else False
    return Sentence(
        piece,
        language,
        _actor(source, language),
        person=bool(source.name) and source.role != "tool",
        assertion=read_assertion(piece.text),
        asks=asks,
        states=not asks and piece.form != "code",
    )


def _statement(sentence: Sentence, source: Source, names: list[Name], links: list[Link]) -> Statement:
    piece, text, language, actor = sentence.piece, sentence.text, sentence.language, sentence.actor
    question, assertion, tool = sentence.asks, sentence.assertion, source.role == "tool"
    if is_order(text):
        links = wanted(links, actor)
    names, links = _without_junk(piece, names, links)
    tone = read_tone(text, source.role, assertion)
    sure = tone.confidence
    if question:
        sure = min(sure, _QUESTION_CONFIDENCE)
    elif piece.form == "heading":
        sure = min(sure, _HEADING_CONFIDENCE)
    slot = (
        None
        if question or tone.negated or assertion.veils
        else (row_slot(text) if piece.form == "row" else None) or find_slot(text, language, actor)
    )
    return Statement(
        summary=text,
        kind=tone.kind,
        language=language,
        negated=tone.negated,
        mentions=_mentions(text, names, links, actor, source),
        relations=tuple(
            Relation(
                source=link.source,
                type=link.type,
                target=link.target,
                pattern=link.pattern,
                confidence=round(link.confidence * min(1.0, sure / 0.9), 3),
            )
            for link in links
        ),
        slot=slot,
        confidence=sure,
        outcome=tone.outcome,
        error_code=tone.error_code,
        tools=(source.name,) if tool and source.name else (),
        start=piece.start,
        end=piece.end,
    )


_ENGLISH_WORD = LazyPattern(r"(?<![A-Za-z0-9_.])[A-Za-z]+(?![A-Za-z0-9_.])")
_HAN_RUN = LazyPattern(f"[{HAN}]+")
_CHINESE_FRAME = LazyPattern(
    "[的了是把被和与或吗呢吧也都就才不没]|[在由用从给对让](?!线)|因为|所以|需要|使用|依赖|导致|如果|负责|以后|之后|请"
)


def language_of(text: str) -> Language:
    """Return the language a sentence is to be read in: English with Chinese names in it is `mixed`, however short."""
    language = detect_language(text)
    if language != "zh":
        return language
    words = [word.lower() for word in _ENGLISH_WORD.findall(text)]
    verbs = any(word in VERB_FORMS or word in AUXILIARIES for word in words)
    if len(words) < 3 or not verbs:
        return language
    rest = text
    for name in chinese.find_names(text):
        rest = rest[: name.start] + " " * (name.end - name.start) + rest[name.end :]
    return "zh" if any(_CHINESE_FRAME.search(run) for run in _HAN_RUN.findall(rest)) else "mixed"


def _without_junk(piece: Piece, names: list[Name], links: list[Link]) -> tuple[list[Name], list[Link]]:
    """Leave out pronouns and numbers; of program text every name, of a table row the words of its header.

    A number that prose gives as a name is a port; in a row it is a value, and no relation ends at one.
    """
    if piece.form == "code" or is_code(piece.text):
        return [], []
    if piece.form == "row":
        names = [name for name in names if piece.text[name.end : name.end + 1] not in {":", "："}]
    kept = [link for link in links if not is_junk(link.source) and not is_junk(link.target)]
    return [name for name in names if not is_junk(name.text, numbers=piece.form == "row")], kept


def _mentions(text: str, names: list[Name], links: list[Link], actor: str, source: Source) -> tuple[Mention, ...]:
    """Names with their roles, then the relations' arguments that are things of their own, then the speaker."""
    sources = {link.source.lower() for link in links}
    targets = {link.target.lower() for link in links}
    mentions: dict[str, Mention] = {}
    for name in names:
        lower = name.text.lower()
        role = MentionRole.TOPIC
        if lower in sources:
            role = MentionRole.SUBJECT
        elif lower in targets:
            role = MentionRole.OBJECT
        mentions.setdefault(lower, Mention(name=name.text, type=name.type, role=role))
    if source.name and source.role == "tool":
        mentions.setdefault(source.name.lower(), Mention(name=source.name, type=EntityType.SOFTWARE, role=MentionRole.TOOL))
    elif source.name and (actor.lower() in sources or actor.lower() in targets or _speaks_of_self(text)):
        mentions.setdefault(actor.lower(), Mention(name=actor, type=EntityType.PERSON, role=MentionRole.SUBJECT))
    return tuple(mentions.values())


_SELF = frozenset("i i'm i've i'd i'll my me mine myself we we're we've we'd we'll our us i’m i’ve i’d i’ll we’re we’ve".split())


def _speaks_of_self(text: str) -> bool:
    return "我" in text or any(word.strip(".,!?;:\"'()").lower() in _SELF for word in text.split())
