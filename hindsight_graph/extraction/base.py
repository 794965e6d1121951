"""The extraction port: a piece of text in, statements out."""

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from hindsight_graph.llm.base import Exchange
from hindsight_graph.models.base import SUMMARY_LIMIT, Model, UtcDatetime
from hindsight_graph.models.enums import Kind, Outcome
from hindsight_graph.models.memory import Mention, Relation, Slot


class Source(Model):
    """What an extractor reads: one message or document part, and who said it.

    Attributes:
        role, name: As in the message. text: its content.
        previous: The text before it in the same conversation, for context only; may be empty.
        title: Heading of a document, else empty.
        keep_all: True for documents and stated facts: nothing is dropped as small talk.
    """

    text: str
    role: str = "user"
    name: str | None = None
    previous: str = ""
    title: str = ""
    occurred_at: UtcDatetime | None = None
    keep_all: bool = False


class Statement(Model):
    """One statement: a sentence in the source's words.

    Attributes:
        summary: At most 200 characters, the source's language and wording, negation kept.
        negated: The statement denies or forbids something.
        confidence: 0..1; uncertainty in the words ("maybe", "可能") lowers it.
        start, end: Where in the source text it stands.
    """

    summary: str = Field(max_length=SUMMARY_LIMIT)
    kind: Kind = Kind.FACT
    language: str = "en"
    negated: bool = False
    mentions: tuple[Mention, ...] = ()
    relations: tuple[Relation, ...] = ()
    slot: Slot | None = None
    confidence: float = Field(default=0.9, ge=0, le=1)
    outcome: Outcome | None = None
    error_code: str | None = None
    tools: tuple[str, ...] = ()
    start: int = 0
    end: int = 0


class Dropped(Model):
    """Text that was not kept, and why: `greeting`, `confirmation`, `small talk`, `question`, `too short`, `recalled`."""

    text: str
    reason: str


class Extraction(Model):
    """What came out of one source.

    Attributes:
        exchanges: The requests to a model for it, or for it and those after it.
        extractor: Name and version of what read it.
    """

    statements: tuple[Statement, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    extractor: str = ""


class Extractor(Protocol):
    """Turns sources into statements; order in, order out."""

    @property
    def name(self) -> str:
        """Name and version, recorded with what it made."""
        ...

    async def extract(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source. Raises ExtractionError."""
        ...
