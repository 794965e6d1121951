"""A session's end looks back on it by the policy: all that was kept of it, in one transaction with the end."""

from collections.abc import Iterator
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.record import JobState
from hindsight_graph.testing.patience import patient_settings

SMALL: dict[str, Any] = {"session": {"window_turns": 3, "compress_every": 2}}


def failing(number: int) -> list[dict[str, Any]]:
    """Return the turns of a task that fails and is mended."""
    return [
        {"role": "user", "content": f"Refund order {number} for Ann"},
        {"role": "tool", "name": "refund", "content": f"Error: order {number} is not paid"},
        {"role": "tool", "name": "get_order", "content": "paid"},
        {"role": "tool", "name": "refund", "content": "ok"},
        {"role": "assistant", "content": "The refund is done."},
    ]


@pytest.fixture
def small(store_url: str, clock: ManualClock) -> Iterator[HindsightGraph]:
    """A memory whose sessions keep three turns."""
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(**SMALL), clock=clock) as opened:
        yield opened


@pytest.mark.requirement("S-03")
@pytest.mark.requirement("X-03")
def test_a_session_that_met_a_failure_is_learned_from_when_it_ends(small: HindsightGraph) -> None:
    session = small.session("s1")
    for message in failing(17):
        session.append(message)
    assert small.jobs.list(kinds=("reflect",)).rows == ()
    ended = session.end()
    assert ended.reflection_id is not None
    assert small.jobs.get(ended.reflection_id).state is JobState.QUEUED
    assert session.state().reflection_id == ended.reflection_id
    small.jobs.work()
    found = small.learning.reflection(ended.reflection_id)
    (draft,) = found.drafts
    assert draft.experience.goal == "Refund order 17 for Ann"
    assert [(step.tool, step.ok) for step in draft.experience.steps] == [("refund", False), ("get_order", True), ("refund", True)]
    assert small.get(found.memory_ids[0]).outcome is Outcome.SUCCESS


@pytest.mark.requirement("X-03")
def test_a_routine_session_leaves_nothing_unless_somebody_asks(memory: HindsightGraph) -> None:
    routine = [message for message in failing(18) if "Error" not in message["content"]]
    for name, reflect, kept in (("quiet", None, 0), ("asked", True, 1)):
        session = memory.session(name)
        session.extend(routine)
        ended = session.end(reflect=reflect)
        memory.jobs.work()
        assert ended.reflection_id is not None
        found = memory.learning.reflection(ended.reflection_id)
        assert len(found.drafts) == kept
        assert [item.reason for item in found.left] == ([] if kept else ["routine success"])


@pytest.mark.requirement("X-03")
@pytest.mark.parametrize(("extract", "reflect"), [(True, False), (False, None)])
def test_nobody_looks_back_where_that_is_not_wanted(memory: HindsightGraph, extract: bool, reflect: bool | None) -> None:
    session = memory.session("s1")
    session.extend(failing(19))
    assert session.end(extract=extract, reflect=reflect).reflection_id is None
    assert memory.jobs.list(kinds=("reflect",)).rows == ()


@pytest.mark.requirement("X-03")
def test_the_policy_may_leave_sessions_alone(store_url: str, clock: ManualClock) -> None:
    settings = patient_settings(learning={"at_session_end": False})
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        session = memory.session("s1")
        session.extend(failing(20))
        assert session.end().reflection_id is None
        again = memory.session("s2")
        again.extend(failing(21))
        assert again.end(reflect=True).reflection_id is not None


@pytest.mark.requirement("S-03")
def test_the_job_survives_a_restart_and_counts_once(store_url: str, clock: ManualClock) -> None:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        session = memory.session("s1")
        session.extend(failing(22))
        ended = session.end()
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        memory.jobs.work()
        assert ended.reflection_id is not None
        (one,) = memory.learning.reflection(ended.reflection_id).memory_ids
        again = memory.jobs.enqueue("reflect", memory.jobs.get(ended.reflection_id).payload)
        memory.jobs.work()
        assert memory.learning.reflection(again.id).known == (one,)
        assert [item.id for item in memory.list(kinds=["experience"]).rows] == [one]
