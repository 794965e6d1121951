"""The two faces of the engine, its status and its doctor."""

import asyncio
import inspect
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.embedding.base import Matrix
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import (
    ConfigError,
    CursorError,
    HindsightGraphError,
    InputError,
    ModelMismatchError,
    StoreUnavailableError,
)
from hindsight_graph.pipelines.session import SessionHandle
from hindsight_graph.sync import BlockingSession
from hindsight_graph.testing.patience import patient_settings

CALLS = (
    "paths neighbours entity episode ready warm "
    "remember remember_many retain resume recall expect chain impact causes cycles update history revert forget get list session "
    "entities merge_entities split_entity summarize status totals sessions doctor close acting_for"
).split()


@pytest.mark.requirement("A-01")
@pytest.mark.parametrize("name", CALLS)
def test_both_faces_have_the_same_calls_with_the_same_arguments(name: str) -> None:
    blocking, asynchronous = getattr(HindsightGraph, name), getattr(AsyncHindsightGraph, name)
    assert list(inspect.signature(blocking).parameters) == list(inspect.signature(asynchronous).parameters)
    assert inspect.getdoc(blocking)


def test_one_open_engine_acts_for_several_tenants_and_agents_each_behind_its_wall(memory: HindsightGraph) -> None:
    one, other = memory.acting_for(tenant="one", agent_id="a"), memory.acting_for(tenant="other")
    kept = one.remember("The port of the ledger is 5433.").memories[0]
    assert kept.agent_id == "a"
    assert [hit.memory.id for hit in one.recall("ledger port").results] == [kept.id]
    assert other.recall("ledger port").results == memory.recall("ledger port").results == ()
    with pytest.raises(InputError):
        memory.acting_for(tenant=" ")


@pytest.mark.requirement("A-01")
def test_the_faces_have_no_call_that_the_other_lacks() -> None:
    def public(face: type) -> set[str]:
        return {name for name, value in vars(face).items() if not name.startswith("_") and callable(value)}

    assert public(AsyncHindsightGraph) - {"open"} == public(HindsightGraph) == set(CALLS)
    assert public(SessionHandle) == public(BlockingSession)


@pytest.mark.requirement("A-01")
async def test_the_asynchronous_face_remembers_and_recalls(store_url: str) -> None:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings()) as memory:
        receipt = await memory.remember("The harbour portal depends on the tide service.")
        answers = await asyncio.gather(*(memory.recall("what does the portal need?") for _ in range(8)))
        assert {answer.results[0].id for answer in answers} == {receipt.memories[0].id}


def test_threads_may_share_the_blocking_face(memory: HindsightGraph) -> None:
    def write(number: int) -> None:
        for index in range(10):
            memory.remember(f"Worker {number} saw crane {index} move", entities=[f"crane {index}"])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.status().stats.memories == 40
    assert memory.status().stats.entities == 10


def test_a_closed_memory_says_so(store_url: str) -> None:
    memory = HindsightGraph(store_url, settings=patient_settings())
    memory.close()
    memory.close()
    with pytest.raises(HindsightGraphError, match="this memory is closed"):
        memory.status()


@pytest.mark.requirement("O-01")
def test_a_memory_in_ram_needs_no_file() -> None:
    with HindsightGraph("sqlite:///:memory:", settings=patient_settings()) as memory:
        memory.remember("The harbour portal depends on the tide service.")
        assert len(memory.recall("harbour portal").results) == 1


@pytest.mark.requirement("O-01")
def test_two_engines_on_one_file_see_each_others_writes(memory: HindsightGraph, store_url: str, clock: ManualClock) -> None:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as other:
        assert other.recall("tide service").results == ()
        receipt = memory.remember("The tide service is written in Rust.")
        assert [hit.id for hit in other.recall("tide service").results] == [receipt.memories[0].id]
        other.forget(receipt.memories[0].id)
        assert memory.recall("tide service").results == ()


def test_a_store_filled_by_another_embedder_is_refused(memory: HindsightGraph, store_url: str) -> None:
    memory.remember("The tide service is written in Rust.")
    with pytest.raises(ModelMismatchError, match=r"hashing-384.*hashing-64"):
        HindsightGraph(store_url, embedder=HashingEmbedder(64), settings=patient_settings())


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgres://x/y", "no store serves 'postgres://x/y'"),
        ("sqlite:memory.db", "no store serves"),
        ("sqlite:///", "no store serves"),
    ],
)
def test_a_url_that_no_store_serves_is_a_configuration_error(url: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        HindsightGraph(url, settings=patient_settings())


def test_an_unknown_embedder_is_a_configuration_error(store_url: str) -> None:
    with pytest.raises(ConfigError, match="unknown embedder 'bert'"):
        HindsightGraph(store_url, embedder="bert", settings=patient_settings())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "  "}, "text: is empty"),
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "kinds": ["rumour"]}, "kinds.0"),
        ({"query": "x", "kinds": "fact"}, "kinds takes a list, not one text"),
        ({"query": "x", "since": "yesterday"}, "since"),
        ({"query": "x", "profile": "loud"}, "unknown profile 'loud'"),
        ({"query": "x", "weights": {"charm": 1.0}}, "charm"),
        ({"query": "x", "cursor": "abc"}, "cursor"),
        ({"query": "x", "token_budget": 0}, "token_budget"),
        ({"query": "x", "statuses": ["lost"]}, "statuses.0"),
        ({"query": "nul\x00"}, r"control character U\+0000"),
    ],
)
def test_a_bad_question_is_refused_by_the_argument_that_is_wrong(
    memory: HindsightGraph, arguments: dict[str, object], words: str
) -> None:
    memory.remember("The tide service is written in Rust.")
    with pytest.raises(InputError, match=words):
        memory.recall(**arguments)  # pyright: ignore[reportArgumentType]


