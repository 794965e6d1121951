"""How age counts."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.models.enums import Kind

__all__ = ["HALF_LIFE_DAYS", "by_hours", "by_kind", "halving"]

Floats = NDArray[np.float64]

HALF_LIFE_DAYS: Mapping[Kind, float | None] = {
    Kind.ACTION: 30.0,
    Kind.RESULT: 30.0,
    Kind.EXPERIENCE: 90.0,
    Kind.FACT: 180.0,
    Kind.PREFERENCE: None,
    Kind.CONSTRAINT: None,
    Kind.STRATEGY: None,
}
"""Days after which the recency of a kind has halved, for `balanced`; None does not age. What was done ages in weeks, what is in
months, what is wanted or forbidden not at all."""


def by_hours(hours: Floats, rate: float = 0.01) -> Floats:
    """Return exp(-rate x hours): the `additive` profile's recency (promise R-02); a future time counts as now."""
    return np.exp(-rate * np.maximum(hours, 0.0))


def halving(hours: Floats, half_life_days: float = 7.0) -> Floats:
    """Return 0.5 ** (age / half-life): the `multiplicative` profile's decay (promise R-02)."""
    return np.exp2(-np.maximum(hours, 0.0) / (24.0 * half_life_days))


def by_kind(hours: Floats, kinds: Sequence[Kind]) -> Floats:
    """Return 0.5 ** (age / half-life of the kind), 1 for kinds that do not age."""
    rates = np.array([0.0 if (life := HALF_LIFE_DAYS[kind]) is None else 1.0 / (24.0 * life) for kind in kinds])
    return np.exp2(-np.maximum(hours, 0.0) * rates)
