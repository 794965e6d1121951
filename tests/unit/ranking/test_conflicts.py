"""Results that contradict each other."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph.models.enums import Kind
from hindsight_graph.models.memory import Memory, Slot
from hindsight_graph.ranking.conflicts import order_conflicts, slot_conflicts

START = datetime(2026, 5, 1, tzinfo=UTC)


def _memory(key: str, port: str = "", *, day: int = 0, priority: int = 0, version: int = 1) -> Memory:
    return Memory(
        id=key,
        root_id=key,
        version=version,
        kind=Kind.FACT,
        summary=f"{key} says {port}",
        slot=Slot(subject="Staging Postgres", attribute="port", value=port) if port else None,
        valid_from=START + timedelta(days=day),
        recorded_at=START,
        priority=priority,
        content_hash=key,
    )


@pytest.mark.requirement("R-07")
def test_one_slot_with_two_values_is_a_conflict_and_the_later_comes_first():
    old, other, new = _memory("a", "5432"), _memory("b"), _memory("c", "5433", day=3)
    order, conflicts = order_conflicts([old, other, new], slot_conflicts([old, other, new]))
    assert order == ("c", "a", "b")
    assert [(conflict.preferred, conflict.other) for conflict in conflicts] == [("c", "a")]
    assert "Staging Postgres / port" in conflicts[0].reason
    assert "2026-05-04 over 2026-05-01" in conflicts[0].reason


@pytest.mark.requirement("R-07")
def test_priority_comes_before_version_and_version_before_time():
    late, high = _memory("a", "1", day=9), _memory("b", "2", priority=5)
    assert order_conflicts([late, high], slot_conflicts([late, high]))[0] == ("b", "a")
    late, newer = _memory("a", "1", day=9), _memory("b", "2", version=2)
    assert order_conflicts([late, newer], slot_conflicts([late, newer]))[0] == ("b", "a")


def test_the_same_value_in_another_spelling_is_no_conflict():
    one, two = _memory("a", "Port 5432"), _memory("b", "port 5432")
    assert slot_conflicts([one, two]) == []


@pytest.mark.requirement("R-07")
def test_a_stated_contradiction_is_noticed_once_and_only_between_results():
    one, two = _memory("a", priority=1), _memory("b")
    order, conflicts = order_conflicts([one, two], [("b", "a", "x"), ("a", "b", "x"), ("a", "gone", "x")])
    assert order == ("a", "b")
    assert len(conflicts) == 1
    assert conflicts[0].reason == "x; higher priority first (1 over 0)"
