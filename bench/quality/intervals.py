"""How sure a figure is: bootstrap intervals over questions (Efron 1979), paired where two ways answer the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "difference", "mean"]

RESAMPLES = 2000
SEED = 20_240_607
LEVEL = 95.0


@dataclass(frozen=True)
class Interval:
    """A mean in percent with its 95 % percentile interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.1f} [{self.low:.1f}, {self.high:.1f}]"

    def as_list(self) -> list[float]:
        """Return value, low, high to one decimal."""
        return [round(number, 1) for number in (self.value, self.low, self.high)]


def mean(scores: Sequence[float]) -> Interval:
    """Return the mean of scores, 0..1 each, in percent; an empty sequence has no mean and is refused by numpy's warning."""
    return _interval(np.asarray(scores, dtype=np.float64))


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """Return the mean of ours - theirs, question by question, in percentage points. Raises ValueError for unequal lengths."""
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} and {len(theirs)} answers are not to the same questions")
    return _interval(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64))


def _interval(scores: NDArray[np.float64]) -> Interval:
    generator = np.random.default_rng(SEED)
    drawn = generator.integers(0, len(scores), size=(RESAMPLES, len(scores)))
    means = 100 * scores[drawn].mean(axis=1)
    low, high = np.percentile(means, [(100 - LEVEL) / 2, (100 + LEVEL) / 2])
    return Interval(100 * float(scores.mean()), float(low), float(high))
