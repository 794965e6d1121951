"""Durable jobs through the engine: what a worker does when work fails, dies, is cancelled or stopped. No test waits for time."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.embedding.base import Matrix
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import ConflictError, InputError, NotFoundError, StoreError, StoreUnavailableError
from hindsight_graph.models.query import DEFAULT_LEASE
from hindsight_graph.models.record import JobState
from hindsight_graph.pipelines.work import JobHandler, JobPolicy, JobRun, Worker
from hindsight_graph.testing.builders import NOW
from hindsight_graph.testing.patience import patient_settings

pytestmark = pytest.mark.requirement("O-05")


class Pauses:
    """Waiting that ends when the test says so."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._begun = asyncio.Event()
        self._gate = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._begun.set()
        gate = self._gate
        await gate.wait()

    async def begun(self) -> None:
        """Return once somebody waits."""
        await self._begun.wait()

    def end(self) -> None:
        """End all waiting there is now."""
        gate, self._gate, self._begun = self._gate, asyncio.Event(), asyncio.Event()
        gate.set()


@pytest_asyncio.fixture
async def memory(store_url: str, clock: ManualClock) -> AsyncIterator[AsyncHindsightGraph]:
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as opened:
        yield opened


def register(memory: AsyncHindsightGraph, handler: JobHandler, kind: str = "test") -> None:
    memory.jobs.registry.add(kind, handler)


def failing(error: BaseException) -> JobHandler:
    async def work(run: JobRun) -> None:
        raise error

    return work


async def test_a_job_is_committed_done_and_looked_up(memory: AsyncHindsightGraph) -> None:
    async def double(run: JobRun) -> Mapping[str, Any]:
        return {"doubled": run.job.payload["n"] * 2}

    register(memory, double)
    job = await memory.jobs.enqueue("test", {"n": 21}, job_id="mine")
    assert (job.state, job.attempts) == (JobState.QUEUED, 0)
    assert await memory.jobs.enqueue("test", {"n": 5}, job_id="mine") == job
    assert await memory.jobs.work() == 1
    done = await memory.jobs.get("mine")
    assert (done.state, done.attempts, done.result) == (JobState.DONE, 1, {"doubled": 42})
    assert done.owner is not None


async def test_a_kind_without_a_handler_and_a_missing_job_are_said(memory: AsyncHindsightGraph) -> None:
    with pytest.raises(
        InputError, match=r"no kind of job is named 'dream' \(one of consistency, consolidate, decay, extract, reembed, reflect\)"
    ):
        await memory.jobs.enqueue("dream")
    with pytest.raises(NotFoundError, match="no job nowhere"):
        await memory.jobs.get("nowhere")
    with pytest.raises(InputError, match=r"unknown state 'gone' \(one of queued, running, done, failed, cancelled\)"):
        await memory.jobs.list(states=["gone"])


async def test_a_failing_job_waits_twice_as_long_each_time_and_is_then_given_up(
    memory: AsyncHindsightGraph, clock: ManualClock
) -> None:
    register(memory, failing(RuntimeError("the model is on fire")))
    job = await memory.jobs.enqueue("test", max_attempts=3)
    for wait in (5, 10):
        assert await memory.jobs.work() == 0
        found = await memory.jobs.get(job.id)
        assert (found.state, found.error) == (JobState.QUEUED, "RuntimeError: the model is on fire")
        assert found.not_before == clock.now() + timedelta(seconds=wait)
        attempts = found.attempts
        clock.advance(timedelta(seconds=wait - 1))
        await memory.jobs.work()
        assert (await memory.jobs.get(job.id)).attempts == attempts
        clock.advance(timedelta(seconds=1))
    await memory.jobs.work()
    dead = await memory.jobs.get(job.id)
    assert (dead.state, dead.attempts, dead.finished_at) == (JobState.FAILED, 3, clock.now())
    assert [found.id for found in (await memory.jobs.list(states=["failed"])).rows] == [job.id]


