"""Bring the channels to one scale.

The fused score is a weighted sum of scaled channels. On LoCoMo, reciprocal rank fusion with equal weights (k = 60; Cormack et
al. 2009) did not beat BM25 alone; the min-max sum did (docs/ranking.md).
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_maximum", "min_max"]

Floats = NDArray[np.float64]


def by_maximum(values: Floats) -> Floats:
    """Return values over their maximum: 0..1 for non-negative scores whose zero means "nothing found"."""
    top = float(values.max(initial=0.0))
    return np.maximum(values, 0.0) / top if top > 0 else np.zeros_like(values)


def min_max(values: Floats) -> Floats:
    """Return (value - least) / (most - least); missing values (NaN) count as least, equal ones as 1 where positive."""
    known = values[~np.isnan(values)]
    if not known.size:
        return np.zeros_like(values)
    least, most = float(known.min()), float(known.max())
    filled = np.where(np.isnan(values), least, values)
    if most - least < 1e-9:
        return (~np.isnan(values) & (values > 0)).astype(np.float64)
    return (filled - least) / (most - least)
