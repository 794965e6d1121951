"""One sentence read by rules alone, English or Chinese."""

from hindsight_graph.extraction import chinese, chinese_relations, english, english_relations
from hindsight_graph.extraction.findings import Link
from hindsight_graph.extraction.statements import Found, Sentence
from hindsight_graph.extraction.tokens_en import shape_of, tokenise

RULES = "rules-2"
"""Name and version of the rules; a change that reads otherwise counts it up."""


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


def _chinese_links(sentence: Sentence) -> list[Link]:
    if not sentence.states:
        return []
    return chinese_relations.find_relations(sentence.text, sentence.actor, person=sentence.person, assertion=sentence.assertion)
