"""Changing the embedding model of a store: a durable job that fills a second set of vectors, compares both, and switches.

The first set answers all the while. Whatever ends the job, what is filled stays, and the next attempt goes on; memories written
meanwhile are filled too, and the switch happens in a transaction in which none is missing. From then on a process that has the
store open with the old model is refused its vectors, so that models are never mixed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder, check_matrix, load, passage_of
from hindsight_graph.errors import ConflictError, EmbeddingError, InputError
from hindsight_graph.models.query import Filter, Scope, SystemScope, View
from hindsight_graph.models.record import EmbeddingModel, Job, JobState, UnfilledMemory, Vector
from hindsight_graph.pipelines.jobs import Jobs
from hindsight_graph.pipelines.work import JobRun, Pause
from hindsight_graph.stores.base import Store

__all__ = ["REEMBED", "Reembed", "Vectors", "overlap"]

REEMBED = "reembed"
"""Kind of the job; its payload names the embedder and the least overlap."""
PAGE = 256
"""Memories filled in one transaction: a killed job does that much again at most."""
SAMPLE = 300
"""Memories of a tenant whose neighbours are compared."""
NEIGHBOURS = 10
_ALL = SystemScope()

MakeEmbedder = Callable[[str], Awaitable[Embedder]]
Adopt = Callable[[EmbeddingModel], Awaitable[None]]
Progress = Callable[[int, int], None]
Floats = NDArray[np.float32]


def overlap(before: Floats, after: Floats, neighbours: int = NEIGHBOURS) -> float:
    """Return the mean share of each row's nearest rows that both sets agree on, 0..1; 1 when there are too few to tell.

    Args:
        before: Vectors of length 1, shape (rows, dimension).
        after: Of the same rows, by another model.
        neighbours: How many nearest rows are compared, at most half of the others.
    """
    count = min(neighbours, (len(before) - 1) // 2)
    if count < 1:
        return 1.0
    nearest: list[NDArray[np.intp]] = []
    for rows in (before, after):
        cosines = rows @ rows.T
        np.fill_diagonal(cosines, -np.inf)
        nearest.append(np.argsort(-cosines, axis=1, kind="stable")[:, :count])
    shared = [len(np.intersect1d(one, other)) for one, other in zip(*nearest, strict=True)]
    return float(np.mean(shared)) / count


@dataclass
class Reembed:
    """What does the job.

    Args:
        store: Whose vectors. make: an embedder by its name. adopt: told the new model when it was switched.
        progress: Told how many memories are filled, and how many there are.
    """

    store: Store
    make: MakeEmbedder
    adopt: Adopt
    progress: Progress | None = field(default=None)

    async def run(self, run: JobRun) -> Mapping[str, Any]:
        """Fill, compare, switch; see `JobHandler`.

        Raises:
            InputError: Fewer neighbours are shared than the payload asks for; what is filled stays.
        """
        embedder = await self.make(str(run.job.payload["embedder"]))
        model = embedder.model
        if (await self.store.info()).embedding == model:  # switched by an attempt that could not say so any more
            await self.adopt(model)
            return {"model": model.name, "filled": 0}
        await load(embedder)
        await self.store.begin_vectors(_ALL, model)
        filled = await self._fill(embedder)
        shared = await self._overlap(run.clock.now())
        least = float(run.job.payload.get("least_overlap", 0.0))
        if shared < least:
            raise InputError(
                f"{model.name} shares {shared:.2f} of the nearest memories with the model in use, {least:.2f} were asked for",
                hint="nothing was switched: switch with a lower --least-overlap, or --drop what is filled",
            )
        while await self.store.switch_vectors(_ALL):
            filled += await self._fill(embedder)
        await self.adopt(model)
        return {"model": model.name, "filled": filled, "overlap": round(shared, 4)}

    async def _fill(self, embedder: Embedder) -> int:
        """Fill what is missing; returns how many memories that were."""
        total = sum(one.count for one in (await self.store.totals(_ALL)).memories) if self.progress else 0
        filled = 0
        while page := await self.store.unfilled_vectors(_ALL, PAGE):
            for tenant, members in groupby(page, key=lambda one: one.tenant):
                await self._fill_tenant(embedder, tenant, list(members))
            filled += len(page)
            if self.progress is not None:
                self.progress(min(filled, total), total)
        return filled

    async def _fill_tenant(self, embedder: Embedder, tenant: str, members: Sequence[UnfilledMemory]) -> None:
        texts = [passage_of(one.summary, one.context) for one in members]
        matrix = check_matrix(await embedder.embed_passages(texts), len(texts), embedder.model)
        vectors: dict[str, Vector] = {one.id: matrix[row] for row, one in enumerate(members)}
        await self.store.fill_vectors(Scope(tenant=tenant), vectors)

    async def _overlap(self, now: datetime) -> float:
        """Return the overlap of the newest memories of each tenant, each memory counting alike."""
        sums, count = 0.0, 0
        for tenant in await self.store.tenants(_ALL):
            scope = Scope(tenant=tenant)
            page = await self.store.scan_memories(scope, Filter(view=View(now=now, timeless=True)), limit=SAMPLE)
            ids = [memory.id for memory in page.rows]
            before, after = await self.store.get_vectors(scope, ids), await self.store.filled_vectors(scope, ids)
            both = [memory_id for memory_id in ids if memory_id in before and memory_id in after]
            if len(both) > 1:
                shared = overlap(np.stack([before[one] for one in both]), np.stack([after[one] for one in both]))
                sums, count = sums + shared * len(both), count + len(both)
        return sums / count if count else 1.0


@dataclass(frozen=True)
class Vectors:
    """The vectors of a store as an operator changes them.

    Attributes:
        jobs: Where the job is put in. work: what does it. pause: how it waits for another process.
    """

    jobs: Jobs
    work: Reembed
    pause: Pause = asyncio.sleep

    async def switch(self, embedder: str, *, least_overlap: float = 0.0, progress: Progress | None = None) -> Job:
        """Change the whole store, all tenants, to another embedder, and return the job when it is done.

        Interrupted, it goes on where it stopped when it is called again, or when a worker finds its job.

        Args:
            embedder: Its name, as the setting takes it, but `auto`.
            least_overlap: Share of the nearest memories, 0..1, on which both models must agree for a switch.
            progress: Told how many memories are filled, and how many there are.

        Raises:
            InputError: The store's vectors are by it already. ConflictError: A switch to another embedder is under way.
            EmbeddingError: The job failed; says why.
        """
        if not 0 <= least_overlap <= 1:
            raise InputError(f"least_overlap {least_overlap} is outside 0..1")
        model = (await self.work.make(embedder)).model
        info = await self.work.store.info()
        if info.filling is not None and info.filling != model:
            raise ConflictError(
                f"vectors by {info.filling.name} are being filled",
                hint=f"go on with {info.filling.name}, or give it up: hindsight-graph models switch --drop",
            )
        if info.embedding == model:
            raise InputError(f"the store's vectors are by {model.name} already", hint="nothing is to be done")
        self.work.progress = progress
        job = await self._running(embedder)
        if job is None:
            job = await self.jobs.enqueue(REEMBED, {"embedder": embedder, "least_overlap": least_overlap})
        while True:
            await self.jobs.work(kinds=(REEMBED,), limit=1, eager=True)
            job = await self.jobs.get(job.id)
            if job.state is JobState.DONE:
                return job
            if job.state is not JobState.RUNNING:
                raise EmbeddingError(
                    f"the store was not switched to {embedder}: {job.error or job.state.value}",
                    hint="mend it, then run it again: what is filled stays",
                )
            await self.pause(1)  # another process has it, or died with it; then its lease runs out

    async def drop(self) -> bool:
        """Give a switch up: cancel its job and remove what is filled; returns whether there was anything."""
        for job in await self._open_jobs():
            await self.jobs.cancel(job.id, reason="the switch was given up")
        return await self.work.store.drop_vectors(_ALL)

    async def _open_jobs(self) -> tuple[Job, ...]:
        return (await self.jobs.list(states=(JobState.QUEUED, JobState.RUNNING), kinds=(REEMBED,))).rows

    async def _running(self, embedder: str) -> Job | None:
        """Return the job of a switch that is running; one that waits to be tried again gives way to a new one."""
        for job in await self._open_jobs():
            if job.payload.get("embedder") != embedder:
                raise ConflictError(
                    f"a switch to {job.payload.get('embedder')} is under way (job {job.id}, {job.state.value})",
                    hint="let it end, or give it up: hindsight-graph models switch --drop",
                )
            if job.state is JobState.RUNNING:
                return job
            await self.jobs.cancel(job.id, reason="it is put in anew")
        return None
