"""`client.learning`: looking back in a running service, with the verbs of `hindsight_graph.pipelines.learn.learning.Learning`."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from hindsight_graph.client.asking import Asker
from hindsight_graph.client.jobs import ClientJobs
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Origin, Outcome
from hindsight_graph.models.episode import Message
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Job
from hindsight_graph.models.result import Receipt
from hindsight_graph.pipelines.learn.consolidate import Consolidation
from hindsight_graph.pipelines.learn.feedback import FeedbackReceipt
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.pipelines.learn.review import ReviewItem

__all__ = ["ClientLearning"]

_LOOK_EVERY_S = 0.1
"""Seconds between two looks at a job."""


class _Queue(Model):
    items: tuple[ReviewItem, ...]


class _Undone(Model):
    strategies: tuple[str, ...]


class ClientLearning(Asker):
    """Reflect, record, feed back; and, with a key that may review, decide about what was learned."""

    async def reflect(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        task_type: str | None = None,
        store: bool = True,
        asked: bool = True,
    ) -> Job:
        """Keep a transcript and a job that looks back on it; returns the job at once.

        Sent again after a lost answer it makes a second job, which finds that what it would learn is known.
        """
        body = {"messages": list(messages), "session_id": session_id, "task_type": task_type, "store": store, "asked": asked}
        return await self._ask(Job, "POST", "/v1/reflections", body=body)

    async def reflection(self, job_id: str) -> Reflection:
        """Return what a reflection came to; raises NotFoundError, or ConflictError while it is not done."""
        return await self._ask(Reflection, "GET", f"/v1/reflections/{quote(job_id, safe='')}")

    async def settle(self, job_id: str, within: float) -> Reflection | None:
        """Return what a reflection came to once a worker has done it; None after so many seconds.

        Raises:
            NotFoundError: There is no such job. ConflictError: it ended without a result.
        """
        try:
            async with asyncio.timeout(within):
                await ClientJobs(self._sender, self._agent).wait(job_id, every=_LOOK_EVERY_S)
        except TimeoutError:
            return None
        return await self.reflection(job_id)

    async def confirm(self, job_id: str, keep: Sequence[int] | None = None) -> Reflection:
        """Keep what a reflection proposed (all, or those positions), as confirmed by a person."""
        body = {"keep": None if keep is None else list(keep)}
        return await self._ask(
            Reflection, "POST", f"/v1/reflections/{quote(job_id, safe='')}/confirm", body=body, repeatable=False
        )

    async def record(
        self,
        *,
        context: str,
        action: str = "",
        outcome: Outcome | str,
        lesson: str = "",
        task_type: str | None = None,
        tags: Sequence[str] = (),
        tools: Sequence[str] = (),
        error_code: str | None = None,
        session_id: str | None = None,
        occurred_at: datetime | None = None,
        origin: Origin | str = Origin.USER,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Keep an experience that the caller wrote down; strategies follow it."""
        body = {
            "context": context, "action": action, "outcome": outcome, "lesson": lesson, "task_type": task_type,
            "tags": list(tags), "tools": list(tools), "error_code": error_code, "session_id": session_id,
            "occurred_at": occurred_at, "origin": origin,
        }  # fmt: skip
        return await self._write(Receipt, "/v1/experiences", body, idempotency_key)

    async def feedback(
        self, ids: Sequence[str], outcome: Outcome | str, *, task_id: str | None = None, importance: float = 1.0
    ) -> FeedbackReceipt:
        """Report how a task ended that used these memories; with a `task_id` it counts once, however often it is sent."""
        body = {"ids": list(ids), "outcome": outcome, "task_id": task_id, "importance": importance}
        return await self._ask(FeedbackReceipt, "POST", "/v1/feedback", body=body, repeatable=task_id is not None)

    async def consolidate(self, *, dry_run: bool = False) -> Consolidation:
        """Weigh every experience anew, and wait for it; with `dry_run` only say what would be done."""
        if dry_run:
            return await self._ask(Consolidation, "POST", "/v1/consolidations", body={"dry_run": True})
        job = await self._ask(Job, "POST", "/v1/consolidations", body={}, repeatable=False)
        done = await ClientJobs(self._sender, self._agent).wait(job.id, every=_LOOK_EVERY_S)
        return Consolidation.model_validate(done.result)

    async def undo(self, report_id: str) -> tuple[str, ...]:
        """Take a consolidation back; returns the ids of the strategies whose state changed."""
        path = f"/v1/consolidations/{quote(report_id, safe='')}/undo"
        return (await self._ask(_Undone, "POST", path, body={}, repeatable=False)).strategies

    async def queue(self) -> tuple[ReviewItem, ...]:
        """Return what awaits a reviewer, the best supported first."""
        return (await self._ask(_Queue, "GET", "/v1/review")).items

    async def show(self, strategy_id: str) -> ReviewItem:
        """Return a strategy with its evidence; raises NotFoundError."""
        return await self._ask(ReviewItem, "GET", f"/v1/strategies/{quote(strategy_id, safe='')}")

    async def approve(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy: from now on it is recalled; raises ConflictError when its evidence fell meanwhile."""
        return await self._decide("approve", strategy_id, {"reviewer": reviewer, "reason": reason})

    async def edit(self, strategy_id: str, guidance: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy in other words, as a new version."""
        return await self._decide("edit", strategy_id, {"guidance": guidance, "reviewer": reviewer, "reason": reason})

    async def reject(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Reject a strategy."""
        return await self._decide("reject", strategy_id, {"reviewer": reviewer, "reason": reason})

    async def retire(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Archive an approved strategy."""
        return await self._decide("retire", strategy_id, {"reviewer": reviewer, "reason": reason})

    async def _decide(self, verb: str, strategy_id: str, body: Mapping[str, Any]) -> Memory:
        path = f"/v1/review/{quote(strategy_id, safe='')}/{verb}"
        return await self._ask(Memory, "POST", path, body=body, repeatable=False)
