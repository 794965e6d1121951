"""Of several statements that answer the same question about the same thing, the one that holds now comes first.

Words and vectors prefer the statement that is worded like the question, whenever it was made. Where a question asks how things
are, statements among the best that cover it about as well and hold an answer of the kind asked for are rivals; each is lifted
just above those that are older. Nothing else moves, so what is found stays found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_COVER", "LEAST_SCORE", "LOOKED_AT", "Rivals", "lifts"]

Floats = NDArray[np.float64]

LOOKED_AT = 20
"""Of the best results, how many may be rivals."""
FIRST = 10
"""From this rank on a rival must cover all that the best covering statement does: with 0.6 for all HotpotQA lost a point."""
LEAST_COVER = 0.6
"""How much of the best covering statement's share of the question a rival covers at least."""
LEAST_SCORE = 0.4
"""Of the best score, what the newest rival has at least, to be lifted over results that hold no such answer."""
_ABOVE = 1e-3


@dataclass(frozen=True, slots=True)
class Rivals:
    """What is known of the best results; arrays and sequences of shape (candidates,).

    Attributes:
        totals: Scores.
        cover: How much of the question each statement covers, 0 and up.
        holds: Whether it holds an answer of the kind asked for.
        since: From when it holds.
        outright: The kind is told by the question, so that what holds no such answer is none.
    """

    totals: Floats
    cover: Floats
    holds: Sequence[bool]
    since: Sequence[datetime]
    outright: bool


def lifts(given: Rivals) -> tuple[Floats, NDArray[np.int64]]:
    """Return what to add to each score, and how many older rivals each one passes; shape (candidates,) both."""
    totals, since = given.totals, given.since
    added, passed = np.zeros(len(totals)), np.zeros(len(totals), dtype=np.int64)
    best: list[int] = np.argsort(-totals, kind="stable")[:LOOKED_AT].tolist()
    if not best:
        return added, passed
    whole = float(given.cover[best].max())
    least = [LEAST_COVER * whole] * FIRST + [whole] * (LOOKED_AT - FIRST)
    rivals = [at for at, cover in zip(best, least, strict=False) if given.holds[at] and given.cover[at] >= cover > 0]
    if not rivals or not (best[0] in rivals or given.outright):
        return added, passed
    rivals.sort(key=lambda at: (since[at], totals[at]))
    highest = -np.inf
    for number, at in enumerate(rivals):
        reached = float(totals[at])
        if number and since[at] > since[rivals[0]]:
            reached = max(reached, highest + _ABOVE)
            passed[at] = number
        if number == len(rivals) - 1 and reached >= LEAST_SCORE * float(totals[best[0]]):
            reached = max(reached, float(totals[best[0]]) + (_ABOVE if best[0] != at else 0.0))
        added[at] = reached - float(totals[at])
        highest = max(highest, reached)
    return added, passed
