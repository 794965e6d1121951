"""Decay: the weight of an experience falls with each week in which it was not retrieved (promise X-09)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.statistic import WeightPolicy, decayed
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Kind, Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.record import AuditEntry, MemoryPatch, WriteBatch
from hindsight_graph.pipelines.learn.uses import Uses
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store

DECAY = "decay"
"""Kind of the weekly job that lets weights fall."""
DECAYED_KEY = "decayed_until"
"""Payload key: up to which moment a memory's weight has fallen for want of retrieval."""
ARCHIVE_KEY = "to_archive"
"""Payload key of what reached the floor: it is held there, not recalled, and waits to be archived."""
_WEEK = timedelta(weeks=1)
_PAGE = 500


class Decayed(Model):
    """What a decay did, or would do.

    Attributes:
        looked_at: Active experiences. faded: of them, how many lost weight. to_archive: ids that reached the floor.
    """

    looked_at: int = 0
    faded: int = 0
    to_archive: tuple[str, ...] = ()
    dry_run: bool = False


class Decay:
    """Lets weights fall. Strategies are left alone: their evidence decides about them, never their age."""

    def __init__(self, store: Store, uses: Uses, clock: Clock, ids: IdGenerator, weights: WeightPolicy) -> None:
        self._store = store
        self._uses = uses
        self._clock = clock
        self._ids = ids
        self._weights = weights

    async def work(self, run: JobRun) -> Mapping[str, Any]:
        """Do a job of kind DECAY; doing it again in the same week changes nothing."""
        return (await self.run(run.scope)).model_dump(mode="json")

    async def run(self, scope: Scope, *, dry_run: bool = False) -> Decayed:
        """Let the weights of a scope's experiences fall by the whole weeks since each was retrieved, made, or let fall last."""
        await self._uses.flush()
        where = Filter(view=View(now=self._clock.now()), kinds=(Kind.EXPERIENCE,))
        looked_at = faded = 0
        floored: list[str] = []
        cursor: str | None = None
        while True:
            page = await self._store.scan_memories(scope, where, Order.RECORDED_OLDEST, cursor, _PAGE)
            used = await self._store.last_uses(scope, [memory.id for memory in page.rows])
            patches = [patch for memory in page.rows if (patch := self._patch(memory, used.get(memory.id))) is not None]
            looked_at += len(page.rows)
            faded += len(patches)
            floored += [patch.id for patch in patches if "status" in patch.changes]
            if patches and not dry_run:
                await self._store.write(scope, WriteBatch(memory_patches=tuple(patches), audit=(self._audit(scope, patches),)))
            cursor = page.cursor
            if cursor is None:
                return Decayed(looked_at=looked_at, faded=faded, to_archive=tuple(floored), dry_run=dry_run)

    def _patch(self, memory: Memory, used_at: datetime | None) -> MemoryPatch | None:
        """Return what a memory loses; None when no whole week passed."""
        until = memory.payload.get(DECAYED_KEY)
        since = max(filter(None, (memory.recorded_at, used_at, None if until is None else datetime.fromisoformat(until))))
        weeks = (self._clock.now() - since) // _WEEK
        if weeks < 1:
            return None
        weight = decayed(memory.weight, weeks, self._weights)
        payload = {**memory.payload, DECAYED_KEY: (since + weeks * _WEEK).isoformat()}
        changes: dict[str, Any] = {"weight": weight, "payload": payload}
        if weight <= self._weights.floor:
            changes |= {"status": Status.STALE, "payload": payload | {ARCHIVE_KEY: True}}
        return MemoryPatch(id=memory.id, changes=changes, expect_status=memory.status)

    def _audit(self, scope: Scope, patches: list[MemoryPatch]) -> AuditEntry:
        return AuditEntry(
            id=self._ids.new(),
            at=self._clock.now(),
            actor=scope.agent_id or "",
            action="decay",
            target_ids=tuple(patch.id for patch in patches),
        )
