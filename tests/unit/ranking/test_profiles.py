"""Scoring profiles."""

import math
from typing import Any

import numpy as np
import pytest

from hindsight_graph.errors import InputError
from hindsight_graph.models.enums import Kind
from hindsight_graph.ranking.decay import by_hours, by_kind, halving
from hindsight_graph.ranking.profiles import PRESETS, PROFILES, Features, resolve_profile, score


def _features(**given: Any) -> Features:
    size = len(next(iter(given.values())))
    arrays: dict[str, Any] = {
        name: np.zeros(size)
        for name in ("cosine", "keyword", "neighbour", "graph", "entity", "slot", "tags", "age_hours", "weight")
    } | {"confidence": np.ones(size), "importance": np.ones(size), "kinds": [Kind.FACT] * size}
    arrays |= {name: values if name == "kinds" else np.array(values) for name, values in given.items()}
    return Features(**arrays)


@pytest.mark.requirement("R-02")
def test_additive_is_half_cosine_a_fifth_keyword_a_fifth_recency_a_tenth_confidence():
    features = _features(cosine=[0.8], keyword=[3.0], age_hours=[10.0], confidence=[0.9])
    scores = score(resolve_profile("additive"), features)
    assert scores.total[0] == pytest.approx(0.5 * 0.8 + 0.2 * 1.0 + 0.2 * math.exp(-0.1) + 0.1 * 0.9)


@pytest.mark.requirement("R-02")
def test_multiplicative_is_relevance_times_weekly_decay_times_importance():
    features = _features(cosine=[1.0, 1.0], keyword=[2.0, 2.0], age_hours=[7 * 24.0, 0.0], importance=[2.0, 1.0])
    scores = score(resolve_profile("multiplicative"), features)
    assert scores.total[0] == pytest.approx(scores.total[1])
    assert scores.components(0)["recency"].contribution == pytest.approx(0.5)
    assert scores.components(0)["importance"].contribution == pytest.approx(2.0)


@pytest.mark.requirement("R-02")
def test_experience_is_similarity_plus_tag_overlap_plus_weight():
    features = _features(cosine=[0.5], tags=[0.25], weight=[0.7])
    assert score(resolve_profile("experience"), features).total[0] == pytest.approx(0.5 + 0.25 + 0.7)


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize(
    ("preset", "weight", "value"), [("short_task", "recency", 0.3), ("long_term", "recency", 0.1), ("tool_heavy", "tags", 0.4)]
)
def test_presets_change_one_weight_of_the_profile_below(preset: str, weight: str, value: float):
    profile = resolve_profile(f"multiplicative+{preset}")
    assert profile.weights[weight] == value
    assert profile.multiplies
    assert resolve_profile(preset).weights == {**PROFILES["balanced"].weights, **PRESETS[preset]}


@pytest.mark.requirement("R-02")
def test_dialogue_raises_similarity():
    assert resolve_profile("dialogue").weights["similarity"] > PROFILES["balanced"].weights["similarity"]


@pytest.mark.requirement("R-02")
def test_a_call_overrides_any_weight_by_name():
    assert resolve_profile("balanced", {"recency": 0.5, "importance": 1}).weights["importance"] == 1.0
    off = score(resolve_profile("additive", {"recency": 0}), _features(cosine=[0.5], age_hours=[1.0]))
    assert "recency" not in off.components(0)


@pytest.mark.parametrize(
    ("name", "weights", "message"),
    [
        ("best", None, r"unknown profile 'best' \(one of balanced, additive, multiplicative, experience; a preset: short_task"),
        ("additive+balanced", None, "unknown profile"),
        ("balanced", {"luck": 1.0}, r"unknown weight 'luck' \(one of similarity, keyword"),
        ("balanced", {"recency": -1.0}, "weight recency is -1.0"),
        ("balanced", {"recency": float("nan")}, "weight recency is nan"),
    ],
)
def test_an_unknown_profile_or_weight_is_refused_by_name(name: str, weights: dict[str, float] | None, message: str):
    with pytest.raises(InputError, match=message):
        resolve_profile(name, weights)


@pytest.mark.requirement("R-03")
def test_contributions_of_an_adding_profile_sum_to_the_score():
    features = _features(
        cosine=[0.3, np.nan, 0.9],
        keyword=[1.0, 2.0, 0.0],
        graph=[0.0, 0.4, 0.1],
        age_hours=[5.0, 500.0, 0.0],
        entity=[1.0, 0.0, 0.5],
    )
    scores = score(resolve_profile("balanced"), features)
    for index in range(3):
        parts = scores.components(index)
        assert sum(part.contribution for part in parts.values()) == pytest.approx(scores.total[index])
        assert all(part.contribution == pytest.approx(part.weight * part.value) for part in parts.values())
    assert scores.components(1)["similarity"].raw == 0.0


def test_what_is_wanted_or_forbidden_does_not_age_and_what_was_done_does():
    month = np.full(3, 30 * 24.0)
    assert by_kind(month, [Kind.ACTION, Kind.CONSTRAINT, Kind.FACT]).tolist() == pytest.approx([0.5, 1.0, 2 ** (-1 / 6)])


def test_a_time_in_the_future_counts_as_now():
    assert by_hours(np.array([-5.0]))[0] == 1.0
    assert halving(np.array([-5.0, 168.0])).tolist() == [1.0, 0.5]
