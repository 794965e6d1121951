"""What a worker does every week: weights fall without retrieval, and strategies are checked against each other."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.api.metrics import Metrics
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.enums import Kind, Status
from hindsight_graph.models.learning import STRATEGY_KEY, Rule, RuleKind, Strategy
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import JobState
from hindsight_graph.testing.patience import patient_settings

WEEK = timedelta(weeks=1)


def told(memory: HindsightGraph, context: str = "Refund order 17", outcome: str = "failure") -> Memory:
    """Return an experience that somebody wrote down."""
    (kept,) = memory.learning.record(
        context=context,
        action="called refund",
        outcome=outcome,
        lesson="Check the payment with get_order before refund",
        tools=["refund"],
    ).memories
    return kept


@pytest.mark.requirement("X-09")
def test_a_weight_falls_by_a_twentieth_for_each_whole_week_without_retrieval(memory: HindsightGraph, clock: ManualClock) -> None:
    kept = told(memory)
    assert kept.weight == 0.5
    clock.advance(timedelta(days=6))
    assert memory.learning.decay().faded == 0
    clock.advance(timedelta(days=1))
    assert memory.learning.decay().faded == 1
    assert memory.get(kept.id).weight == pytest.approx(0.475)
    assert memory.learning.decay().faded == 0, "once in a week"
    clock.advance(3 * WEEK)
    memory.learning.decay()
    assert memory.get(kept.id).weight == pytest.approx(0.5 * 0.95**4)


@pytest.mark.requirement("X-09")
def test_what_was_retrieved_keeps_its_weight_and_recall_itself_moves_none(memory: HindsightGraph, clock: ManualClock) -> None:
    used, left = told(memory), told(memory, context="Deploy the billing service")
    clock.advance(timedelta(days=6))
    before = memory.get(used.id)
    assert memory.recall("Refund order", kinds=["experience"], top_k=1).results[0].id == used.id
    assert memory.get(used.id) == before
    clock.advance(timedelta(days=2))
    report = memory.learning.decay()
    assert (report.looked_at, report.faded) == (2, 1)
    assert (memory.get(used.id).weight, memory.get(left.id).weight) == (0.5, pytest.approx(0.475))


@pytest.mark.requirement("X-09")
def test_retrieval_is_known_after_a_restart(store_url: str, clock: ManualClock) -> None:
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        kept = told(memory)
        clock.advance(timedelta(days=6))
        assert memory.recall("Refund order", kinds=["experience"]).results
    clock.advance(timedelta(days=2))
    with HindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        assert memory.learning.decay().faded == 0
        assert memory.get(kept.id).weight == 0.5


@pytest.mark.requirement("X-09")
def test_at_the_floor_it_is_held_marked_to_archive_and_not_recalled(store_url: str, clock: ManualClock) -> None:
    settings = patient_settings(memory_ttl_days=0)
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        kept = told(memory)
        assert memory.recall("Refund order", kinds=["experience"]).results
        clock.advance(60 * WEEK)
        planned = memory.learning.decay(dry_run=True)
        assert (planned.to_archive, memory.get(kept.id).weight) == ((kept.id,), 0.5)
        assert memory.learning.decay().to_archive == (kept.id,)
        now = memory.get(kept.id)
        assert (now.weight, now.status, now.payload["to_archive"]) == (0.1, Status.STALE, True)
        assert memory.recall("Refund order", kinds=["experience"]).results == ()
        clock.advance(WEEK)
        assert memory.learning.decay().looked_at == 0


@pytest.mark.requirement("X-09")
@pytest.mark.requirement("X-08")
def test_an_experience_at_the_floor_is_still_evidence_and_no_strategy_falls_by_age(store_url: str, clock: ManualClock) -> None:
    settings = patient_settings(memory_ttl_days=0)
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        for number in (1, 2):
            told(memory, context=f"Refund order {number}")
        memory.learning.consolidate()
        (item,) = memory.learning.queue()
        memory.learning.approve(item.memory.id, reviewer="ann")
        before = memory.get(item.memory.id)
        clock.advance(60 * WEEK)
        assert len(memory.learning.decay().to_archive) == 2
        memory.learning.consolidate()
        after = memory.get(item.memory.id)
        assert (after.status, after.weight) == (Status.ACTIVE, before.weight)
        assert len(memory.learning.show(item.memory.id).supporting) == 2


def opposed(memory: HindsightGraph) -> tuple[str, str]:
    """Return two strategies that tell the opposite, which nobody compared: they were written by hand."""
    ids: list[str] = []
    for value in ("strict", "fast"):
        rule = Rule(kind=RuleKind.ARGUMENT, tool="deploy", other="mode", value=value)
        told = Strategy(guidance=f"Call deploy with mode={value}.", rule=rule)
        (kept,) = memory.remember(
            told.guidance,
            kind=Kind.STRATEGY,
            entities=["deploy"],
            relations=[],
            payload={STRATEGY_KEY: told.model_dump(mode="json")},
        ).memories
        ids.append(kept.id)
    return ids[0], ids[1]


@pytest.mark.requirement("X-10")
def test_the_check_marks_contradictions_once_and_puts_both_in_review(memory: HindsightGraph) -> None:
    pair = opposed(memory)
    planned = memory.learning.check(dry_run=True)
    assert planned.contradicting == (pair,)
    found = memory.learning.check()
    assert (found.checked, found.contradicting, found.standing, found.told) == (2, (pair,), 0, None)
    waiting = {item.memory.id: item for item in memory.learning.queue()}
    assert set(waiting) == set(pair)
    assert [one.id for one in waiting[pair[0]].contradicts] == [pair[1]]
    assert [one.code for one in waiting[pair[0]].strategy.concerns] == ["no_evidence", "contradicts"]
    again = memory.learning.check()
    assert (again.contradicting, again.standing) == ((), 1)


@pytest.fixture
def listener() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An operator's address: its URL, and what was posted to it."""
    posted: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            del format, args

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/told", posted
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.requirement("X-10")
def test_contradictions_are_logged_counted_and_posted_without_content(
    store_url: str, clock: ManualClock, listener: tuple[str, list[dict[str, Any]]], caplog: pytest.LogCaptureFixture
) -> None:
    url, posted = listener
    metrics = Metrics()
    settings = patient_settings(learning={"webhook_url": url})
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock, observer=metrics) as memory:
        pair = opposed(memory)
        caplog.clear()
        with caplog.at_level("WARNING", logger="hindsight_graph"):
            assert memory.learning.check().told is True
    assert posted == [{"event": "contradictions", "tenant": "default", "count": 1, "pairs": [list(pair)]}]
    assert [record.getMessage() for record in caplog.records] == ["contradicting strategies await review"]
    assert metrics.registry.get_sample_value("hindsight_graph_contradictions_found_total") == 1


