"""Extraction by an LLM: one call with a schema per chunk of a conversation; where its answer does not hold, the rules take over.

The model words, types and joins; polarity, slots, outcomes and error codes are read off its sentences by the rules, so that the
same things are the same whoever wrote them down.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hindsight_graph.extraction.base import Dropped, Extraction, Extractor, Source, Statement
from hindsight_graph.extraction.pieces import Piece, cut_pieces
from hindsight_graph.extraction.smalltalk import drop_reason
from hindsight_graph.extraction.tone import is_negated
from hindsight_graph.llm.asking import Asker
from hindsight_graph.llm.prompts import Prompts
from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.models.enums import Kind, MentionRole, RelationType
from hindsight_graph.models.memory import Mention, Relation
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.sketch import similarity
from hindsight_graph.text.tokens import index_terms

__all__ = ["CHUNK", "ModelExtractor"]

CHUNK = 4_000
"""Characters of the messages that one call is asked about; a longer message is the rules' work."""
_MESSAGES = 20
"""Messages of one call at most."""
_STATEMENTS = 60
_AT_ONCE = 4
"""Calls under way at the same time."""
_GROUNDED = 0.3
"""Share of a statement's terms that its message must hold: below, it says something the message does not."""
_KINDS = Literal["fact", "preference", "action", "result", "constraint"]
_RELATIONS = Literal[
    "DEPENDS_ON", "CAUSES", "FIXES", "USES", "AVOIDS", "PREFERS", "REPLACES", "PART_OF", "PRODUCES", "PRECEDES", "OWNS",
    "LOCATED_IN", "RELATED_TO",
]  # fmt: skip


class _Relation(BaseModel):
    source: str = Field(min_length=1, max_length=100)
    type: _RELATIONS
    target: str = Field(min_length=1, max_length=100)


class _Stated(BaseModel):
    message: int = Field(ge=1, le=_MESSAGES)
    text: str = Field(min_length=1, max_length=SUMMARY_LIMIT)
    kind: _KINDS
    entities: list[Annotated[str, Field(max_length=100)]] = Field(max_length=12)
    relations: list[_Relation] = Field(max_length=8)
    confidence: float = Field(ge=0, le=1)


class _Found(BaseModel):
    statements: list[_Stated] = Field(max_length=_STATEMENTS)


