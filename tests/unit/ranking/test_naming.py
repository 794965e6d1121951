"""Words of a name count less in texts that hold only a part of it."""

import numpy as np

from hindsight_graph.ranking.naming import weigh_parts

TERMS = ("alder", "gateway", "port")
NAME = frozenset({"alder", "gateway"})


def test_a_part_of_a_name_counts_half_and_other_words_stay():
    counts = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    weighed = weigh_parts(counts, np.array([0, 1]), TERMS, [NAME], share=0.5)
    assert weighed.tolist() == [[1.0, 1.0, 0.0], [0.0, 0.5, 1.0]]
    assert counts[1].tolist() == [0.0, 1.0, 1.0]


def test_a_text_of_several_statements_holds_a_name_that_one_of_them_holds():
    counts = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    assert weigh_parts(counts, np.array([0, 0]), TERMS, [NAME], share=0.5).tolist() == counts.tolist()


def test_a_name_of_one_word_has_no_parts():
    counts = np.array([[0.0, 1.0, 1.0]])
    assert weigh_parts(counts, np.array([0]), TERMS, [frozenset({"gateway"})]).tolist() == counts.tolist()


def test_nothing_found_stays_nothing():
    assert weigh_parts(np.zeros((0, 3)), np.zeros(0, dtype=np.intp), TERMS, [NAME]).shape == (0, 3)