def test_the_wait_between_attempts_has_a_longest() -> None:
    policy = JobPolicy()
    assert policy.next_attempt(NOW, 7) == NOW + timedelta(seconds=320)
    assert policy.next_attempt(NOW, 8) == policy.next_attempt(NOW, 10_000) == NOW + timedelta(minutes=10)


async def test_a_given_up_job_is_tried_again_when_asked(memory: AsyncHindsightGraph) -> None:
    is_down = True

    async def work(run: JobRun) -> None:
        if is_down:
            raise RuntimeError("no")

    register(memory, work)
    job = await memory.jobs.enqueue("test", max_attempts=1)
    await memory.jobs.work()
    is_down = False
    assert await memory.jobs.work() == 0
    again = await memory.jobs.retry(job.id, reason="mended")
    assert (again.state, again.max_attempts) == (JobState.QUEUED, 6)
    assert await memory.jobs.work() == 1
    with pytest.raises(ConflictError, match="is done"):
        await memory.jobs.retry(job.id)


async def test_what_no_retry_can_mend_is_given_up_at_once(memory: AsyncHindsightGraph) -> None:
    register(memory, failing(InputError("n is missing")))
    job = await memory.jobs.enqueue("test")
    await memory.jobs.work()
    found = await memory.jobs.get(job.id)
    assert (found.state, found.attempts, found.error) == (JobState.FAILED, 1, "InputError: n is missing")


async def test_a_worker_that_died_gives_its_job_back_when_its_lease_is_over(
    memory: AsyncHindsightGraph, store_url: str, clock: ManualClock
) -> None:
    begun = asyncio.Event()
    late: list[JobRun] = []

    async def hang(run: JobRun) -> None:
        late.append(run)
        begun.set()
        await asyncio.Event().wait()

    async def work(run: JobRun) -> Mapping[str, Any]:
        return {"by": "second"}

    register(memory, hang)
    job = await memory.jobs.enqueue("test")
    dead = asyncio.create_task(memory.jobs.worker(owner="first", pause=Pauses()).run())
    await begun.wait()
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings(), clock=clock) as other:
        register(other, work)
        assert await other.jobs.work() == 0
        clock.advance(DEFAULT_LEASE)
        assert await other.jobs.work() == 1
    dead.cancel()
    await asyncio.wait({dead})
    done = await memory.jobs.get(job.id)
    assert (done.state, done.attempts, done.result) == (JobState.DONE, 2, {"by": "second"})
    assert late[0].job.attempts == 1


async def test_a_lost_lease_stops_the_work_and_writes_nothing(memory: AsyncHindsightGraph, clock: ManualClock) -> None:
    pauses, stopped = Pauses(), asyncio.Event()

    async def hang(run: JobRun) -> None:
        if run.job.attempts > 1:
            return
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    register(memory, hang)
    job = await memory.jobs.enqueue("test")
    first = asyncio.create_task(memory.jobs.worker(owner="first", pause=pauses).work_once())
    await pauses.begun()
    clock.advance(DEFAULT_LEASE)
    assert await memory.jobs.work() == 1
    pauses.end()
    assert await first == 1
    assert stopped.is_set()
    assert (await memory.jobs.get(job.id)).attempts == 2


async def test_work_that_takes_longer_than_a_lease_keeps_its_job(memory: AsyncHindsightGraph, clock: ManualClock) -> None:
    pauses, go_on = Pauses(), asyncio.Event()

    async def slow(run: JobRun) -> None:
        await go_on.wait()

    register(memory, slow)
    job = await memory.jobs.enqueue("test")
    working = asyncio.create_task(memory.jobs.worker(pause=pauses).work_once())
    for _ in range(6):
        await pauses.begun()
        clock.advance(DEFAULT_LEASE / 2)
        pauses.end()
        await pauses.begun()
        assert (await memory.jobs.get(job.id)).lease_until == clock.now() + DEFAULT_LEASE
        assert await memory.jobs.work() == 0
    go_on.set()
    assert await working == 1
    assert pauses.asked[0] == 20
    assert (await memory.jobs.get(job.id)).state is JobState.DONE


