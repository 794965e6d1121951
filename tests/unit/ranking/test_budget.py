"""Pages, budgets and cursors."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.errors import CursorError
from hindsight_graph.ranking.budget import Position, cut_page, decode_cursor, encode_cursor, query_hash

NOW = datetime(2026, 5, 1, 9, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.requirement("R-08")
@given(st.lists(st.integers(1, 50), max_size=60), st.integers(1, 20), st.one_of(st.none(), st.integers(50, 200)))
def test_pages_hold_every_result_once_and_keep_the_budget(tokens: list[int], top_k: int, budget: int | None):
    seen: list[int] = []
    offset, more = 0, True
    while more:
        cut = cut_page(tokens, offset, top_k, budget)
        assert cut.stop - cut.start <= top_k
        assert cut.tokens == sum(tokens[cut.start : cut.stop])
        assert budget is None or cut.tokens <= budget
        seen.extend(range(cut.start, cut.stop))
        offset, more = cut.stop, cut.more
    assert seen == list(range(len(tokens)))


@pytest.mark.requirement("R-08")
def test_a_budget_too_small_for_the_next_result_says_so():
    cut = cut_page([30, 5], 0, 10, 20)
    assert (cut.stop, cut.more, cut.reason) == (0, True, "token_budget 20 is less than the 30 tokens of the next result")


def test_a_cursor_comes_back_as_it_went():
    key = query_hash({"text": "why", "top_k": 5})
    assert decode_cursor(encode_cursor(Position(20, NOW), key), key) == Position(20, NOW)
    assert decode_cursor(None, key) == Position(0)


def test_a_cursor_of_another_question_is_refused():
    cursor = encode_cursor(Position(20, NOW), query_hash({"text": "why"}))
    with pytest.raises(CursorError, match="another question"):
        decode_cursor(cursor, query_hash({"text": "how"}))


@given(st.text(max_size=80))
def test_a_damaged_cursor_is_refused(text: str):
    with pytest.raises(CursorError, match="damaged"):
        decode_cursor(text, "0" * 20)


def test_a_changed_character_is_noticed():
    key = query_hash({})
    cursor = encode_cursor(Position(20, NOW), key)
    with pytest.raises(CursorError, match="damaged"):
        decode_cursor("B" + cursor[1:], key)
