"""Does a memory state the very slot that a question asks for? "What is the port of the staging ledger?": a subject, an attribute.

A wordy text that repeats the question scores as high by words as the statement that answers it. A slot says which is which.
"""

import re

from hindsight_graph.models.memory import Slot
from hindsight_graph.text.tokens import index_terms

__all__ = ["asks_about_self", "slot_share"]

_SELF = re.compile(r"\b(?:i|me|my|mine)\b|我", re.IGNORECASE)
_SPEAKERS = frozenset({"user", "用户"})
"""Subjects of slots that a speaker without a name states about himself (`extraction/slots.py`)."""


def asks_about_self(question: str) -> bool:
    """Whether the speaker asks about himself: "what is my time zone?"."""
    return _SELF.search(question) is not None


def slot_share(slot: Slot | None, words: frozenset[str], *, about_self: bool) -> float:
    """Return how much of a question a slot accounts for: the share of its words that name the slot's subject and attribute, 0..1.

    0 unless the question names both whole. So of "ledger / port" and "staging ledger / port" the second answers "the port of the
    staging ledger" better.

    Args:
        slot: What the memory states.
        words: The question's terms.
        about_self: The speaker asks about himself, so that "user" is named.
    """
    if slot is None or not words:
        return 0.0
    attribute = words.intersection(index_terms(slot.attribute))
    if not attribute.issuperset(index_terms(slot.attribute)):
        return 0.0
    subject = words.intersection(index_terms(slot.subject))
    if not subject.issuperset(index_terms(slot.subject)) and not (about_self and slot.subject in _SPEAKERS):
        return 0.0
    return len(attribute | subject) / len(words)
