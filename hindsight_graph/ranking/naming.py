"""Whole names count, parts of them count less.

A question names "Alder gateway"; every other gateway holds one of the two words, and in a script without spaces every name that
shares two characters in a row looks alike. A text that holds only a part of a known name is more often about something else.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["PART_SHARE", "weigh_parts"]

Floats = NDArray[np.float64]

PART_SHARE = 0.5
"""What the words of a name count in a text that does not hold all of them (docs/ranking.md)."""


def weigh_parts(
    counts: Floats, groups: NDArray[np.intp], terms: Sequence[str], names: Sequence[frozenset[str]], share: float = PART_SHARE
) -> Floats:
    """Return term counts in which the words of a name count less in texts that do not hold the whole name.

    Args:
        counts: Occurrences, shape (candidates, terms).
        groups: Number of the text each candidate belongs to, 0..n-1, shape (candidates,).
        terms: Of the question, one per column.
        names: Terms of each known thing that the question names.
        share: 0..1, see `PART_SHARE`.
    """
    if not len(counts):
        return counts
    weighed = counts
    for name in names:
        columns = [at for at, term in enumerate(terms) if term in name]
        if len(columns) < 2:
            continue
        held = np.zeros((int(groups.max()) + 1, len(columns)))
        np.maximum.at(held, groups, counts[:, columns])
        part = held.min(axis=1)[groups] == 0
        weighed = weighed.copy() if weighed is counts else weighed
        weighed[:, columns] = np.where(part[:, np.newaxis], share * weighed[:, columns], weighed[:, columns])
    return weighed
