"""The rule extractor: sources become statements without a model, English and Chinese."""

from collections.abc import Sequence

from hindsight_graph.extraction.base import Extraction, Source
from hindsight_graph.extraction.reading import RULES, read
from hindsight_graph.extraction.statements import draft, finish
from hindsight_graph.extraction.tokens_en import shape_of
from hindsight_graph.models.enums import EntityType


class RuleExtractor:
    """Extracts by patterns; no model, no network, no state. Linear in the text, about 2,000 short sentences a second."""

    @property
    def name(self) -> str:
        """Name and version, recorded with what it made."""
        return RULES

    async def extract(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source, in order."""
        return tuple(self.extract_one(source) for source in sources)

    def extract_one(self, source: Source) -> Extraction:
        """Return what one source states, what was dropped from it, and notes."""
        plan = draft(source)
        return finish(plan, [read(sentence) for sentence in plan.sentences], self.name)


def type_of(name: str) -> EntityType:
    """Return the type of a name that a caller stated, by its form alone."""
    return shape_of(name) or EntityType.OTHER
