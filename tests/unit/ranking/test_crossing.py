"""What languages add to vectors is subtracted before a question and memories are compared."""

import numpy as np
import pytest

from hindsight_graph.ranking.crossing import MARGIN, across, other_language, towards

F = np.float32
QUESTIONS = {"en": np.array([0.9, 0, 0, 0], F), "zh": np.array([0, 0.9, 0, 0], F)}
PASSAGES = {"en": np.array([0.8, 0, 0, 0], F), "zh": np.array([0, 0.8, 0, 0], F)}
ASKED = np.array([0.9, 0, 0.4, 0.1], F)
"""In English, about the third axis."""
ROWS = np.array([[0.8, 0, 0, 0.6], [0, 0.8, 0.6, 0], [0.8, 0, 0.5, 0.3], [0, 0.8, 0, 0.6]], F)
LANGUAGES = ("en", "zh", "en", "zh")


@pytest.mark.requirement("R-04")
def test_the_memory_that_answers_is_first_whatever_its_language():
    plain = (ROWS @ ASKED).astype(np.float64)
    assert int(plain.argmax()) == 2
    assert int(plain.argsort()[::-1][1]) == 0  # of the right language, about something else
    found = across(ASKED, "en", QUESTIONS, ROWS, LANGUAGES, PASSAGES, plain)
    assert found.argsort()[::-1][:2].tolist() in ([1, 2], [2, 1])
    assert found[1] > found[0] + 0.1


def test_the_result_keeps_the_range_of_the_cosines():
    plain = (ROWS @ ASKED).astype(np.float64)
    found = across(ASKED, "en", QUESTIONS, ROWS, LANGUAGES, PASSAGES, plain)
    half = MARGIN / 2 * float(plain.std())  # two of four are of the other language
    assert float(found.mean()) == pytest.approx(float(plain.mean()) - half)


def test_candidates_that_do_not_differ_keep_their_cosines():
    same = np.array([[0.8, 0, 0.6, 0]] * 2, F)
    plain = np.array([0.5, 0.5])
    np.testing.assert_array_equal(across(ASKED, "en", QUESTIONS, same, ("en", "en"), PASSAGES, plain), plain)


def test_a_candidate_of_a_third_language_is_compared_with_the_mean_of_the_means():
    rows = np.array([[0.4, 0.4, 0.8, 0.2], [0.8, 0, 0, 0.6]], F)
    found = across(ASKED, "en", QUESTIONS, rows, ("other", "en"), PASSAGES, (rows @ ASKED).astype(np.float64))
    assert found[0] > found[1]


def test_what_is_looked_for_lies_where_the_other_language_is_and_says_what_the_question_says():
    moved = towards(ASKED, QUESTIONS["en"], PASSAGES["zh"])
    assert float(np.linalg.norm(moved)) == pytest.approx(1)
    assert int((ROWS @ moved).argmax()) == 1


def test_only_english_and_chinese_have_another_language():
    assert [other_language(language) for language in ("en", "zh", "mixed", "other")] == ["zh", "en", None, None]
