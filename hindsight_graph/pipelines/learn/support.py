"""What falls with evidence: when experiences end, the strategies that stand on them are weighed anew in the same transaction."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from hindsight_graph.clock import Clock
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.communities import case_of
from hindsight_graph.learning.proposals import LearningPolicy, is_fallen, weigh, with_uses
from hindsight_graph.models.base import Model
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, Status, StructureType
from hindsight_graph.models.learning import STRATEGY_KEY, Strategy, Support
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import Job, MemoryPatch
from hindsight_graph.pipelines.learn.edges import between
from hindsight_graph.pipelines.learn.experiences import EVIDENCE_STATUSES
from hindsight_graph.stores.base import Store

CONSOLIDATE = "consolidate"
"""Kind of the job that looks at experiences and strategies again."""
EVIDENCE_EDGES = (StructureType.SUPPORTS, StructureType.REFUTES)
_EVIDENCE_READ = 1_000
"""Evidence edges of one strategy that are read, newest first."""
_LIVE = (Status.ACTIVE, Status.PENDING, Status.STALE)


class Fallout(Model):
    """What has to change with a batch that ends memories."""

    patches: tuple[MemoryPatch, ...] = ()
    jobs: tuple[Job, ...] = ()
    stale: tuple[str, ...] = Field(default=())


class SupportBook:
    """Knows which strategies stand on which experiences."""

    def __init__(self, store: Store, clock: Clock, ids: IdGenerator, policy: LearningPolicy) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._policy = policy

    async def fallout(self, scope: Scope, ended: Sequence[str]) -> Fallout:
        """Return the patches of the strategies that the ended memories support or refute, and a job to reflect anew on them."""
        edges = [edge for edge in await self._store.owned_edges(scope, ended) if edge.type in EVIDENCE_EDGES]
        touched = tuple(dict.fromkeys(edge.target_id for edge in edges))
        if not touched:
            return Fallout()
        patches: list[MemoryPatch] = []
        stale: list[str] = []
        gone = frozenset(ended)
        for memory in await self._store.get_memories(scope, touched):
            strategy = Strategy.of(memory.payload)
            if strategy is None or memory.status not in _LIVE or memory.id in gone:
                continue
            support = await self.weighed(scope, memory, strategy, gone)
            changes = changed(memory, strategy.model_copy(update={"support": support}))
            if memory.status is Status.ACTIVE and (
                is_fallen(strategy.rule, support, self._policy) or support.supporting < min(2, strategy.support.supporting)
            ):
                changes["status"] = Status.STALE
                stale.append(memory.id)
            patches.append(MemoryPatch(id=memory.id, changes=changes))
        now = self._clock.now()
        payload = {"strategies": stale}
        jobs = (Job(id=self._ids.new(), kind=CONSOLIDATE, payload=payload, created_at=now),) if stale else ()
        return Fallout(patches=tuple(patches), jobs=jobs, stale=tuple(stale))

    async def weighed(self, scope: Scope, memory: Memory, strategy: Strategy, without: frozenset[str] = frozenset()) -> Support:
        """Return the support of a strategy from the evidence that stands now; what its uses counted is added unfaded."""
        evidence = [case for item in await self.evidence(scope, memory.id) if item.id not in without and (case := case_of(item))]
        (weighed,) = weigh((strategy.rule,), evidence, self._policy)
        return with_uses(weighed.support, strategy.support)

    async def evidence(self, scope: Scope, strategy_id: str) -> tuple[Memory, ...]:
        """Return the experiences that support or refute a strategy, those at the floor too."""
        view = View(now=self._clock.now(), statuses=EVIDENCE_STATUSES)
        page = await self._store.edges_of(scope, (strategy_id,), EVIDENCE_EDGES, Direction.IN, _EVIDENCE_READ, view)
        ids = tuple(dict.fromkeys(edge.source_id for edge in page.edges))
        return tuple(
            item for item in await self._store.get_memories(scope, ids) if item.status in EVIDENCE_STATUSES and item.is_current
        )

    async def relinked(self, scope: Scope, old_id: str, new: Memory) -> tuple[Edge, ...]:
        """Return the evidence and contradictions of a strategy's version, as edges of the version that takes its place."""
        view = View(now=self._clock.now(), statuses=EVIDENCE_STATUSES)
        page = await self._store.edges_of(scope, (old_id,), EVIDENCE_EDGES, Direction.IN, _EVIDENCE_READ, view)
        owners = {memory.id: memory for memory in await self._store.get_memories(scope, [edge.source_id for edge in page.edges])}
        now = self._clock.now()
        evidence = (
            between(self._ids, now, owners[edge.source_id], new.id, edge.type) for edge in page.edges if edge.source_id in owners
        )
        ended = View(now=now, statuses=(*_LIVE, Status.SUPERSEDED), timeless=True)
        told = await self._store.edges_of(scope, (old_id,), (StructureType.CONTRADICTS,), Direction.BOTH, _EVIDENCE_READ, ended)
        others = {edge.target_id if edge.source_id == old_id else edge.source_id for edge in told.edges}
        approved = new.model_copy(update={"status": Status.ACTIVE})
        opposite = (
            between(self._ids, now, approved, other.id, StructureType.CONTRADICTS)
            for other in await self._store.get_memories(scope, sorted(others))
            if other.is_current
        )
        return (*evidence, *opposite)


def changed(memory: Memory, strategy: Strategy) -> dict[str, Any]:
    """Return the changes that write a strategy's new state into its memory."""
    return {
        "payload": {**memory.payload, STRATEGY_KEY: strategy.model_dump(mode="json")},
        "confidence": round(strategy.support.mean, 6),
    }