def test_list_pages_through_everything_once(memory: HindsightGraph) -> None:
    memory.remember_many([{"text": f"Crane number {index} is painted", "entities": [f"crane {index}"]} for index in range(25)])
    seen: list[str] = []
    page = memory.list(limit=10)
    while True:
        seen.extend(row.summary for row in page.rows)
        if page.cursor is None:
            break
        page = memory.list(limit=10, cursor=page.cursor)
    assert sorted(seen) == sorted(f"Crane number {index} is painted" for index in range(25))
    assert [row.summary for row in memory.list(entities=["Crane 7"]).rows] == ["Crane number 7 is painted"]
    with pytest.raises(CursorError, match="belongs to another list"):
        memory.list(limit=10, cursor=memory.list(limit=10).cursor, tags=["x"])
    with pytest.raises(InputError, match=r"limit 0 is outside 1..1000"):
        memory.list(limit=0)


@pytest.mark.requirement("G-01")
def test_a_relation_is_an_edge_owned_by_the_memory_that_states_it(memory: HindsightGraph, store_url: str) -> None:
    unit = memory.remember("Billing uses Kafka", relations=["Billing USES Kafka"], origin="agent", confidence=0.5).memories[0]
    (path,) = memory.chain("Billing", relations=["uses"]).paths
    (hop,) = path.hops
    assert (hop.source, hop.relation, hop.target, hop.memory_id) == ("Billing", "USES", "Kafka", unit.id)
    assert (hop.trust, hop.confidence, hop.score) == (0.6, 0.5, 0.3)
    assert hop.valid_from == unit.valid_from
    memory.forget(unit.id)
    assert memory.chain("Billing", relations=["uses"]).paths == ()


@pytest.mark.requirement("O-06")
def test_doctor_names_what_works_and_what_mends_the_rest(memory: HindsightGraph) -> None:
    memory.remember("The tide service is written in Rust.")
    checks = {check.name: check for check in memory.doctor()}
    assert all(check.ok for check in checks.values())
    assert checks["integrity"].detail == "tables, indexes and mirrors agree"
    assert checks["content"].detail == "1 memories, 2 entities, 1 episodes"
    assert checks["vectors"].detail == "0 memories without a vector"
    memory.retain([{"role": "user", "content": "The quay is closed."}], defer=True)
    jobs = next(check for check in memory.doctor() if check.name == "jobs")
    assert (jobs.ok, jobs.detail) == (False, "1 unfinished jobs")
    assert jobs.fix
    assert memory.resume() == 1
    assert all(check.ok for check in memory.doctor())


def test_status_says_what_the_memory_holds_and_runs_on(memory: HindsightGraph, tmp_path: Path) -> None:
    memory.remember("The tide service is written in Rust.")
    status = memory.status()
    assert (status.store.kind, status.store.location) == ("sqlite", str(tmp_path / "memory.db"))
    assert (status.embedder.name, status.extractor, status.tenant) == ("hashing-384", "rules-2", "default")
    assert status.stats.memories_by_kind == {"fact": 1}


def test_an_answer_that_ranked_only_some_candidates_says_how_to_reach_more(memory: HindsightGraph) -> None:
    memory.remember_many([{"text": f"Crane number {index} is painted", "entities": [f"crane {index}"]} for index in range(300)])
    answer = memory.recall("which crane is painted?", top_k=50)
    while answer.cursor is not None:
        answer = memory.recall("which crane is painted?", top_k=50, cursor=answer.cursor)
    assert answer.truncated
    assert "only the best 120 candidates were ranked" in answer.reasons[-1]


async def test_appends_to_one_session_wait_for_each_other(store_url: str) -> None:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings()) as memory:
        handles = [memory.session("c") for _ in range(3)]
        await asyncio.gather(*(handles[index % 3].append(f"turn {index}") for index in range(24)))
        assert (await handles[0].state()).turns == 24


class FailingEmbedder(HashingEmbedder):
    """Fails while told to, as a disk or an endpoint would."""

    is_down = False

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        if self.is_down:
            raise StoreUnavailableError("the disk is full")
        return await super().embed_passages(texts)


def test_a_job_that_failed_is_taken_up_at_once(store_url: str, clock: ManualClock) -> None:
    embedder = FailingEmbedder()
    with HindsightGraph(store_url, embedder=embedder, settings=patient_settings(), clock=clock) as memory:
        embedder.is_down = True
        with pytest.raises(StoreUnavailableError, match="1 of 1 messages are kept; they are extracted at the next start"):
            memory.retain([{"role": "user", "content": "The quay is closed."}])
        with pytest.raises(StoreUnavailableError, match="the disk is full"):
            memory.resume()
        embedder.is_down = False
        assert memory.resume() == 1
        assert memory.status().stats.open_jobs == 0
        assert [hit.summary for hit in memory.recall("quay").results] == ["The quay is closed."]
