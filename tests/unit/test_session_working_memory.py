"""Working memory: what an append, a step and a compression do, and that nothing grows without bound."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph.errors import ConflictError, InputError
from hindsight_graph.extraction.base import Extraction, Statement
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.episode import Message, ToolCall
from hindsight_graph.models.memory import Mention
from hindsight_graph.models.session import (
    CONSTRAINTS_KEPT,
    CONTENT_LIMIT,
    ENTITIES_KEPT,
    LINE_LIMIT,
    LINES_KEPT,
    STEPS_KEPT,
    SUMMARY_KEPT,
    SessionPolicy,
    WorkingMemory,
)
from hindsight_graph.pipelines import working_memory as wm

NOW = datetime(2026, 5, 1, 10, tzinfo=UTC)


def blank(window: int = 3, every: int = 2, after_tool: bool = True) -> WorkingMemory:
    policy = SessionPolicy(window_turns=window, compress_every=every, compress_after_tool=after_tool)
    return wm.new_state("s1", None, policy, NOW)


def said(content: str, role: str = "user", name: str | None = None) -> Message:
    return Message(role=role, name=name, content=content, occurred_at=NOW)


def statement(summary: str, kind: Kind = Kind.FACT, *names: str) -> Extraction:
    return Extraction(statements=(Statement(summary=summary, kind=kind, mentions=tuple(Mention(name=name) for name in names)),))


def run(state: WorkingMemory, messages: list[Message], extract: Callable[[str], Extraction]) -> WorkingMemory:
    for message in messages:
        state = wm.append(state, message, NOW)
        if wm.needs_compression(state):
            state, _ = wm.compress(state, [extract(source.text) for source in wm.sources(state)], NOW)
    return state


@pytest.mark.requirement("S-01")
def test_the_window_slides_while_constraints_actions_results_and_entities_stay() -> None:
    table = {
        "Never deploy on Friday.": statement("Never deploy on Friday.", Kind.CONSTRAINT),
        "I restarted Redis.": statement("I restarted Redis.", Kind.ACTION, "Redis"),
        "Latency is back to 20 ms.": statement("Latency is back to 20 ms.", Kind.RESULT),
        "Checkout uses Redis.": statement("Checkout uses Redis.", Kind.FACT, "Checkout", "Redis"),
    }
    chatter = [said(f"ok {number}") for number in range(20)]
    state = run(blank(), [*map(said, table), *chatter], lambda text: table.get(text, Extraction()))
    assert [turn.content for turn in state.recent] == ["ok 17", "ok 18", "ok 19"]
    assert state.constraints == ("Never deploy on Friday.",)
    assert state.key_actions == ("I restarted Redis.",)
    assert state.key_results == ("Latency is back to 20 ms.",)
    assert state.summary == ("user: Checkout uses Redis.",)
    assert state.key_entities == ("Checkout", "Redis")
    assert state.turns == 24


@pytest.mark.requirement("S-01")
def test_compression_is_due_every_n_turns() -> None:
    state = blank(every=3)
    due: list[bool] = []
    for number in range(3):
        state = wm.append(state, said(f"turn {number}"), NOW)
        due.append(wm.needs_compression(state))
    assert due == [False, False, True]
    assert not wm.needs_compression(wm.compress(state, [Extraction()] * 3, NOW)[0])


@pytest.mark.requirement("S-01")
@pytest.mark.parametrize(("after_tool", "due"), [(True, True), (False, False)])
def test_compression_after_a_tool_result_is_a_setting(after_tool: bool, due: bool) -> None:
    state = wm.append(blank(every=50, after_tool=after_tool), said("1,204 rows", role="tool", name="run_sql"), NOW)
    assert wm.needs_compression(state) is due


@pytest.mark.requirement("S-01")
def test_a_tool_call_and_its_result_become_key_lines() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="c1", name="get_order", arguments='{"id": 7}'),))
    result = Message(role="tool", name="get_order", tool_call_id="c1", content="status:\n  shipped")
    state = run(blank(every=50), [call, result], lambda _: Extraction())
    assert state.key_actions == ("Called get_order(id=7)",)
    assert state.key_results == ("get_order: status: shipped",)


@pytest.mark.requirement("S-01")
@pytest.mark.parametrize(
    "content", ["Error: order not paid", "error 500", "Traceback (most recent call last)", "错误：订单未支付"]
)
def test_a_tool_result_that_begins_with_an_error_is_a_failure(content: str) -> None:
    state = run(blank(), [said(content, role="tool", name="refund")], lambda _: Extraction())
    assert state.tool_failures == (f"refund: {content}",)
    assert state.key_results == ()


def test_what_leaves_the_window_is_handed_back_in_order() -> None:
    state = blank(window=1, every=3)
    for content in ("one", "two", "three"):
        state = wm.append(state, said(content), NOW)
    state, left = wm.compress(state, [Extraction()] * 3, NOW)
    assert [turn.content for turn in left] == ["one", "two"]
    assert [turn.content for turn in state.recent] == ["three"]


@pytest.mark.requirement("S-01")
def test_no_part_grows_without_bound() -> None:
    def noisy(text: str) -> Extraction:
        number = text.split()[1]
        kinds = (Kind.CONSTRAINT, Kind.ACTION, Kind.RESULT, Kind.FACT)
        return Extraction(
            statements=tuple(
                Statement(summary=f"{kind} {number} " + "x" * 170, kind=kind, mentions=(Mention(name=f"thing {number}"),))
                for kind in kinds
            )
        )

    state = blank(window=5, every=4)
    for number in range(300):
        state = wm.advance(state, f"step {number}", NOW)
        state = run(state, [said(f"turn {number} " + "y" * 10_000)], noisy)
    assert len(state.recent) <= 5 + 4
    assert all(len(turn.content) <= CONTENT_LIMIT for turn in state.recent)
    assert (len(state.constraints), len(state.key_actions), len(state.key_results)) == (CONSTRAINTS_KEPT, LINES_KEPT, LINES_KEPT)
    assert (len(state.summary), len(state.key_entities), len(state.finished_steps)) == (SUMMARY_KEPT, ENTITIES_KEPT, STEPS_KEPT)
    lines = state.constraints + state.key_actions + state.key_results + state.summary
    assert max(map(len, lines)) <= LINE_LIMIT
    assert state.key_actions[-1].startswith("action 299")


def test_a_long_tool_call_is_clipped_and_marked() -> None:
    message = Message(role="assistant", tool_calls=(ToolCall(name="write", arguments="z" * 9_000), ToolCall(name="read")))
    assert wm.is_clipped(message)
    turn = wm.append(blank(), message, NOW).recent[0]
    assert turn.clipped
    assert len(turn.tool_calls[0].arguments) == CONTENT_LIMIT
    assert turn.tool_calls[0].arguments.endswith("…")
    assert turn.tool_calls[1].name == "read"


def test_a_repeated_line_is_kept_once_and_moves_to_the_end() -> None:
    table = {
        "a": statement("Restart Redis.", Kind.ACTION),
        "b": statement("Clear the cache.", Kind.ACTION),
        "c": statement("Restart Redis.", Kind.ACTION),
    }
    state = run(blank(every=1), [said(text) for text in table], table.__getitem__)
    assert state.key_actions == ("Clear the cache.", "Restart Redis.")


def test_spellings_of_one_thing_are_one_key_entity() -> None:
    table = {
        "a": statement("Checkout uses Redis.", Kind.FACT, "Checkout", "Redis"),
        "b": statement("The checkout is down.", Kind.FACT, "checkout"),
    }
    assert run(blank(every=1), [said(text) for text in table], table.__getitem__).key_entities == ("Redis", "Checkout")


@pytest.mark.requirement("S-01")
def test_steps_are_finished_one_after_the_other() -> None:
    state = wm.advance(wm.advance(blank(), "find the cause", NOW), "fix it", NOW)
    assert (state.finished_steps, state.current_step) == (("find the cause",), "fix it")
    state = wm.advance(state, None, NOW)
    assert (state.finished_steps, state.current_step) == (("find the cause", "fix it"), "")


def test_the_same_step_again_changes_nothing() -> None:
    state = wm.advance(blank(), "fix it", NOW)
    assert wm.advance(state, "fix it", NOW + timedelta(hours=1)) == state


def test_the_time_of_a_change_is_kept() -> None:
    later = NOW + timedelta(hours=2)
    assert wm.set_goal(blank(), "ship", later).updated_at == later


Change = Callable[[WorkingMemory], WorkingMemory]

REFUSED: list[tuple[Change, str]] = [
    (lambda state: wm.set_goal(state, " ", NOW), "the goal is empty"),
    (lambda state: wm.set_goal(state, "g" * 501, NOW), "the goal has 501 characters, more than 500"),
    (lambda state: wm.advance(state, "s" * 201, NOW), "the step has 201 characters, more than 200"),
    (lambda state: wm.set_goal(state, "a\x00b", NOW), "control character U\\+0000 at position 1"),
    (lambda state: wm.append(state, Message(content="  "), NOW), "message of session 's1' is empty"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED)
def test_bad_input_is_refused_with_its_name_and_value(change: Change, words: str) -> None:
    with pytest.raises(InputError, match=words):
        change(blank())


AFTER_THE_END: list[Change] = [
    lambda state: wm.append(state, said("more"), NOW),
    lambda state: wm.set_goal(state, "more", NOW),
    lambda state: wm.advance(state, "more", NOW),
    lambda state: wm.add_constraint(state, "more", NOW),
    lambda state: wm.end(state, NOW),
]


@pytest.mark.parametrize("change", AFTER_THE_END)
def test_an_ended_session_takes_nothing_more(change: Change) -> None:
    with pytest.raises(ConflictError, match="session 's1' ended at 2026-05-01T10:00:00"):
        change(wm.end(blank(), NOW))
