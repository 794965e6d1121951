"""Sessions on a real store: they survive a restart, take several writers, and hand on what they let go."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import ConflictError, InputError
from hindsight_graph.pipelines.session_markdown import from_markdown
from hindsight_graph.settings import SessionSettings, Settings
from hindsight_graph.testing.patience import patient_settings

SMALL = Settings(session=SessionSettings(window_turns=3, compress_every=2))


@pytest.fixture
def small(store_url: str, clock: ManualClock) -> Iterator[HindsightGraph]:
    """A memory whose sessions keep three turns and compress every two."""
    with HindsightGraph(store_url, embedder="hashing", settings=SMALL, clock=clock) as opened:
        yield opened


@pytest.mark.requirement("S-03")
def test_a_session_survives_a_restart(store_url: str, clock: ManualClock) -> None:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        session = memory.session("s1")
        session.goal("Refund order 7")
        session.step("look up the order")
        session.step("check the payment")
        before = session.append({"role": "user", "name": "Ann", "content": "Order 7 was paid by card.", "raw_ref": "chat:1"})
    clock.advance(timedelta(days=3))
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        after = memory.session("s1").state()
    assert after == before
    assert (after.version, after.finished_steps, after.current_step) == (4, ("look up the order",), "check the payment")
    assert after.recent[0].name == "Ann"


@pytest.mark.requirement("S-01")
def test_what_matters_survives_compression_with_the_real_rules(small: HindsightGraph) -> None:
    session = small.session("s1")
    session.append("Do not deploy on Fridays.")
    session.append("Checkout depends on the payment service.")
    session.append(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "get_order", "arguments": '{"id": 7}'}}],
        }
    )
    session.append({"role": "tool", "tool_call_id": "c1", "name": "get_order", "content": "Error: order 7 not found"})
    for number in range(6):
        session.append(f"ok {number}")
    state = session.state()
    assert len(state.recent) <= 3 + 2
    assert any("Fridays" in line for line in state.constraints)
    assert "Called get_order(id=7)" in state.key_actions
    assert state.tool_failures == ("get_order: Error: order 7 not found",)
    assert any("payment service" in line for line in state.summary)
    assert any(name.lower() == "checkout" for name in state.key_entities)


@pytest.mark.requirement("S-03")
def test_what_leaves_the_window_is_in_long_term_memory_before_the_end(small: HindsightGraph) -> None:
    session = small.session("s1")
    session.append({"role": "user", "content": "Checkout depends on the payment service.", "raw_ref": "chat:1"})
    for number in range(6):
        session.append(f"turn {number} is chatter")
    hits = small.recall("what does checkout depend on?").results
    assert hits[0].memory.raw_refs == ("chat:1",)
    assert hits[0].memory.session_id == "s1"


@pytest.mark.requirement("S-03")
def test_the_end_extracts_what_the_window_still_holds(memory: HindsightGraph) -> None:
    session = memory.session("s1")
    session.append({"role": "user", "content": "Tom owns the payment service.", "raw_ref": "chat:9"})
    assert memory.recall("who owns the payment service?").results == ()
    ended = session.end()
    assert ended.ended_at is not None
    assert memory.recall("who owns the payment service?").results[0].memory.raw_refs == ("chat:9",)


def test_the_end_extracts_nothing_when_told_so(memory: HindsightGraph) -> None:
    session = memory.session("s1")
    session.append("Tom owns the payment service.")
    session.end(extract=False)
    assert memory.recall("who owns the payment service?").results == ()


def test_an_ended_session_refuses_more(memory: HindsightGraph) -> None:
    session = memory.session("s1")
    session.append("Tom owns the payment service.")
    session.end()
    with pytest.raises(ConflictError, match="session 's1' ended at"):
        session.append("one more thing")
    with pytest.raises(ConflictError, match="session 's1' ended at"):
        session.end()


@pytest.mark.requirement("M-04")
def test_a_message_longer_than_the_window_takes_is_kept_whole_as_an_episode(memory: HindsightGraph) -> None:
    long = "Tom owns the payment service. " + "The log goes on. " * 500
    state = memory.session("s1").append(long)
    assert state.recent[0].clipped
    assert 3_990 <= len(state.recent[0].content) <= 4_000
    assert any("Tom owns" in row.summary for row in memory.list(session_id="s1").rows)


@pytest.mark.requirement("S-03")
async def test_two_writers_lose_nothing(store_url: str, clock: ManualClock) -> None:
    import asyncio

    async with (
        AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as one,
        AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as two,
    ):
        await asyncio.gather(
            *(each.session("s1").append(f"turn {name}{number}") for number in range(3) for name, each in (("a", one), ("b", two)))
        )
        state = await one.session("s1").state()
    assert (state.turns, state.version) == (6, 6)
    assert sorted(turn.content for turn in state.recent) == ["turn a0", "turn a1", "turn a2", "turn b0", "turn b1", "turn b2"]


def test_agents_have_sessions_of_their_own(memory: HindsightGraph) -> None:
    memory.session("s1", agent_id="a1").goal("one")
    memory.session("s1", agent_id="a2").goal("two")
    assert memory.session("s1", agent_id="a1").state().goal == "one"
    assert memory.session("s1", agent_id="a2").state().goal == "two"


@pytest.mark.requirement("S-02")
def test_the_markdown_of_a_stored_session_reads_back(memory: HindsightGraph) -> None:
    session = memory.session("s1")
    session.goal("退款订单 7")
    session.append("Order 7\nwas paid.")
    assert from_markdown(session.markdown()) == session.state()
    short = session.markdown(token_budget=80)
    assert "- **Goal**: 退款订单 7" in short


@pytest.mark.parametrize("session_id", ["", "  ", "a\x00b"])
def test_a_session_needs_a_name(memory: HindsightGraph, session_id: str) -> None:
    with pytest.raises(InputError, match="session id"):
        memory.session(session_id)


def test_a_malformed_message_changes_nothing(memory: HindsightGraph) -> None:
    session = memory.session("s1")
    with pytest.raises(InputError, match="message 0"):
        session.append({"role": "user"})
    assert session.state().version == 0
