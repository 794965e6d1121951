"""A question for the value of a slot is answered by the statement that sets it, not by a text that repeats the question."""

from datetime import timedelta

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock

STORIES = [
    pytest.param(
        ("The port of the staging ledger is 5432", "The port of the staging ledger is 5433 now"),
        (
            "Someone asked what the port of the staging ledger is while the port scan of the staging ledger was running",
            "The staging ledger depends on the port authority service",
            "The port of the production ledger is 9000",
        ),
        "What is the port of the staging ledger?",
        id="English",
    ),
    pytest.param(
        ("暂存账本的端口是5432", "暂存账本的端口现在是5433"),
        ("有人问暂存账本的端口，说暂存账本的端口扫描还在跑，暂存账本的端口没有找到", "生产账本的端口是9000"),
        "暂存账本的端口是多少？",
        id="Chinese",
    ),
    pytest.param(
        ("My favourite colour is red", "My favourite colour is green"),
        ("Colours are a favourite topic of mine, what colour is your favourite colour?",),
        "What is my favourite colour?",
        id="about the speaker",
    ),
]


@pytest.mark.requirement("R-02")
@pytest.mark.parametrize(("values", "distractors", "question"), STORIES)
def test_the_current_value_of_a_slot_comes_first(
    memory: HindsightGraph, clock: ManualClock, values: tuple[str, str], distractors: tuple[str, ...], question: str
):
    for text in (values[0], *distractors):
        memory.remember(text)
    clock.advance(timedelta(hours=1))
    current = memory.remember(values[1]).memories[0]
    answer = memory.recall(question, top_k=1)
    assert [hit.memory.id for hit in answer.results] == [current.id]
    part = answer.results[0].components["slot"]
    assert (part.raw, part.contribution) == (1.0, pytest.approx(part.weight))


@pytest.mark.requirement("R-02")
def test_without_its_weight_the_slot_counts_nothing(memory: HindsightGraph):
    memory.remember("The port of the staging ledger is 5433")
    (hit,) = memory.recall("What is the port of the staging ledger?", weights={"slot": 0}).results
    assert "slot" not in hit.components
