"""Ids sort in the order in which they were made, however many are made at once."""

from datetime import UTC, datetime
from uuid import UUID

from hindsight_graph.clock import ManualClock
from hindsight_graph.ids import IdGenerator


def test_many_ids_at_once_are_those_that_would_have_been_made_one_by_one():
    clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
    single, together = (IdGenerator(clock, lambda count: (1 << count) - 1) for _ in range(2))
    assert [single.new() for _ in range(5_000)] == [*together.several(4_000), *together.several(1_000)]
    assert together.several(0) == []


def test_ids_of_one_millisecond_are_strictly_increasing_and_of_version_7():
    ids = IdGenerator(ManualClock(datetime(2026, 5, 1, tzinfo=UTC))).several(5_000)
    assert ids == sorted(set(ids))
    assert {UUID(one).version for one in ids} == {7}
