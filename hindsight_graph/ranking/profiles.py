"""Scoring profiles (promise R-02): what counts how much, every weight tunable per call by name.

A profile either adds (score = sum of weight x value) or multiplies (score = relevance x factors, where relevance is the sum over
what was found and each factor is value ** weight).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import InputError
from hindsight_graph.models.base import Model, trusted
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.result import Component
from hindsight_graph.ranking.decay import by_hours, by_kind, halving
from hindsight_graph.ranking.fusion import by_maximum, min_max

__all__ = ["PRESETS", "PROFILES", "WEIGHTS", "Features", "Profile", "Scores", "adapted", "resolve_profile", "score"]

Floats = NDArray[np.float64]

WEIGHTS = (
    "similarity", "keyword", "neighbour", "graph", "entity", "slot", "tags", "recency", "confidence", "importance", "weight",
    "current",
)  # fmt: skip
"""Names of all components; each is a weight that a call may override."""
_FACTORS = frozenset({"recency", "confidence", "importance", "weight"})
"""What multiplies in a multiplying profile; everything else is relevance."""


class Recency(StrEnum):
    """Which decay gives the value of `recency`."""

    BY_KIND = "by_kind"
    HOURS = "hours"
    WEEK = "week"


class Profile(Model):
    """How components become a score.

    Attributes:
        multiplies: Factors multiply relevance instead of adding to it.
        scaled_similarity: Cosines are spread over the candidates (min-max) instead of taken as they are.
        by_length: `keyword` and `similarity` follow the length of the texts found (`adapted`).
        weights: Weight by component name; absent is 0.
    """

    name: str
    multiplies: bool = False
    scaled_similarity: bool = True
    by_length: bool = False
    recency: Recency = Recency.BY_KIND
    weights: dict[str, float]


_BALANCED = {
    "similarity": 0.10,
    "keyword": 0.60,
    "neighbour": 0.34,
    "graph": 1.50,
    "entity": 0.02,
    "slot": 0.60,
    "tags": 0.05,
    "recency": 0.02,
    "confidence": 0.02,
    "current": 1.0,
}
"""For an embedder that knows spelling, not meaning."""
_MEANING = {"keyword": 0.55, "similarity": 0.45, "neighbour": 0.48, "slot": 0.86}
"""What differs with an embedder that knows meaning, on short texts; on long ones see `adapted`."""
_LONG = {"keyword": 0.15, "similarity": 0.85}
_SHORT_TERMS, _LONG_TERMS = 17.0, 21.0
"""Mean terms of the texts found up to which a mix holds; in between it is interpolated (docs/ranking.md)."""

PROFILES: Mapping[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(name="balanced", weights=_BALANCED),
        Profile(
            name="additive",
            scaled_similarity=False,
            recency=Recency.HOURS,
            weights={"similarity": 0.5, "keyword": 0.2, "recency": 0.2, "confidence": 0.1},
        ),
        Profile(
            name="multiplicative",
            multiplies=True,
            recency=Recency.WEEK,
            weights={
                "similarity": 0.10,
                "keyword": 0.60,
                "neighbour": 0.34,
                "graph": 1.50,
                "slot": 0.60,
                "recency": 1.0,
                "importance": 1.0,
            },
        ),
        Profile(name="experience", scaled_similarity=False, weights={"similarity": 1.0, "tags": 1.0, "weight": 1.0}),
    )
}
"""`balanced` is tuned on LoCoMo, HotpotQA and MuSiQue (docs/ranking.md); the others are promise R-02 as written."""

PRESETS: Mapping[str, Mapping[str, float]] = {
    "short_task": {"recency": 0.3},
    "long_term": {"recency": 0.1},
    "tool_heavy": {"tags": 0.4},
    "dialogue": {"similarity": 0.3, "neighbour": 0.3},
}
"""Overrides on top of a profile: short tasks want the latest, long-term knowledge cares less, tools are tags, talk is alike."""


def resolve_profile(name: str, weights: Mapping[str, float] | None = None, *, meaning: bool = False) -> Profile:
    """Return the profile of a name: a profile, a preset (on `balanced`), or `profile+preset`, with a call's overrides.

    With `meaning` (the embedder knows it) `balanced` mixes words and vectors otherwise, by the length of the texts, as long as
    neither a preset nor the call sets one of the two.

    Raises:
        InputError: An unknown name, or a weight that is negative or not finite; names the valid ones.
    """
    profile: Profile | None = None
    presets: list[str] = []
    for part in (part.strip().lower() for part in name.split("+")):
        if part in PRESETS:
            presets.append(part)
        elif part in PROFILES and profile is None:
            profile = PROFILES[part]
        else:
            raise InputError(
                f"unknown profile {name!r}",
                hint=f"one of {', '.join(PROFILES)}; a preset: {', '.join(PRESETS)}; or both as profile+preset",
            )
    base = profile or PROFILES["balanced"]
    tuned = meaning and base.name == "balanced"
    merged = {**base.weights, **_MEANING} if tuned else dict(base.weights)
    for preset in presets:
        merged.update(PRESETS[preset])
    for key, value in (weights or {}).items():
        if key not in WEIGHTS:
            raise InputError(f"unknown weight {key!r}", hint=f"one of {', '.join(WEIGHTS)}")
        if not (np.isfinite(value) and value >= 0):
            raise InputError(f"weight {key} is {value}", hint="give a finite number that is not negative")
        merged[key] = float(value)
    by_length = tuned and all(merged[part] == _MEANING[part] for part in _LONG)
    return base.model_copy(update={"name": name, "weights": merged, "by_length": by_length})


def adapted(profile: Profile, terms: float) -> Profile:
    """Return the profile for texts of a mean length in terms: the longer they are, the more vectors count against words."""
    if not profile.by_length:
        return profile
    share = min(1.0, max(0.0, (terms - _SHORT_TERMS) / (_LONG_TERMS - _SHORT_TERMS)))
    mixed = {part: (1 - share) * _MEANING[part] + share * _LONG[part] for part in _LONG}
    return profile.model_copy(update={"weights": {**profile.weights, **mixed}})


@dataclass(frozen=True, slots=True)
class Features:
    """What was measured of each candidate; every array has shape (candidates,).

    Attributes:
        cosine: -1..1, NaN where there is no vector. keyword: BM25. neighbour, graph: 0 and up.
        entity: Share of the question's entities that it mentions, 0..1.
        slot: Share of the question's words that name the slot it states, 0 unless both subject and attribute are named.
        tags: share of its tags that the question names, 0..1.
        age_hours: From its event time to the time asked about.
    """

    cosine: Floats
    keyword: Floats
    neighbour: Floats
    graph: Floats
    entity: Floats
    slot: Floats
    tags: Floats
    age_hours: Floats
    kinds: Sequence[Kind]
    confidence: Floats
    importance: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Scores:
    """Totals, and each weighted component's raw numbers, values and contributions; arrays of shape (candidates,)."""

    total: Floats
    weights: Mapping[str, float]
    raw: Mapping[str, Floats]
    values: Mapping[str, Floats]
    contributions: Mapping[str, Floats]

    def components(self, index: int) -> dict[str, Component]:
        """Return the explanation of one candidate's score."""
        return {
            name: trusted(Component, {
                "raw": _number(self.raw[name][index]), "value": float(self.values[name][index]), "weight": weight,
                "contribution": float(self.contributions[name][index]),
            })
            for name, weight in self.weights.items()
        }  # fmt: skip

    def lifted(self, name: str, weight: float, raw: Floats, added: Floats) -> "Scores":
        """Return the scores with one more component that was found from the totals: its raw numbers, and what it adds."""
        return Scores(
            self.total + weight * added,
            {**self.weights, name: weight},
            {**self.raw, name: raw},
            {**self.values, name: added},
            {**self.contributions, name: weight * added},
        )


