"""How sure a strategy is, from discounted counts, and how weights move with outcomes and time."""

import math

from pydantic import Field

from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Outcome

__all__ = ["WeightPolicy", "beta_mean", "decayed", "discount", "first_weight", "moved", "wilson"]

_Z95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def beta_mean(success: float, failure: float) -> float:
    """Return the posterior mean of a success rate with a uniform prior: (1 + s) / (2 + s + f) (Laplace's rule of succession)."""
    return (1 + success) / (2 + success + failure)


def wilson(success: float, failure: float) -> tuple[float, float]:
    """Return the Wilson score interval at 95 % of a proportion, (0, 1) for no counts (Wilson 1927, JASA 22).

    centre = (p + z^2 / 2n) / (1 + z^2 / n), half = z / (1 + z^2 / n) * sqrt(p (1 - p) / n + z^2 / 4n^2).
    """
    count = success + failure
    if count <= 0:
        return 0.0, 1.0
    share = success / count
    scale = 1 + _Z95**2 / count
    centre = (share + _Z95**2 / (2 * count)) / scale
    half = _Z95 / scale * math.sqrt(share * (1 - share) / count + _Z95**2 / (4 * count**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def discount(newer: int, half_life: float) -> float:
    """Return what an observation still counts after `newer` later ones on the same matter: 0.5 ** (newer / half_life)."""
    return 0.5 ** (newer / half_life)


class WeightPolicy(Model):
    """The numbers of promise X-09.

    Attributes:
        confirmed, unconfirmed, success, failure: First weight of a memory confirmed by the user; of one that automatic reflection
            extracted, until a person confirms it; of other successes; of other failures (a partial outcome counts as one).
        weekly_decay: Factor for each whole week without retrieval. floor: it is held there, marked to archive, not recalled.
        step: Change by the outcome of one task of importance 1. cooldown_h: hours before another outcome moves it again.
    """

    confirmed: float = Field(default=0.9, ge=0, le=1)
    unconfirmed: float = Field(default=0.4, ge=0, le=1)
    success: float = Field(default=0.7, ge=0, le=1)
    failure: float = Field(default=0.5, ge=0, le=1)
    weekly_decay: float = Field(default=0.95, gt=0, le=1)
    floor: float = Field(default=0.1, ge=0, le=1)
    step: float = Field(default=0.1, gt=0, le=1)
    cooldown_h: float = Field(default=1.0, ge=0)


def first_weight(outcome: Outcome, policy: WeightPolicy, *, confirmed: bool, reflected: bool) -> float:
    """Return the weight a new experience starts with, 0..1."""
    if confirmed:
        return policy.confirmed
    if reflected:
        return policy.unconfirmed
    return policy.success if outcome is Outcome.SUCCESS else policy.failure


def decayed(weight: float, weeks: int, policy: WeightPolicy) -> float:
    """Return the weight after that many whole weeks without retrieval; never under the floor."""
    return max(policy.floor, weight * policy.weekly_decay ** max(0, weeks))


def moved(weight: float, outcome: Outcome, importance: float, policy: WeightPolicy) -> float:
    """Return the weight after a task it was used in: up by success, down by failure, in proportion to the task's importance.

    A partial outcome leaves it. Held between the floor and 1.
    """
    sign = {Outcome.SUCCESS: 1, Outcome.FAILURE: -1, Outcome.PARTIAL: 0}[outcome]
    return min(1.0, max(policy.floor, weight + sign * policy.step * importance))
