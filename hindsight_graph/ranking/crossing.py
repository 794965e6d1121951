"""Comparing across languages: what a language adds to every vector is subtracted before question and memory are compared.

With multilingual-e5-small, pairs of our own and half of the memories in each language (bench/crosslang.py), by vectors alone: a
Chinese question had the English memory that answers it among the first five in none of 44 cases, after subtracting in all.
Of the ways tried (cosine or product, means of the store or of fixed sentences, all memories or only those of the other language)
the product with the means of fixed sentences cost questions in the memories' own language little, and asks nothing of the store.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["across", "other_language", "towards"]

Floats = NDArray[np.float64]
Vector = NDArray[np.float32]

_EMPHASIS = 2.0
"""Weight of what the question says against the pull to the other language, when candidates are looked for there."""

MARGIN = 0.3
"""What a memory of another language must be better by, in standard deviations of the candidates: at equal sense the asker's own
language wins. Of 0, 0.3, 0.6 and 1 on the first half of the pairs, 0.3 gave the asker's language its first places back and took
none from the other (bench/crosslang.py)."""


def other_language(language: str) -> str | None:
    """Return the language beside English and Chinese that a question in one of them may be answered in; None for others."""
    return {"en": "zh", "zh": "en"}.get(language)


def towards(question: Vector, own: Vector, other: Vector) -> Vector:
    """Return the vector to look for memories of another language with, of length 1.

    Args:
        question: Of the question.
        own: Mean of questions in its language.
        other: Mean of passages in the other language.
    """
    moved = _EMPHASIS * (question - own) + other
    return (moved / np.linalg.norm(moved)).astype(np.float32)


def across(
    question: Vector, language: str, questions: Mapping[str, Vector], rows: NDArray[np.float32], languages: Sequence[str],
    passages: Mapping[str, Vector], plain: Floats,
) -> Floats:  # fmt: skip
    """Return a similarity that languages do not tilt, in the range of the plain cosines, shape (rows,).

    Args:
        question: Of the question.
        language: Of the question.
        questions: Mean of questions by language.
        rows: Vectors of the candidates, shape (rows, dimension).
        languages: Of each.
        passages: Mean of passages by language; a candidate in none of them is compared with the mean of those means.
        plain: Cosines of the candidates, whose mean and spread the result gets: it stays comparable with other recalls.
    """
    common = np.mean(list(passages.values()), axis=0)
    means = np.array([passages.get(one, common) for one in languages])
    products = ((rows - means) @ (question - questions[language])).astype(np.float64)
    spread = float(products.std())
    if spread < 1e-9:
        return plain
    foreign = np.array([one != language for one in languages])
    scaled = (products - products.mean()) / spread - MARGIN * foreign
    return scaled * float(plain.std()) + float(plain.mean())
