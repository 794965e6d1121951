"""Which few statements stand for many: SumBasic (Nenkova and Vanderwende 2005) on index terms.

A statement's worth is the mean probability of its terms in the whole set; each chosen statement squares the probability of its
own terms, so that the next one says something else. No model, the same result each time, any language that has terms.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

__all__ = ["Statement", "most_central"]

_LEAST_TERMS = 4
"""Terms over which a shorter statement's worth is spread, so that one frequent word alone is no summary."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What the choice needs to know of a statement.

    Attributes:
        terms: Its index terms, and names of its entities. factor: multiplies its worth, > 0. tokens: what it costs.
    """

    terms: tuple[str, ...]
    factor: float
    tokens: int


def most_central(statements: Sequence[Statement], budget: int) -> tuple[int, ...]:
    """Return the places of the statements to keep, best first, their tokens together at most `budget`; ties go to the earlier."""
    kinds = [frozenset(statement.terms) for statement in statements]
    counts = Counter(term for terms in kinds for term in terms)
    total = sum(counts.values()) or 1
    probability = {term: count / total for term, count in counts.items()}

    def worth(at: int) -> float:
        terms = kinds[at]
        return statements[at].factor * sum(probability[term] for term in terms) / max(len(terms), _LEAST_TERMS)

    # Worth only falls as statements are chosen, so the best of the heap is the best of all once it was measured anew.
    heap = [(-worth(at), at) for at, statement in enumerate(statements) if statement.tokens <= budget]
    heapify(heap)
    chosen: list[int] = []
    while heap:
        _, at = heappop(heap)
        if statements[at].tokens > budget:
            continue
        now = (-worth(at), at)
        if heap and now > heap[0]:
            heappush(heap, now)
            continue
        chosen.append(at)
        budget -= statements[at].tokens
        for term in kinds[at]:
            probability[term] **= 2
    return tuple(chosen)