class ModelExtractor:
    """Extracts by asking a model, with an extractor by rules beside it.

    Args:
        asker: Asks the model. prompts: What it is told.
        rules: Takes over where the model fails, and reads the model's own sentences.
    """

    def __init__(self, asker: Asker, prompts: Prompts, rules: Extractor) -> None:
        self._asker = asker
        self._prompts = prompts
        self._rules = rules
        self._free = asyncio.Semaphore(_AT_ONCE)

    @property
    def name(self) -> str:
        """The model's name and the rules', recorded with what they made."""
        return f"{self._asker.name}+{self._rules.name}"

    async def extract(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source, in order; a note says where the rules took over, and why."""
        by_rules = await self._rules.extract(sources)
        made = list(by_rules)
        chunks = list(_chunks(sources, by_rules))
        answered = await asyncio.gather(*(self._ask(sources, by_rules, chunk) for chunk in chunks))
        for chunk, found in zip(chunks, answered, strict=True):
            for index, extraction in zip(chunk, found, strict=True):
                made[index] = extraction
        return tuple(made)

    async def _ask(self, sources: Sequence[Source], by_rules: Sequence[Extraction], chunk: Sequence[int]) -> list[Extraction]:
        """Return the extractions of one chunk of sources."""
        own = [sources[index] for index in chunk]
        ruled = [by_rules[index] for index in chunk]
        question = "\n".join(
            f"[{number}] {source.role}{f' {source.name}' if source.name else ''}: {' '.join(source.text.split())}"
            for number, source in enumerate(own, start=1)
        )
        before = own[0].previous.strip()[-300:]
        if before:
            question = f"(before, for context only: {' '.join(before.split())})\n{question}"
        tongue = "zh" if detect_language(" ".join(source.text for source in own)) in ("zh", "mixed") else "en"

        def check(found: _Found) -> str | None:
            return _fault(found, own, ruled)

        async with self._free:
            answer = await self._asker.ask("extraction", self._prompts.of("extraction", tongue), question, _Found, check)
        if answer.value is None:
            note = f"{_named(len(own))} read by rules: {self._asker.name} gave no usable answer ({answer.fault})"
            first = ruled[0].model_copy(update={"notes": (*ruled[0].notes, note), "exchanges": answer.exchanges})
            return [first, *ruled[1:]]
        by_source: list[list[_Stated]] = [[] for _ in own]
        for stated in answer.value.statements:
            by_source[stated.message - 1].append(stated)
        made = [await self._joined(*each) for each in zip(own, ruled, by_source, strict=True)]
        made[0] = made[0].model_copy(update={"exchanges": answer.exchanges})
        return made

    async def _joined(self, source: Source, ruled: Extraction, found: Sequence[_Stated]) -> Extraction:
        """Return what the model stated of one source, checked against its words; the rest of it as the rules read it."""
        pieces = cut_pieces(source.text)
        statements: list[Statement] = []
        notes: list[str] = []
        told = [stated.text for stated in found]
        read = await self._rules.extract([source.model_copy(update={"text": text, "keep_all": True}) for text in told])
        for stated, own in zip(found, read, strict=True):
            piece = _nearest(stated.text, pieces)
            if piece is None:
                notes.append("a statement of the model was left out: the message does not say it")
            elif is_negated(piece.text) != is_negated(stated.text):
                notes.append("a statement of the model turned a negation round: the rules' reading was taken")
                statements.extend(item for item in ruled.statements if item.start == piece.start)
            else:
                statements.append(_statement(stated, piece, source, own))
        if not statements and found:
            return ruled.model_copy(update={"notes": (*ruled.notes, *notes)})
        dropped = ruled.dropped
        if not statements and ruled.statements:
            dropped = (*dropped, Dropped(text=source.text[:SUMMARY_LIMIT], reason="nothing lasting in it, says the model"))
        unique = {item.summary.casefold(): item for item in statements}
        return Extraction(
            statements=tuple(unique.values()), dropped=dropped, notes=tuple(dict.fromkeys(notes)), extractor=self.name
        )


def _chunks(sources: Sequence[Source], by_rules: Sequence[Extraction]) -> Iterable[tuple[int, ...]]:
    """Yield the positions of sources that are asked about together; small talk and what is too long stay with the rules.

    Only messages of people and agents are asked about: a tool's result is data, and read as it stands.
    """
    chunk: list[int] = []
    size = 0
    for index, (source, ruled) in enumerate(zip(sources, by_rules, strict=True)):
        if source.role == "tool" or len(source.text) > CHUNK or not ruled.statements or drop_reason(source.text):
            continue
        if chunk and (size + len(source.text) > CHUNK or len(chunk) == _MESSAGES):
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(index)
        size += len(source.text)
    if chunk:
        yield tuple(chunk)


def _fault(found: _Found, sources: Sequence[Source], ruled: Sequence[Extraction]) -> str | None:
    """Return what is wrong with an answer as a whole, in words for the model."""
    if not found.statements:
        firm = any(_is_firm(item) for extraction in ruled for item in extraction.statements)
        return "it leaves out what the messages state plainly" if firm else None
    for stated in found.statements:
        if stated.message > len(sources):
            return f"there is no message {stated.message}"
        told, asked = detect_language(stated.text), detect_language(sources[stated.message - 1].text)
        if {told, asked} == {"en", "zh"}:
            return f"statement “{stated.text[:60]}” is not in the language of message {stated.message}"
    if all(_nearest(stated.text, cut_pieces(sources[stated.message - 1].text)) is None for stated in found.statements):
        return "none of its statements is what the messages say"
    return None


def _is_firm(statement: Statement) -> bool:
    """Whether the rules read more than words off a statement: leaving it out is a loss."""
    return statement.kind is not Kind.FACT or bool(statement.relations) or statement.slot is not None or statement.negated


def _nearest(text: str, pieces: Sequence[Piece]) -> Piece | None:
    """Return the piece of the source that a statement words anew; None when none is near."""
    terms = index_terms(text)
    if not pieces or not terms:
        return None
    held = {term for piece in pieces for term in index_terms(piece.text)}
    if sum(term in held for term in terms) < _GROUNDED * len(terms):
        return None
    return max(pieces, key=lambda piece: (similarity(terms, index_terms(piece.text)), -piece.start))


def _statement(stated: _Stated, piece: Piece, source: Source, own: Extraction) -> Statement:
    """Return a model's sentence as a statement: names that its message holds, relations between them, the rest by the rules."""
    said = f"{source.text} {source.name or ''}".casefold()
    names = [
        name for name in dict.fromkeys(" ".join(name.split()) for name in stated.entities) if name and name.casefold() in said
    ]
    relations = tuple(
        Relation(
            source=item.source, type=RelationType(item.type), target=item.target, pattern="llm", confidence=stated.confidence
        )
        for item in stated.relations
        if item.source.casefold() in said and item.target.casefold() in said and item.source.casefold() != item.target.casefold()
    )
    subjects, objects = ({end.casefold() for end in ends} for ends in _ends(relations))
    typed = {mention.name.casefold(): mention for item in own.statements for mention in item.mentions}
    mentions: dict[str, Mention] = {}
    for name in (*names, *(end for relation in relations for end in (relation.source, relation.target))):
        key = name.casefold()
        role = MentionRole.SUBJECT if key in subjects else MentionRole.OBJECT if key in objects else MentionRole.TOPIC
        kind = {"type": typed[key].type} if key in typed else {}
        mentions.setdefault(key, Mention(name=name, role=role, **kind))
    base = (
        own.statements[0] if len(own.statements) == 1 else Statement(summary=stated.text, language=detect_language(stated.text))
    )
    return base.model_copy(
        update={
            "summary": " ".join(stated.text.split()),
            "kind": Kind(stated.kind),
            "negated": is_negated(stated.text),
            "mentions": tuple(mentions.values()) or base.mentions,
            "relations": relations or base.relations,
            "confidence": round(min(stated.confidence, base.confidence), 3),
            "start": piece.start,
            "end": piece.end,
        }
    )


def _ends(relations: Sequence[Relation]) -> tuple[list[str], list[str]]:
    return [relation.source for relation in relations], [relation.target for relation in relations]


def _named(count: int) -> str:
    return "1 message was" if count == 1 else f"{count} messages were"
