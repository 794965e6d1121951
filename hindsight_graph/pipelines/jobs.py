"""Durable jobs as callers see them: put in, looked at, cancelled, tried again, worked on.

A job is a row in the store before anybody hears of it. What a kind means is registered once (`Registry`); the worker is in
`pipelines.work`.
"""

import asyncio
import os
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import InputError, NotFoundError
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.models.record import AuditEntry, Job, JobAction, JobChange, JobState, Page, WriteBatch
from hindsight_graph.pipelines.work import JobHandler, JobPolicy, Pause, Worker
from hindsight_graph.stores.base import Store


class Registry(Mapping[str, JobHandler]):
    """Kinds of jobs and what does them; filled where the engine is put together."""

    def __init__(self) -> None:
        self._handlers: dict[str, JobHandler] = {}
        self._weekly: list[str] = []

    @property
    def weekly(self) -> tuple[str, ...]:
        """The kinds of which a worker puts in a job for each tenant every week."""
        return tuple(self._weekly)

    def add(self, kind: str, handler: JobHandler, *, weekly: bool = False) -> None:
        """Say what does jobs of a kind; each kind once. A worker puts in `weekly` ones by itself."""
        if kind in self._handlers:
            raise ValueError(f"jobs of kind {kind!r} have a handler already")
        self._handlers[kind] = handler
        if weekly:
            self._weekly.append(kind)

    def __getitem__(self, kind: str) -> JobHandler:
        return self._handlers[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._handlers)

    def __len__(self) -> int:
        return len(self._handlers)


@dataclass(frozen=True)
class Jobs:
    """The jobs of one scope; `work` and `worker` serve those of every tenant.

    Attributes:
        scope: Jobs of this tenant, and of this agent or of none, are seen.
    """

    store: Store
    clock: Clock
    ids: IdGenerator
    registry: Registry
    policy: JobPolicy
    scope: Scope = field(default_factory=Scope)

    async def enqueue(
        self,
        kind: str,
        payload: Mapping[str, Any] | None = None,
        *,
        job_id: str | None = None,
        not_before: datetime | None = None,
        max_attempts: int | None = None,
    ) -> Job:
        """Commit a job and return it.

        Args:
            kind: One that is registered.
            payload: JSON values that its handler reads.
            job_id: An id of the caller's own; a job that has it already is returned as it is.
            not_before: When it may begin; at once when absent.
            max_attempts: How often it is tried; as configured when absent.

        Raises:
            InputError: No handler is registered for the kind.
        """
        if kind not in self.registry:
            raise InputError(f"no kind of job is named {kind!r}", hint=f"one of {', '.join(sorted(self.registry))}")
        job = Job(
            id=job_id or self.ids.new(), kind=kind, payload=dict(payload or {}), created_at=self.clock.now(),
            not_before=not_before, max_attempts=max_attempts or self.policy.max_attempts,
        )  # fmt: skip
        await self.store.write(self.scope, WriteBatch(jobs=(job,)))
        return await self.get(job.id)

    async def get(self, job_id: str) -> Job:
        """Return a job; raises NotFoundError."""
        found = await self.store.get_jobs(self.scope, [job_id])
        if not found:
            raise NotFoundError(f"no job {job_id}", hint="check the id and the tenant")
        return found[0]

    async def list(
        self,
        *,
        states: Iterable[JobState | str] | None = None,
        kinds: Iterable[str] | None = None,
        cursor: str | None = None,
        limit: int = 100,
    ) -> Page[Job]:
        """List jobs, newest first, 1..1000 a page; no states and no kinds means all."""
        if not 1 <= limit <= 1000:
            raise InputError(f"limit {limit} is outside 1..1000")
        chosen = tuple(_state(state) for state in states or ())
        return await self.store.scan_jobs(self.scope, states=chosen, kinds=tuple(kinds or ()), cursor=cursor, limit=limit)

    async def cancel(self, job_id: str, *, reason: str = "") -> Job:
        """Cancel a queued job, or ask the worker of a running one to stop it; returns the job as it is then.

        Raises:
            NotFoundError: There is no such job. ConflictError: it has ended.
        """
        return await self._change(job_id, JobAction.CANCEL, reason)

    async def retry(self, job_id: str, *, reason: str = "") -> Job:
        """Queue a failed or cancelled job again, with as many attempts as a new one.

        Raises:
            NotFoundError: There is no such job. ConflictError: it is in another state.
        """
        return await self._change(job_id, JobAction.RETRY, reason)

    async def _change(self, job_id: str, action: JobAction, reason: str) -> Job:
        now = self.clock.now()
        entry = AuditEntry(
            id=self.ids.new(),
            at=now,
            actor=self.scope.agent_id or "",
            action=f"job_{action}",
            target_ids=(job_id,),
            reason=reason,
        )
        asked = JobChange(id=job_id, action=action, at=now, attempts=self.policy.max_attempts)
        await self.store.write(self.scope, WriteBatch(job_changes=(asked,), audit=(entry,)))
        return await self.get(job_id)

    def worker(self, *, owner: str | None = None, pause: Pause = asyncio.sleep) -> Worker:
        """Return a worker for jobs of every registered kind and tenant; `run` it as a task, and cancel that to stop it."""
        name = owner or f"{socket.gethostname()}:{os.getpid()}"
        return Worker(self.store, self.clock, self.registry, self.policy, name, pause, self.put_in_weekly)

    async def put_in_weekly(self) -> int:
        """Put in this week's jobs of every tenant that are not there yet; returns how many.

        A week is that of ISO 8601; the job's id names it, so several workers put in one together.
        """
        year, week, _ = self.clock.now().isocalendar()
        put = 0
        for tenant in await self.store.tenants(SystemScope()):
            scope = Scope(tenant=tenant)
            wanted = {f"{kind}-{year}-W{week:02}": kind for kind in self.registry.weekly}
            there = {job.id for job in await self.store.get_jobs(scope, list(wanted))}
            new = tuple(
                Job(id=job_id, kind=kind, payload={}, created_at=self.clock.now(), max_attempts=self.policy.max_attempts)
                for job_id, kind in wanted.items()
                if job_id not in there
            )
            if new:
                await self.store.write(scope, WriteBatch(jobs=new))
            put += len(new)
        return put

    async def work(self, *, kinds: Sequence[str] | None = None, limit: int | None = None, eager: bool = False) -> int:
        """Work on what is due until nothing is, at most `limit` attempts; returns how many jobs were done."""
        return await self.worker().drain(kinds, limit, eager=eager)

    async def wait(self, job_id: str, *, pause: Pause = asyncio.sleep, every: float = 0.1) -> Job:
        """Return a job once it has ended; bound it with `asyncio.timeout`."""
        while not (job := await self.get(job_id)).state.is_end:
            await pause(every)
        return job


def _state(value: JobState | str) -> JobState:
    try:
        return JobState(value)
    except ValueError as error:
        raise InputError(f"unknown state {value!r}", hint=f"one of {', '.join(JobState)}") from error
