"""The worker: claims jobs, runs what was registered for their kind, and writes how they ended.

A job belongs to whoever holds its lease. The lease is extended while the work goes on; a worker that dies stops extending, and
another one takes the job. What the first still writes is refused, because the number of its attempt is over.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, InputError, LeaseLostError, StoreError, StoreUnavailableError
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.models.record import FinishedJob, Job, JobState, WriteBatch
from hindsight_graph.stores.base import Store

_LOG = logging.getLogger(__name__)
_BEATS_PER_LEASE = 3
"""Signs of life within one lease: two may be lost before the job is."""
_ERROR_LIMIT = 500
_CALENDAR = timedelta(hours=1)
"""How often an idle worker looks whether something is due by the calendar."""
Pause = Callable[[float], Awaitable[object]]
"""Waits that many seconds."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """One attempt at a job, as its handler gets it.

    Attributes:
        scope: Tenant and agent the job was written in.
    """

    scope: Scope
    job: Job
    clock: Clock

    def done(self, result: Mapping[str, Any] | None = None) -> FinishedJob:
        """Return the job's end, for the transaction that writes its results; it is refused when the lease is lost."""
        return FinishedJob(
            id=self.job.id,
            state=JobState.DONE,
            finished_at=self.clock.now(),
            attempt=self.job.attempts,
            result=dict(result or {}),
        )


JobHandler = Callable[[JobRun], Awaitable[Mapping[str, Any] | None]]
"""Does a job and returns its result. It either writes `JobRun.done` with its results in one transaction, or leaves the end to the
worker. It must be safe to repeat; it is cancelled when the job is, or when the lease is lost."""


@dataclass(frozen=True, slots=True)
class JobPolicy:
    """How jobs are leased and tried again.

    Attributes:
        lease: How long a worker may be silent. max_attempts: of a new job.
        backoff: Wait after the first failed attempt; doubles with each further one, up to `backoff_limit`.
        poll: How long an idle worker waits before it looks again. concurrency: jobs at once in one worker.
    """

    lease: timedelta = timedelta(minutes=1)
    max_attempts: int = 5
    backoff: timedelta = timedelta(seconds=5)
    backoff_limit: timedelta = timedelta(minutes=10)
    poll: timedelta = timedelta(seconds=1)
    concurrency: int = 1

    def next_attempt(self, now: datetime, attempts: int) -> datetime:
        """Return when a job may be tried again after that many failed attempts."""
        doublings = min(max(0, attempts - 1), 30)
        return now + min(self.backoff * 2**doublings, self.backoff_limit)


