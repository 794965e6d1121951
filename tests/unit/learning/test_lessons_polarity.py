"""Whether a lesson tells to do or not to do something, in the words of a person who corrects."""

import pytest

from hindsight_graph.learning.lessons import is_negated, same_lesson

POSITIVE = ("No, you must check the tax number before send_invoice.", "不对，发送发票之前要先核对税号。", "Nope. Ask Lea first.")
NEGATIVE = (
    "No, do not check the tax number before send_invoice.",
    "不对，发送发票之前不要核对税号。",
    "No refunds without receipt",
)


@pytest.mark.parametrize("text", POSITIVE)
def test_the_no_that_begins_a_correction_negates_nothing_of_what_is_to_be_done(text: str) -> None:
    assert not is_negated(text)


@pytest.mark.parametrize("text", NEGATIVE)
def test_what_is_not_to_be_done_is_negated(text: str) -> None:
    assert is_negated(text)


def test_two_corrections_of_opposite_polarity_are_not_one_lesson() -> None:
    assert not same_lesson(POSITIVE[0], NEGATIVE[0])