async def test_cancelling_stops_running_work_at_its_next_sign_of_life(memory: AsyncHindsightGraph) -> None:
    pauses, undone = Pauses(), asyncio.Event()

    async def hang(run: JobRun) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            undone.set()

    register(memory, hang)
    job = await memory.jobs.enqueue("test")
    working = asyncio.create_task(memory.jobs.worker(pause=pauses).work_once())
    await pauses.begun()
    asked = await memory.jobs.cancel(job.id, reason="not needed")
    assert (asked.state, asked.cancel_requested) == (JobState.RUNNING, True)
    pauses.end()
    assert await working == 1
    assert undone.is_set()
    assert (await memory.jobs.get(job.id)).state is JobState.CANCELLED


async def test_a_queued_job_that_is_cancelled_never_runs(memory: AsyncHindsightGraph) -> None:
    register(memory, failing(AssertionError("it ran")))
    job = await memory.jobs.enqueue("test")
    assert (await memory.jobs.cancel(job.id)).state is JobState.CANCELLED
    assert await memory.jobs.work() == 0
    with pytest.raises(ConflictError, match="is cancelled already"):
        await memory.jobs.cancel(job.id)


async def test_a_worker_that_is_stopped_gives_its_job_back_uncounted(memory: AsyncHindsightGraph) -> None:
    begun = asyncio.Event()

    async def hang(run: JobRun) -> None:
        begun.set()
        if run.job.attempts == 1:
            await asyncio.Event().wait()

    register(memory, hang)
    job = await memory.jobs.enqueue("test", max_attempts=1)
    worker = asyncio.create_task(memory.jobs.worker().run())
    await begun.wait()
    worker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await worker
    back = await memory.jobs.get(job.id)
    assert (back.state, back.error, back.attempts, back.max_attempts) == (JobState.QUEUED, "its worker was stopped", 1, 2)
    assert await memory.jobs.work() == 1


async def test_an_idle_worker_looks_again_after_a_pause(memory: AsyncHindsightGraph) -> None:
    pauses, did = Pauses(), asyncio.Event()

    async def work(run: JobRun) -> None:
        did.set()

    register(memory, work)
    worker = asyncio.create_task(memory.jobs.worker(pause=pauses).run())
    await pauses.begun()
    assert pauses.asked == [1.0]
    await memory.jobs.enqueue("test")
    pauses.end()
    await did.wait()
    worker.cancel()
    await asyncio.wait({worker})


class OddStoreError(StoreError):
    """Another failure of a store."""


@pytest.mark.parametrize("error", [StoreUnavailableError("the disk is away"), OddStoreError("odd")])
async def test_a_worker_outlives_a_store_that_goes_away(memory: AsyncHindsightGraph, error: StoreError) -> None:
    pauses = Pauses()
    worker = memory.jobs.worker(pause=pauses)
    failures = [error]

    class Store:
        """The store, away at the first claim."""

        def __getattr__(self, name: str) -> Any:
            if name == "claim_jobs" and failures:
                raise failures.pop()
            return getattr(worker.store, name)

    done = asyncio.Event()

    async def work(run: JobRun) -> None:
        done.set()

    register(memory, work)
    await memory.jobs.enqueue("test")
    running = asyncio.create_task(Worker(Store(), worker.clock, worker.handlers, pause=pauses).run())  # pyright: ignore[reportArgumentType]
    await pauses.begun()
    pauses.end()
    await done.wait()
    running.cancel()
    await asyncio.wait({running})


async def test_a_job_whose_store_went_away_is_given_back_uncounted(memory: AsyncHindsightGraph) -> None:
    register(memory, failing(StoreUnavailableError("the disk is full")))
    job = await memory.jobs.enqueue("test", max_attempts=1)
    with pytest.raises(StoreUnavailableError, match="the disk is full"):
        await memory.jobs.work()
    back = await memory.jobs.get(job.id)
    assert (back.state, back.not_before, back.max_attempts) == (JobState.QUEUED, None, 2)


