"""The form in which a very long term is indexed, where an index cuts long words."""

from hashlib import sha256

TERM_LIMIT = 200
"""Characters of a term that are indexed as they are; Lucene's tokenizers cut words at 255."""


def indexed_form(term: str) -> str:
    """Return the word a term is indexed as: itself, or its hash when it is very long."""
    return term if len(term) <= TERM_LIMIT else f"{term[:8]}~{sha256(term.encode()).hexdigest()[:16]}"