@pytest.mark.requirement("X-10")
def test_a_webhook_that_nobody_listens_at_fails_no_check(store_url: str, clock: ManualClock) -> None:
    settings = patient_settings(learning={"webhook_url": "http://127.0.0.1:9/told"})
    with HindsightGraph(store_url, embedder="hashing", settings=settings, clock=clock) as memory:
        opposed(memory)
        found = memory.learning.check()
        assert (found.told, len(found.contradicting)) == (False, 1)
        assert found.fault.startswith("the webhook was not reached")


@pytest.mark.requirement("X-09")
@pytest.mark.requirement("X-10")
async def test_an_idle_worker_puts_in_one_job_of_each_kind_a_week_for_every_tenant(store_url: str, clock: ManualClock) -> None:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        other = memory.acting_for(tenant="other")
        for one in (memory, other):
            await one.learning.record(context="Refund order 17", action="called refund", outcome="failure")
        for _ in range(2):
            worker = memory.jobs.worker()
            assert worker.put_in is not None
            await worker.put_in()
            await worker.drain()
        for one in (memory, other):
            jobs = (await one.jobs.list()).rows
            assert sorted((job.id, job.state) for job in jobs) == [
                ("consistency-2026-W18", JobState.DONE),
                ("decay-2026-W18", JobState.DONE),
            ]
        clock.advance(WEEK)
        assert await memory.jobs.put_in_weekly() == 4
        await memory.jobs.work()
        (kept,) = (await memory.list(kinds=["experience"])).rows
        assert kept.weight == pytest.approx(0.475)
