"""BM25 and the scales."""

import math

import numpy as np
import pytest

from hindsight_graph.models.record import TermStats
from hindsight_graph.ranking.bm25 import bm25, inverse_frequencies
from hindsight_graph.ranking.fusion import by_maximum, min_max


def test_a_score_is_the_formula_of_robertson_and_zaragoza():
    stats = TermStats(documents=10, average_length=4.0, frequencies={"redis": 2})
    idf = inverse_frequencies(("redis",), stats)
    assert idf[0] == pytest.approx(math.log(1 + 8.5 / 2.5))
    score = bm25(np.array([[2.0]]), np.array([8.0]), idf, 4.0, k1=1.2, b=0.75)
    assert score[0] == pytest.approx(idf[0] * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 2)))


def test_rare_terms_weigh_more_and_long_texts_less():
    stats = TermStats(documents=100, average_length=10.0, frequencies={"rare": 1, "common": 90})
    idf = inverse_frequencies(("rare", "common"), stats)
    counts = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    scores = bm25(counts, np.array([10.0, 10.0, 40.0]), idf, 10.0)
    assert scores[0] > scores[2] > scores[1] > 0


def test_a_term_in_every_text_never_counts_against_it():
    stats = TermStats(documents=3, average_length=2.0, frequencies={"all": 3})
    assert inverse_frequencies(("all", "unknown"), stats)[0] > 0


def test_no_texts_have_no_scores():
    stats = TermStats(documents=0, average_length=0.0, frequencies={})
    assert bm25(np.zeros((0, 1)), np.zeros(0), inverse_frequencies(("a",), stats), 0.0).shape == (0,)


def test_keyword_scores_are_scaled_by_their_maximum():
    assert by_maximum(np.array([0.0, 2.0, 4.0])).tolist() == [0.0, 0.5, 1.0]
    assert by_maximum(np.zeros(2)).tolist() == [0.0, 0.0]


def test_cosines_are_spread_and_missing_ones_count_as_least():
    assert min_max(np.array([0.2, np.nan, 0.6, 0.4])).tolist() == pytest.approx([0.0, 0.0, 1.0, 0.5])
    assert min_max(np.array([0.5, 0.5, np.nan])).tolist() == [1.0, 1.0, 0.0]
    assert min_max(np.array([np.nan])).tolist() == [0.0]