def _number(value: float) -> float:
    return 0.0 if np.isnan(value) else float(value)


def relevance(keyword: Floats, similarity: Floats, weights: Mapping[str, float]) -> Floats:
    """Return the weighted mean of scaled keyword and similarity values, 0..1: how well a text itself answers."""
    by_word, by_sense = weights.get("keyword", 0.0), weights.get("similarity", 0.0)
    whole = by_word + by_sense
    return (by_word * keyword + by_sense * similarity) / whole if whole > 0 else np.zeros_like(keyword)


def scaled_similarity(profile: Profile, cosine: Floats) -> Floats:
    """Return what the weight of `similarity` multiplies: spread or plain cosines, never negative."""
    return min_max(cosine) if profile.scaled_similarity else np.maximum(np.nan_to_num(cosine), 0.0)


def score(profile: Profile, features: Features) -> Scores:
    """Score candidates by a profile."""
    decay = {
        Recency.BY_KIND: lambda: by_kind(features.age_hours, features.kinds),
        Recency.HOURS: lambda: by_hours(features.age_hours),
        Recency.WEEK: lambda: halving(features.age_hours),
    }[profile.recency]
    raw = {
        "similarity": features.cosine,
        "keyword": features.keyword,
        "neighbour": features.neighbour,
        "graph": features.graph,
        "entity": features.entity,
        "slot": features.slot,
        "tags": features.tags,
        "recency": features.age_hours,
        "confidence": features.confidence,
        "importance": features.importance,
        "weight": features.weight,
    }
    used = {name: weight for name, weight in profile.weights.items() if weight > 0 and name in raw}
    values = {name: raw[name] for name in used}
    if "similarity" in used:
        values["similarity"] = scaled_similarity(profile, features.cosine)
    if "keyword" in used:
        values["keyword"] = by_maximum(features.keyword)
    if "recency" in used:
        values["recency"] = decay()
    total = np.zeros(len(features.kinds))
    factor = np.ones(len(features.kinds))
    contributions: dict[str, Floats] = {}
    for name, weight in used.items():
        if profile.multiplies and name in _FACTORS:
            contributions[name] = values[name] ** weight
            factor *= contributions[name]
        else:
            contributions[name] = weight * values[name]
            total += contributions[name]
    return Scores(total * factor, used, {name: raw[name] for name in used}, values, contributions)
