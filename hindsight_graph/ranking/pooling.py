"""Evidence that lies beside a statement: its message's other statements, and the turns before and after.

A message or passage is remembered as several short statements. Each alone may hold one of the question's words; together they
answer it. So the best statement of each episode speaks for the whole of it, and the others stand for themselves: a passage is
found as a passage, and does not fill the answer with its sentences. Turns answer each other: a reply rarely repeats the
question's words, so each turn gains from its neighbours.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.ranking.bm25 import bm25

__all__ = [
    "NEIGHBOUR_SHARES",
    "POOL_B",
    "POOL_K1",
    "POOL_OWN",
    "Groups",
    "Place",
    "leaders",
    "nearby_places",
    "neighbour_values",
    "pool",
    "squared",
]

Floats = NDArray[np.float64]
Groups = NDArray[np.intp]
Place = tuple[str, int]
"""Session id and sequence number of a turn."""

POOL_K1 = 1.5
POOL_B = 0.9
POOL_OWN = 0.5
"""Share of the best statement's own score in its episode's; these three from docs/ranking.md."""
NEIGHBOUR_SHARES = (1.0, 0.375)
"""What a turn gains from turns one and two places away, before the profile's weight (docs/ranking.md)."""


def leaders(scores: Floats, groups: Groups) -> NDArray[np.bool_]:
    """Return which candidates lead their group: the first with its highest score."""
    order = np.lexsort((np.arange(len(scores)), -scores, groups))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = groups[order][1:] != groups[order][:-1]
    lead = np.zeros(len(order), dtype=np.bool_)
    lead[order[first]] = True
    return lead


def pool(
    counts: Floats,
    lengths: Floats,
    idf: Floats,
    own: Floats,
    groups: Groups,
    *,
    k1: float = POOL_K1,
    b: float = POOL_B,
    own_share: float = POOL_OWN,
) -> Floats:
    """Return keyword scores in which each group's leader has BM25 of the group's joined statements + own_share x its own score.

    Args:
        counts: Occurrences, shape (candidates, terms).
        lengths: All terms of each candidate, shape (candidates,).
        idf: Weight per term, shape (terms,).
        own: BM25 of each candidate alone, shape (candidates,).
        groups: Number of each candidate's episode, 0..n-1, shape (candidates,).
        k1: Of the joined score, above 0.
        b: Of the joined score, 0..1.
        own_share: See above.
    """
    if not len(own):
        return own
    number = int(groups.max()) + 1
    joined = np.zeros((number, counts.shape[1]))
    np.add.at(joined, groups, counts)
    sizes = np.bincount(groups, weights=lengths, minlength=number).astype(np.float64)
    whole = bm25(joined, sizes, idf, float(sizes.mean()), k1=k1, b=b)
    return np.where(leaders(own, groups), whole[groups] + own_share * own, own)


def nearby_places(places: Sequence[Place], reach: int = len(NEIGHBOUR_SHARES)) -> tuple[Place, ...]:
    """Return the places at most `reach` turns before or after these, without these; in order, each once."""
    have = set(places)
    near = {
        (session, number + step): None for session, number in places for step in range(-reach, reach + 1) if number + step >= 0
    }
    return tuple(place for place in near if place not in have)


def squared(strength: Mapping[Place, float]) -> dict[str, dict[int, float]]:
    """Return the squared strength of each turn, by session and number.

    Squared, because one turn that answers well says more about its neighbours than four that share a word with the question.
    """
    squares: dict[str, dict[int, float]] = {}
    for (session, number), value in strength.items():
        squares.setdefault(session, {})[number] = value**2
    return squares


def neighbour_values(
    squares: Mapping[str, Mapping[int, float]], place: Place, shares: Sequence[float] = NEIGHBOUR_SHARES
) -> float:
    """Return what the turn at `place` gains: the `squared` strengths of the turns around it, each times its distance's share."""
    session, number = place
    turns = squares.get(session, {})
    if len(turns) <= 1 and number in turns:
        return 0.0
    return sum(
        [
            share * (turns.get(number - distance, 0.0) + turns.get(number + distance, 0.0))
            for distance, share in enumerate(shares, start=1)
        ]
    )
