"""Summaries: chosen sentences with their sources, within a budget, in the languages they were written in."""

from datetime import UTC, datetime, timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.errors import InputError, NotFoundError

NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)


@pytest.mark.requirement("L-04")
def test_a_window_is_told_in_the_order_of_events_each_sentence_with_its_sources(memory: HindsightGraph) -> None:
    day = timedelta(days=1)
    late = memory.remember("The ledger moved to port 5434.", occurred_at=NOW - day, raw_ref="chat:2").memories[0]
    early = memory.remember("账本服务依赖订单数据库。", occurred_at=NOW - 3 * day, raw_ref="chat:1").memories[0]
    memory.remember("The old ledger was written in Perl.", occurred_at=NOW - 30 * day)
    found = memory.summarize(since=NOW - 7 * day, until=NOW)
    assert [sentence.text for sentence in found.sentences] == ["账本服务依赖订单数据库。", "The ledger moved to port 5434."]
    assert [sentence.memory_ids for sentence in found.sentences] == [(early.id,), (late.id,)]
    assert [sentence.raw_refs for sentence in found.sentences] == [("chat:1",), ("chat:2",)]
    assert [sentence.episode_ids for sentence in found.sentences] == [early.episode_ids, late.episode_ids]
    assert [sentence.language for sentence in found.sentences] == ["zh", "en"]
    assert (found.memories, found.truncated) == (2, False)


@pytest.mark.requirement("L-04")
def test_a_session_and_an_entity_narrow_it(memory: HindsightGraph) -> None:
    memory.remember("The crane lifts barrels.", entities=["crane"], session_id="s1")
    memory.remember("The crane needs oil.", entities=["crane"], session_id="s2")
    memory.remember("The ship carries barrels.", entities=["ship"], session_id="s1")
    texts = {sentence.text for sentence in memory.summarize(session_id="s1").sentences}
    assert texts == {"The crane lifts barrels.", "The ship carries barrels."}
    about = memory.summarize(entity="crane")
    assert about.entity == "crane"
    assert {sentence.text for sentence in about.sentences} == {"The crane lifts barrels.", "The crane needs oil."}
    assert [sentence.text for sentence in memory.summarize(entity="crane", session_id="s2").sentences] == ["The crane needs oil."]


def test_a_small_budget_keeps_what_is_central_and_says_that_more_was_left_out(memory: HindsightGraph) -> None:
    for number in range(12):
        memory.remember(f"The payment service times out when Postgres restarts, case {number}.", kind="fact")
    memory.remember("A parrot sat on the roof.", kind="fact")
    found = memory.summarize(since=NOW - timedelta(days=1), max_tokens=60)
    assert len(found.sentences) == 1
    assert "payment service times out" in found.sentences[0].text
    assert found.tokens <= 60
    assert (found.truncated, found.memories) == (True, 13)
    both = memory.summarize(since=NOW - timedelta(days=1), max_tokens=2_000)
    assert len(both.sentences) == 13
    assert both.truncated is False


def test_what_several_agents_say_in_the_same_words_is_one_sentence_with_all_its_sources(memory: HindsightGraph) -> None:
    one = memory.remember("The ledger listens on 5433.", agent_id="a", visibility="shared").memories[0]
    two = memory.remember("The ledger listens on 5433.", agent_id="b", visibility="shared").memories[0]
    (only,) = memory.summarize(since=NOW - timedelta(days=1)).sentences
    assert set(only.memory_ids) == {one.id, two.id}


def test_what_was_superseded_archived_or_distrusted_is_not_told(memory: HindsightGraph, clock: ManualClock) -> None:
    old = memory.remember("The ledger listens on 5433.").memories[0]
    clock.advance(timedelta(hours=1))
    memory.update(old.id, "The ledger listens on 5434.")
    memory.forget(memory.remember("The crane is red.").memories[0].id)
    memory.remember("The web says the crane is blue.", origin="web")
    memory.remember("Check the order before a refund.", kind="strategy", pending=True)
    found = memory.summarize(since=NOW - timedelta(days=1))
    assert [sentence.text for sentence in found.sentences] == ["The ledger listens on 5434."]


def test_the_same_store_and_question_give_the_same_summary(memory: HindsightGraph) -> None:
    for number in range(30):
        memory.remember(f"Crane {number % 7} lifts barrel {number}.", kind="fact")
    assert memory.summarize(entity=None, since=NOW - timedelta(1)) == memory.summarize(since=NOW - timedelta(1))


def test_nothing_remembered_is_an_empty_summary_and_nothing_asked_an_error(memory: HindsightGraph) -> None:
    assert memory.summarize(session_id="none").sentences == ()
    with pytest.raises(InputError, match="needs a window, a session or an entity"):
        memory.summarize()
    with pytest.raises(InputError, match="is not after since"):
        memory.summarize(since=NOW, until=NOW)
    with pytest.raises(InputError, match="max_tokens 0 is less than 1"):
        memory.summarize(since=NOW, max_tokens=0)
    with pytest.raises(NotFoundError, match="nobody"):
        memory.summarize(entity="nobody")
