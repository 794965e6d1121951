"""The extractor with language tools: English parsed by spaCy, Chinese cut into words by jieba; the rules where neither helps."""

import asyncio
import threading
from collections.abc import Sequence

from hindsight_graph.errors import MissingExtraError
from hindsight_graph.extraction import chinese_names, chinese_segmented, english, english_parsed, jieba_segmenter, spacy_parser
from hindsight_graph.extraction.assertion import read_assertion
from hindsight_graph.extraction.base import Extraction, Source
from hindsight_graph.extraction.english_clauses import holds
from hindsight_graph.extraction.english_dependencies import find_relations
from hindsight_graph.extraction.findings import Link, Name
from hindsight_graph.extraction.junk import is_code
from hindsight_graph.extraction.reading import RULES, read
from hindsight_graph.extraction.statements import Draft, Found, Sentence, draft, finish
from hindsight_graph.extraction.syntax import Parse
from hindsight_graph.extraction.tokens_en import Token, tokenise
from hindsight_graph.text.hanzi import to_simplified

_LONGEST = 220
"""Characters of a Chinese sentence that is cut into words."""


def is_installed() -> bool:
    """Whether everything that this extractor needs is installed; imports none of it."""
    return spacy_parser.is_installed() and jieba_segmenter.is_installed()


class SpacyExtractor:
    """Extracts with a parser for English and a segmenter for Chinese; loads both at its first sentence, once per process.

    Sentences of other languages, program text and table rows are read by the rules.
    """

    def __init__(self) -> None:
        """Raises MissingExtraError when spaCy, its model or jieba is not installed."""
        if not is_installed():
            raise MissingExtraError(
                "the extractor `spacy` needs spaCy, its small English model and jieba", hint="pip install 'hindsight-graph[nlp]'"
            )
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        """Name and version, recorded with what it made."""
        return f"spacy-2 ({spacy_parser.pipeline_name()}, {RULES})"

    async def extract(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source, in order; the work is done in a thread, all sentences in one batch."""
        if not sources:
            return ()
        return await asyncio.to_thread(self.extract_all, sources)

    def extract_all(self, sources: Sequence[Source]) -> tuple[Extraction, ...]:
        """Return one extraction per source, in order."""
        drafts = [draft(source) for source in sources]
        with self._one_at_a_time:
            found = _read_all(drafts)
        name = self.name
        return tuple(finish(plan, one, name) for plan, one in zip(drafts, found, strict=True))

    def extract_one(self, source: Source) -> Extraction:
        """Return what one source states, what was dropped from it, and notes."""
        return self.extract_all([source])[0]


def _is_parsed(sentence: Sentence) -> bool:
    return sentence.language in {"en", "mixed"} and sentence.piece.form in {"sentence", "item"} and not is_code(sentence.text)


def _read_all(drafts: Sequence[Draft]) -> list[list[Found]]:
    """Read the sentences of many sources; the English ones are parsed together."""
    prepared: list[tuple[str, list[Token], list[Name]]] = []
    for sentence in (sentence for plan in drafts for sentence in plan.sentences if _is_parsed(sentence)):
        tokens = tokenise(sentence.text)
        prepared.append((sentence.text, tokens, english.find_names(sentence.text, tokens)))
    parses = spacy_parser.parse(prepared) if prepared else iter(())
    ruled = iter(prepared)
    found: list[list[Found]] = []
    for plan in drafts:
        about = ""
        of_plan: list[Found] = []
        for sentence in plan.sentences:
            if _is_parsed(sentence):
                parse, (_, _, names) = next(parses), next(ruled)
                one, about = _read_english(sentence, parse, names, about)
            else:
                one, about = _read_other(sentence), ""
            of_plan.append(one)
        found.append(of_plan)
    return found


def _read_english(sentence: Sentence, parse: Parse, names: list[Name], before: str) -> tuple[Found, str]:
    """Return what an English sentence says, and what it is about."""
    links: list[Link] = []
    if sentence.states:
        links = find_relations(
            parse, sentence.actor, person=sentence.person, assertion=sentence.assertion, before=before
        ) or _by_words(sentence, parse)
    return Found(english_parsed.find_names(parse, names, links, sentence.actor), links), english_parsed.topic(
        parse, sentence.actor, before
    )


def _by_words(sentence: Sentence, parse: Parse) -> list[Link]:
    """Return what the rules' word patterns read where the parser took the verb for a noun.

    A verb that was parsed as one, and of which the grammar then said nothing, is not asked again: four of ten such relations were
    false in the development sentences.
    """
    seen = {word.lower for word in parse.words if word.is_verb}
    return [
        link
        for link in read(sentence).links
        if holds(link.source, link.type, link.target, sentence.actor)
        and link.pattern.removeprefix("en:").removesuffix(" to") not in seen
    ]


def _read_other(sentence: Sentence) -> Found:
    if sentence.language != "zh" or sentence.piece.form not in {"sentence", "item"} or len(sentence.text) > _LONGEST:
        return read(sentence)
    text = to_simplified(sentence.text)
    links, clauses = chinese_segmented.find_relations(
        text, sentence.actor, person=sentence.person, assertion=read_assertion(text)
    )
    links = links if sentence.states else []
    names = chinese_names.find_names(clauses, links)
    return Found(names, links) if text == sentence.text else _as_written(sentence.text, text, names, links)


def _as_written(text: str, simple: str, names: list[Name], links: list[Link]) -> Found:
    """Return what was found in the simplified form of a sentence in the characters that stand there."""

    def back(end: str) -> str:
        at = simple.find(end)
        return text[at : at + len(end)] if at >= 0 else end

    return Found(
        [name._replace(text=back(name.text)) for name in names],
        [link._replace(source=back(link.source), target=back(link.target)) for link in links],
    )