@dataclass
class Worker:
    """Works on jobs of the kinds it has handlers for, of every tenant.

    Attributes:
        handlers: Kind -> what does it. owner: the name it leaves on what it claims.
        pause: How it waits; injected so that tests need not.
        put_in: Puts in what is due by the calendar; asked when there is nothing else to do, at most every hour.
    """

    store: Store
    clock: Clock
    handlers: Mapping[str, JobHandler]
    policy: JobPolicy = field(default_factory=JobPolicy)
    owner: str = "worker"
    pause: Pause = asyncio.sleep
    put_in: Callable[[], Awaitable[int]] | None = None
    _asked_at: datetime | None = None

    async def run(self) -> None:
        """Work until cancelled; then give back what is under way, uncounted. A store that is away is waited for."""
        async with asyncio.TaskGroup() as slots:
            for _ in range(self.policy.concurrency):
                slots.create_task(self._run_slot())

    async def _run_slot(self) -> None:
        while True:
            try:
                did = await self.work_once() or await self._look_at_calendar()
            except StoreError as error:
                _LOG.warning("jobs wait until the store is back: %s", error)
                did = 0
            if not did:
                await self.pause(self.policy.poll.total_seconds())

    async def _look_at_calendar(self) -> int:
        """Put in what the calendar asks for, once an hour; returns how many jobs."""
        now = self.clock.now()
        if self.put_in is None or (self._asked_at is not None and now - self._asked_at < _CALENDAR):
            return 0
        self._asked_at = now
        return await self.put_in()

    async def drain(self, kinds: Sequence[str] | None = None, limit: int | None = None, *, eager: bool = False) -> int:
        """Work on what is due until nothing is; returns how many jobs were done.

        Args:
            kinds: Only these; all that have a handler when absent.
            limit: How many attempts at most.
            eager: Take jobs that were never tried before they are due.

        Raises:
            StoreUnavailableError: The store went away; the job was given back if that could be written.
        """
        done = tried = 0
        while limit is None or tried < limit:
            claimed = await self._claim(kinds, eager=eager)
            if claimed is None:
                break
            tried += 1
            done += await self._attempt(*claimed) is JobState.DONE
        return done

    async def work_once(self) -> int:
        """Work on one job; returns how many were tried, 0 or 1."""
        claimed = await self._claim(None, eager=False)
        if claimed is None:
            return 0
        await self._attempt(*claimed)
        return 1

    async def _claim(self, kinds: Sequence[str] | None, *, eager: bool) -> tuple[Scope, Job] | None:
        wanted = tuple(self.handlers if kinds is None else kinds)
        claimed = await self.store.claim_jobs(
            SystemScope(), wanted, 1, self.clock.now(), self.policy.lease, owner=self.owner, eager=eager
        )
        return claimed[0] if claimed else None

    async def _attempt(self, scope: Scope, job: Job) -> JobState | None:
        """Run a claimed job and write how it ended; returns the state written, None when it was taken over."""
        work = asyncio.ensure_future(self.handlers[job.kind](JobRun(scope, job, self.clock)))
        try:
            stopped_by = await self._watch(scope, job, work)
        except asyncio.CancelledError:
            await _stop(work)
            await self._give_back(scope, job, "its worker was stopped")
            raise
        if stopped_by is not None:
            await _stop(work)
        try:
            end = await self._end_of(scope, job, work, stopped_by)
            if end is None:
                return None
            await self.store.write(scope, WriteBatch(finished_jobs=(end,)))
        except LeaseLostError as error:
            _LOG.warning("job %s (%s) was taken over or ended: %s", job.id, job.kind, error.message)
            return None
        _LOG.info("job %s (%s) attempt %d: %s", job.id, job.kind, job.attempts, end.state.value)
        return end.state

    async def _watch(self, scope: Scope, job: Job, work: "asyncio.Future[Any]") -> JobState | None:
        """Extend the lease until the work ends; returns why it must end at once, if it must.

        Returns:
            CANCELLED when the job is to be cancelled, RUNNING when someone else has it, None when the work ended by itself.
        """
        pulse = self.policy.lease.total_seconds() / _BEATS_PER_LEASE
        while True:
            wait = asyncio.ensure_future(self.pause(pulse))
            try:
                await asyncio.wait({work, wait}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                wait.cancel()
            if work.done():
                return None
            try:
                until = self.clock.now() + self.policy.lease
                if (await self.store.heartbeat(scope, job.id, job.attempts, until)).cancel_requested:
                    return JobState.CANCELLED
            except LeaseLostError:
                return JobState.RUNNING
            except StoreUnavailableError as error:
                _LOG.warning("the lease of job %s could not be extended: %s", job.id, error)

    async def _end_of(
        self, scope: Scope, job: Job, work: "asyncio.Future[Mapping[str, Any] | None]", stopped_by: JobState | None
    ) -> FinishedJob | None:
        """Return what is to be written about an attempt that ended; None when nothing is."""
        run = JobRun(scope, job, self.clock)
        if not work.cancelled() and work.exception() is None:
            return run.done(work.result())
        if stopped_by is JobState.RUNNING:
            return None
        if stopped_by is JobState.CANCELLED:
            return run.done().model_copy(update={"state": JobState.CANCELLED})
        error = None if work.cancelled() else work.exception()
        if isinstance(error, LeaseLostError):
            raise error
        if isinstance(error, StoreUnavailableError):
            await self._give_back(scope, job, str(error))
            raise error
        if error is not None and not isinstance(error, Exception):
            await self._give_back(scope, job, "its worker was stopped")
            raise error
        return self._failed(job, error or asyncio.CancelledError("the work cancelled itself"))

    def _failed(self, job: Job, error: BaseException) -> FinishedJob:
        _LOG.warning("job %s (%s) failed at attempt %d", job.id, job.kind, job.attempts, exc_info=error)
        is_hopeless = isinstance(error, InputError) and not isinstance(error, ConflictError)
        is_last = is_hopeless or job.attempts >= job.max_attempts
        now = self.clock.now()
        return FinishedJob(
            id=job.id,
            state=JobState.FAILED if is_last else JobState.QUEUED,
            finished_at=now,
            attempt=job.attempts,
            not_before=None if is_last else self.policy.next_attempt(now, job.attempts),
            error=f"{type(error).__name__}: {error}"[:_ERROR_LIMIT],
        )

    async def _give_back(self, scope: Scope, job: Job, why: str) -> None:
        """Queue a job again at once, uncounted; when that cannot be written, its lease runs out by itself."""
        back = FinishedJob(
            id=job.id, state=JobState.QUEUED, finished_at=self.clock.now(), attempt=job.attempts, spared=True,
            error=why[:_ERROR_LIMIT],
        )  # fmt: skip
        try:
            await self.store.write(scope, WriteBatch(finished_jobs=(back,)))
        except LeaseLostError:
            _LOG.debug("job %s ended before it could be given back", job.id)
        except StoreError as error:
            _LOG.warning("job %s could not be given back, its lease will run out: %s", job.id, error)


async def _stop(work: "asyncio.Future[Any]") -> None:
    """Cancel the work and wait for its end, whatever it comes to."""
    work.cancel()
    await asyncio.wait({work})
    if not work.cancelled() and (error := work.exception()) is not None:
        _LOG.debug("stopped work ended with an error", exc_info=error)
