"""Answers come in time, whatever the thing behind them does. The stalls are real: threads that wait and cannot be ended.

No test measures milliseconds: an answer that waited for the stalled thread would never come.
"""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.settings import Settings
from hindsight_graph.testing.faults import Stall, StallingEmbedder, stall_reads

SETTINGS = Settings.model_validate({"recall": {"deadline_ms": 300, "loading_ms": 300}, "chain": {"deadline_ms": 300}})
PATIENT = 60_000


@dataclass
class Harbour:
    """A memory whose embedder and whose store's reading thread can be stalled."""

    memory: AsyncHindsightGraph
    embedder: Stall
    store: Stall


@pytest.fixture
async def harbour(tmp_path: Path) -> AsyncGenerator[Harbour]:
    embedder, store = Stall(), Stall()
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    async with AsyncHindsightGraph(url, embedder=StallingEmbedder(HashingEmbedder(), embedder), settings=SETTINGS) as memory:
        await memory.remember("The pilot boat depends on the tide gauge.", relations=["pilot boat DEPENDS_ON tide gauge"])
        await memory.remember("The tide gauge depends on the solar panel.", relations=["tide gauge DEPENDS_ON solar panel"])
        stall_reads(memory, store)
        try:
            yield Harbour(memory, embedder, store)
        finally:
            embedder.open()
            store.open()


async def loaded(harbour: Harbour) -> None:
    answer = await harbour.memory.recall("pilot boat", deadline_ms=PATIENT)
    assert len(answer.results) == 2
    assert not answer.degraded


@pytest.mark.requirement("R-05")
async def test_a_stalled_embedder_costs_the_vectors_and_not_the_answer(harbour: Harbour) -> None:
    await loaded(harbour)
    harbour.embedder.close()
    answers = [await harbour.memory.recall(f"what about the tide gauge, {turn}?") for turn in range(30)]
    assert all(answer.degraded for answer in answers)
    assert all(answer.reasons[0].startswith("embed: ") for answer in answers)
    assert "the embedder did not answer within" in answers[0].reasons[0]
    assert "the embedder failed or was slow too often; it is asked again in" in answers[-1].reasons[0]
    assert {hit.summary for hit in answers[-1].results} == {
        "The pilot boat depends on the tide gauge.",
        "The tide gauge depends on the solar panel.",
    }


@pytest.mark.requirement("R-05")
async def test_a_stalled_store_gives_empty_answers_that_say_so(harbour: Harbour) -> None:
    await loaded(harbour)
    harbour.store.close()
    answers = [await harbour.memory.recall(f"what about the tide gauge, {turn}?") for turn in range(20)]
    assert all(answer.degraded and not answer.results for answer in answers)
    assert "plan: the store did not answer within" in answers[0].reasons[0]
    assert "plan: the store failed or was slow too often" in answers[-1].reasons[0]


@pytest.mark.requirement("R-05")
async def test_a_first_recall_does_not_wait_for_a_store_that_never_loads(harbour: Harbour) -> None:
    harbour.store.close()
    for deadline in (None, 200):
        answer = await harbour.memory.recall("the tide gauge", deadline_ms=deadline)
        assert answer.degraded
        assert not answer.results
        assert "load: the store is still loading what it searches" in answer.reasons[0]
    harbour.store.open()
    await loaded(harbour)


@pytest.mark.requirement("R-05")
@pytest.mark.parametrize("verb", ["chain", "impact", "causes"])
async def test_a_chain_question_comes_back_in_time_and_says_that_it_is_not_whole(harbour: Harbour, verb: str) -> None:
    harbour.store.close()
    chains = await getattr(harbour.memory, verb)("pilot boat")
    assert chains.degraded
    assert chains.truncated
    assert not chains.paths
    assert "300 ms" in chains.notes[0] or "did not answer within" in chains.notes[0]
    harbour.store.open()
    whole = await harbour.memory.chain("pilot boat", deadline_ms=PATIENT)
    assert not whole.degraded
    assert [path.nodes for path in whole.paths] == [("pilot boat", "tide gauge", "solar panel")]


@pytest.mark.requirement("R-05")
async def test_after_the_stall_one_probe_brings_the_whole_answer_back(harbour: Harbour) -> None:
    await loaded(harbour)
    harbour.embedder.close()
    for turn in range(8):
        await harbour.memory.recall(f"gauge {turn}")
    harbour.embedder.open()
    answer = await harbour.memory.recall("gauge", deadline_ms=PATIENT)
    while answer.degraded:
        assert "it is asked again in" in answer.reasons[0] or "have not come back" in answer.reasons[0]
        answer = await harbour.memory.recall("gauge", deadline_ms=PATIENT)
    assert len(answer.results) == 2


@pytest.mark.requirement("R-05")
async def test_writes_are_not_held_back_by_the_breaker_of_the_reads(harbour: Harbour) -> None:
    await loaded(harbour)
    harbour.embedder.close()
    for turn in range(8):
        await harbour.memory.recall(f"gauge {turn}")
    receipt = await harbour.memory.remember("The solar panel stands on the pier.")
    assert [memory.summary for memory in receipt.memories] == ["The solar panel stands on the pier."]


async def test_a_filter_that_cannot_be_looked_up_finds_nothing_rather_than_everything(harbour: Harbour) -> None:
    await loaded(harbour)
    harbour.store.close()
    answer = await harbour.memory.recall("tide gauge", entities=["solar panel"])
    assert answer.degraded
    assert [stage.name for stage in answer.trace.stages] == ["embed", "plan", "page"]


async def test_the_deadline_is_no_part_of_the_question_that_a_cursor_belongs_to(harbour: Harbour) -> None:
    first = await harbour.memory.recall("tide gauge", top_k=1, deadline_ms=PATIENT)
    second = await harbour.memory.recall("tide gauge", top_k=1, deadline_ms=PATIENT + 1, cursor=first.cursor)
    assert {first.results[0].id, second.results[0].id} == {hit.id for hit in (await harbour.memory.recall("tide gauge")).results}


@pytest.mark.requirement("R-05")
async def test_who_gets_no_turn_in_time_is_told_and_the_next_one_is_answered(tmp_path: Path) -> None:
    stall = Stall()
    settings = Settings.model_validate({"recall": {"deadline_ms": 300, "at_once": 1}})
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    async with AsyncHindsightGraph(url, embedder=StallingEmbedder(HashingEmbedder(), stall), settings=settings) as memory:
        await memory.remember("The tide gauge depends on the solar panel.")
        await memory.recall("warm", deadline_ms=PATIENT)
        stall.close()
        slow = asyncio.create_task(memory.recall("what does the tide gauge need?", deadline_ms=PATIENT))
        crowd = await asyncio.gather(*(memory.recall(f"tide gauge {turn}") for turn in range(20)))
        stall.open()
        assert all(answer.degraded and not answer.results for answer in crowd)
        assert {answer.reasons[0] for answer in crowd} == {
            "turn: 1 at work at once, and none ended in time; ask again in a moment"
        }
        assert len((await slow).results) == 1
        assert len((await memory.recall("tide gauge", deadline_ms=PATIENT)).results) == 1
