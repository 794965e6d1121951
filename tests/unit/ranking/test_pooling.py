"""What lies beside a statement."""

import numpy as np

from hindsight_graph.ranking.bm25 import bm25
from hindsight_graph.ranking.pooling import leaders, nearby_places, neighbour_values, pool, squared


def test_the_first_best_of_each_group_leads():
    scores = np.array([1.0, 3.0, 3.0, 0.5, 0.5])
    groups = np.array([0, 0, 0, 1, 1], dtype=np.intp)
    assert leaders(scores, groups).tolist() == [False, True, False, True, False]


def test_a_passage_whose_statements_together_answer_beats_one_that_repeats_one_word():
    counts = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    lengths, idf = np.array([4.0, 4.0, 8.0]), np.array([1.0, 1.0])
    own = bm25(counts, lengths, idf, 8.0)
    assert own.argmax() == 2
    pooled = pool(counts, lengths, idf, own, np.array([0, 0, 1], dtype=np.intp))
    assert pooled.argmax() == 0


def test_the_statements_that_do_not_lead_stand_for_themselves():
    counts = np.array([[1.0, 1.0], [0.0, 1.0]])
    lengths, idf = np.array([5.0, 5.0]), np.array([1.0, 1.0])
    own = bm25(counts, lengths, idf, 5.0)
    pooled = pool(counts, lengths, idf, own, np.array([0, 0], dtype=np.intp))
    assert pooled[0] > own[0]
    assert pooled[1] == own[1]


def test_nothing_pools_to_nothing():
    assert pool(np.zeros((0, 2)), np.zeros(0), np.zeros(2), np.zeros(0), np.zeros(0, dtype=np.intp)).shape == (0,)


def test_places_near_a_turn_are_two_before_and_two_after_it():
    assert nearby_places([("s", 0), ("s", 2)]) == (("s", 1), ("s", 3), ("s", 4))
    assert nearby_places([("s", 5)], reach=1) == (("s", 4), ("s", 6))


def test_a_turn_gains_from_its_neighbours_by_distance_and_within_its_session():
    strength = {("s", 1): 1.0, ("s", 3): 0.5, ("s", 4): 1.0, ("t", 3): 9.0}
    assert neighbour_values(squared(strength), ("s", 2), shares=(1.0, 0.5)) == 1.0 + 0.5**2 + 0.5
