"""The rule extractor: sources become statements without a model, English and Chinese."""

from collections.abc import Sequence

from hindsight_graph.extraction import chinese, chinese_relations, english, english_relations
from hindsight_graph.extraction.base import Extraction, Source
from hindsight_graph.extraction.statements import Found, Sentence, draft, finish
from hindsight_graph.extraction.tokens_en import shape_of, tokenise
from hindsight_graph.models.enums import EntityType

NAME = "rules-2"


class RuleExtractor:
    """Extracts by patterns; no model, no network, no state. Linear in the text, about 2,000 short sentences a second."""

    @property
    def name(self) -> str:
        """Name and version, recorded with what it made."""
        return NAME

    async def extract(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source, in order."""
        return tuple(self.extract_one(source) for source in sources)

    def extract_one(self, source: Source) -> Extraction:
        """Return what one source states, what was dropped from it, and notes."""
        plan = draft(source)
        return finish(plan, [read(sentence) for sentence in plan.sentences])


def read(sentence: Sentence) -> Found:
    """Return the names and relations of one sentence by rules alone."""
    text = sentence.text
    if sentence.language == "zh":
        return Found(chinese.find_names(text), _chinese_links(sentence))
    tokens = tokenise(text)
    names = english.find_names(text, tokens)
    links = (
        english_relations.find_relations(text, tokens, sentence.actor, person=sentence.person, assertion=sentence.assertion)
        if sentence.states
        else []
    )
    if sentence.language == "mixed":
        taken = [(name.start, name.end) for name in names]
        names = names + [
            name
            for name in chinese.find_names(text)
            if not (name.text.isascii() and name.text.isalpha() and name.text.islower() and shape_of(name.text) is None)
            and all(name.end <= start or name.start >= end for start, end in taken)
        ]
        links = links or _chinese_links(sentence)
    return Found(names, links)


def _chinese_links(sentence: Sentence) -> list[chinese_relations.Link]:
    if not sentence.states:
        return []
    return chinese_relations.find_relations(
        sentence.text, sentence.actor, person=sentence.person, assertion=sentence.assertion
    )


def type_of(name: str) -> EntityType:
    """Return the type of a name that a caller stated, by its form alone."""
    return shape_of(name) or EntityType.OTHER
