"""Of statements that answer the same, the newest comes first, and nothing else moves."""

from datetime import UTC, datetime, timedelta

import numpy as np

from hindsight_graph.ranking.current import Rivals, lifts

DAY = datetime(2025, 1, 1, tzinfo=UTC)


def _order(totals: list[float], cover: list[float], holds: list[bool], days: list[int], *, outright: bool = True) -> list[int]:
    since = [DAY + timedelta(days=day) for day in days]
    added, _ = lifts(Rivals(np.array(totals), np.array(cover), holds, since, outright))
    return np.argsort(-(np.array(totals) + added), kind="stable").tolist()


def test_rivals_stand_in_the_order_of_their_time():
    assert _order([0.9, 0.8, 0.7], [1, 1, 1], [True] * 3, [1, 3, 2]) == [1, 2, 0]


def test_a_result_that_holds_no_answer_comes_after_the_newest_that_does_where_the_kind_is_told():
    assert _order([0.9, 0.8], [1, 1], [False, True], [5, 1]) == [1, 0]
    assert _order([0.9, 0.8], [1, 1], [False, True], [5, 1], outright=False) == [0, 1]


def test_a_newer_statement_that_covers_less_of_the_question_is_no_rival():
    assert _order([0.9, 0.8], [1, 0.5], [True, True], [1, 9]) == [0, 1]


def test_statements_of_the_same_time_keep_their_order():
    assert _order([0.9, 0.8, 0.7], [1, 1, 1], [True] * 3, [1, 1, 1]) == [0, 1, 2]


def test_no_candidates_and_no_rivals_add_nothing():
    assert lifts(Rivals(np.array([]), np.array([]), [], [], outright=True))[0].tolist() == []
    assert _order([0.9, 0.8], [1, 1], [False, False], [1, 2]) == [0, 1]
