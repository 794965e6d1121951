"""How a recall spends its time: by when each stage ends, and the loading that comes before the first recall of a tenant.

Of 500 ms the question's vector is due 150, then the plan and the candidates 280 at most, reading and the walk 30 at least, the
page 20. A stage ends at a mark on the recall's own clock: what one leaves unused the next ones may take, and none takes what a
later one is due. While many ask at once, a recall may wait 400 ms for its turn, and hurries then: with less patience callers come
back sooner, and answers that found nothing take the processor from those that would.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from time import monotonic

from hindsight_graph.embedding.base import Embedder, load
from hindsight_graph.errors import EmbeddingError, MissingExtraError, StoreError
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.resilience.limits import within
from hindsight_graph.stores.base import Store

__all__ = ["MARKS", "StageClock", "TenantLoading", "Turns"]

MARKS: Mapping[str, float] = {
    "turn": 0.8,
    "embed": 0.3,
    "filter": 0.54,
    "plan": 0.54,
    "keyword": 0.78,
    "vector": 0.86,
    "read": 0.88,
    "neighbours": 0.9,
    "page": 0.95,
    "conflicts": 0.95,
    "paths": 0.95,
    "answer": 0.96,
    "latest": 0.98,
}
"""Share of the deadline by which a stage ends; stages that are not named end at LAST_FOUND. The store's answer to all of them is
waited for until `answer`; with what there is at `latest` the recall ends."""
LAST_FOUND = 0.92
MOST_LOADING = 32
"""Tenants that are loaded at the same time at most."""
LONGEST_LOADING = 120.0
"""Seconds after which loading is given up."""


class StageClock:
    """The time of one recall, from when it is made.

    Args:
        milliseconds: Until the answer; None for no bound.
    """

    def __init__(self, milliseconds: int | None, timer: Callable[[], float] = monotonic) -> None:
        self._timer = timer
        self._began = timer()
        self._seconds = None if milliseconds is None else milliseconds / 1000

    def rest(self) -> "StageClock":
        """Return a clock for what is left, with the same shares of it for its stages."""
        if self._seconds is None:
            return self
        return StageClock(max(1, round(1000 * (self._began + self._seconds - self._timer()))), self._timer)

    def left(self, stage: str) -> float | None:
        """Return the seconds a stage has from now, which may be below 0; None when nothing bounds it."""
        if self._seconds is None:
            return None
        return self._began + MARKS.get(stage, LAST_FOUND) * self._seconds - self._timer()


class Turns:
    """Lets so many recalls work at the same time, the others wait their turn, first come first served.

    All share the processor: if every one began at once, under load each would end too late, and none would be of use.

    Args:
        at_once: How many, at least 1.
    """

    def __init__(self, at_once: int) -> None:
        self.at_once = at_once
        self._free = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def take(self, seconds: float | None) -> AsyncGenerator[bool]:
        """Hold a turn for the length of a block; gives False when none came within `seconds` (None: no bound)."""
        try:
            async with asyncio.timeout(seconds):
                await self._free.acquire()
        except TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            self._free.release()


class TenantLoading:
    """Lets the store load what it searches of a tenant, and the embedder its weights, once, in the background.

    Args:
        store: What loads at its first `term_stats` of a tenant. embedder: what may have weights to read.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self._embedder = embedder
        self._ready: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def wait(self, tenant: str, view: View, seconds: float) -> bool:
        """Return whether the tenant is loaded, or cannot be, within `seconds`; loading goes on if not."""
        if tenant in self._ready:
            return True
        task = self._tasks.get(tenant)
        if task is None:
            if len(self._tasks) >= MOST_LOADING:
                return False
            task = self._tasks[tenant] = asyncio.create_task(self._load(tenant, view))
            task.add_done_callback(lambda _: self._tasks.pop(tenant, None))
        done, _ = await asyncio.wait((task,), timeout=seconds)
        return bool(done)

    async def _load(self, tenant: str, view: View) -> None:
        with suppress(EmbeddingError, MissingExtraError):  # the stage that asks it will say so
            await load(self._embedder)
        with suppress(StoreError), within(LONGEST_LOADING):
            await self._store.term_stats(Scope(tenant=tenant), (), Filter(view=view))
            self._ready.add(tenant)

    def close(self) -> None:
        """Wait for nothing any more."""
        for task in tuple(self._tasks.values()):
            task.cancel()
