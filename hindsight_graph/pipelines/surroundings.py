"""What is indexed with a message's first statement besides its speaker: the question it answers, and its own words left out.

A reply rarely repeats the words of the question before it, and questions are not kept as statements; so the reply is found by
both. Worth 10 points of recall@10 on LoCoMo (docs/ranking.md). It is indexed, never shown as the statement.
"""

from collections.abc import Iterable

from hindsight_graph.text.language import split_sentences

__all__ = ["asked_in", "surroundings"]

_LIMIT = 300
"""Characters of each part at most: a context that outweighs its statement drowns it."""
_MARKS = "?？"


def asked_in(text: str) -> str:
    """Return the questions in a message, joined; the last ones where they are long."""
    spans = split_sentences(text) if any(mark in text for mark in _MARKS) else []
    asked = [text[start:end] for start, end in spans if text[start:end].rstrip("\"'”’」』）)").endswith(tuple(_MARKS))]
    return " ".join(asked)[-_LIMIT:].strip()


def surroundings(speaker: str | None, left_out: Iterable[str], previous: str) -> str:
    """Return the context of a message's first statement.

    Args:
        speaker: Who said it.
        left_out: Its own sentences that became no statement.
        previous: The message before it in the same session, empty for none.
    """
    own = " ".join(left_out)[:_LIMIT].strip()
    return " ".join(part for part in (speaker or "", asked_in(previous), own) if part)