@pytest.mark.requirement("M-04")
async def test_deferred_extraction_is_a_job_whose_result_names_the_memories(memory: AsyncHindsightGraph) -> None:
    receipt = await memory.retain(
        [{"role": "user", "content": "The portal depends on the tide service."}, {"role": "user", "content": "hi"}], defer=True
    )
    assert receipt.job_id is not None
    job = await memory.jobs.get(receipt.job_id)
    assert (job.kind, job.state) == ("extract", JobState.QUEUED)
    assert await memory.jobs.work() == 1
    done = await memory.jobs.get(job.id)
    (kept,) = (await memory.list()).rows
    assert (done.state, done.result["memory_ids"], done.result["kept"], done.result["dropped"]) == (
        JobState.DONE, [kept.id], 1, 1,
    )  # fmt: skip


async def test_extraction_within_the_call_is_left_alone_by_workers(store_url: str, clock: ManualClock) -> None:
    tried: list[int] = []

    class Embedder(HashingEmbedder):
        """Lets another worker look for jobs in the middle of an extraction."""

        async def embed_passages(self, texts: Sequence[str]) -> Matrix:
            tried.append(await memory.jobs.work())
            return await super().embed_passages(texts)

    memory = AsyncHindsightGraph(store_url, embedder=Embedder(), settings=patient_settings(), clock=clock)
    async with memory:
        await memory.retain([{"role": "user", "content": "The portal depends on the tide service."}])
        (job,) = (await memory.jobs.list()).rows
    assert (job.state, job.attempts, tried) == (JobState.DONE, 1, [0])


async def test_jobs_of_another_tenant_or_agent_are_missing_ones(memory: AsyncHindsightGraph) -> None:
    job = await memory.acting_for(agent_id="a").jobs.enqueue("extract", {"episode_ids": []})
    for other in (memory.acting_for(tenant="other"), memory.acting_for(agent_id="b")):
        assert (await other.jobs.list()).rows == ()
        for call in (other.jobs.get, other.jobs.cancel, other.jobs.retry):
            with pytest.raises(NotFoundError, match=f"no job {job.id}"):
                await call(job.id)
    assert [found.id for found in (await memory.jobs.list()).rows] == [job.id]


async def test_cancel_and_retry_leave_an_audit_entry(memory: AsyncHindsightGraph) -> None:
    job = await memory.jobs.enqueue("extract", {"episode_ids": []})
    await memory.jobs.cancel(job.id, reason="by mistake")
    await memory.jobs.retry(job.id)
    entries = await memory._store.scan_audit(memory._scope, target_id=job.id)  # pyright: ignore[reportPrivateUsage]
    assert [(entry.action, entry.reason) for entry in entries] == [("job_retry", ""), ("job_cancel", "by mistake")]


def test_the_blocking_face_has_the_same_jobs(tmp_path: Path, clock: ManualClock) -> None:
    with HindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        receipt = memory.retain([{"role": "user", "content": "The quay is closed."}], defer=True)
        assert receipt.job_id is not None
        assert memory.jobs.list(states=["queued"]).rows[0].id == receipt.job_id
        assert memory.jobs.work() == 1
        assert memory.jobs.wait(receipt.job_id).state is JobState.DONE


@pytest.mark.requirement("M-07")
async def test_two_processes_that_leave_the_same_call_to_a_job_leave_one_job(memory: AsyncHindsightGraph, store_url: str) -> None:
    messages = [{"role": "user", "content": "The port is 5433."}]
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings()) as other:
        first, second = await asyncio.gather(
            memory.retain(messages, defer=True, idempotency_key="k"), other.retain(messages, defer=True, idempotency_key="k")
        )
    assert first == second
    assert [job.id for job in (await memory.jobs.list()).rows] == [first.job_id]
