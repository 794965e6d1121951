"""What the analysers of both languages find in a sentence."""

from typing import NamedTuple

from hindsight_graph.models.enums import EntityType, RelationType


class Name(NamedTuple):
    """A name in a sentence: characters [start, end) of it."""

    text: str
    start: int
    end: int
    type: EntityType = EntityType.OTHER


class Link(NamedTuple):
    """A relation in a sentence, between words as written; `pattern` names the rule that found it."""

    source: str
    type: RelationType
    target: str
    pattern: str
    confidence: float = 0.9
