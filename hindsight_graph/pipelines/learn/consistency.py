"""The weekly check of strategies against each other: contradictions are marked, put in review, and told (promise X-10)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.contradictions import contradictions
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Direction, Status, StructureType
from hindsight_graph.models.learning import Concern
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import AuditEntry, MemoryPatch, WriteBatch
from hindsight_graph.observe.events import ContradictionsFound
from hindsight_graph.observe.observer import Observer
from hindsight_graph.pipelines.learn.consolidate import Consolidate
from hindsight_graph.pipelines.learn.edges import between
from hindsight_graph.pipelines.learn.strategies import Known
from hindsight_graph.pipelines.learn.support import changed
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store

CONSISTENCY = "consistency"
"""Kind of the weekly job that checks strategies against each other."""
_LIVE = (Status.ACTIVE, Status.PENDING, Status.STALE)
_EDGES_READ = 100
"""Contradictions of one strategy that are read."""
_ASKED = 200
"""Strategies whose contradictions are asked for at once."""
Tell = Callable[[str, Sequence[tuple[str, str]]], Awaitable[str]]
"""Told a tenant and pairs of ids; returns why nobody was reached, or an empty text."""


class Consistency(Model):
    """What a check found.

    Attributes:
        checked: Strategies that are used or may come to be. contradicting: pairs that contradict each other, newly found ones.
        standing: Pairs that were marked before. told: whether the webhook took it; None without one. fault: why not.
    """

    checked: int = 0
    contradicting: tuple[tuple[str, str], ...] = ()
    standing: int = 0
    dry_run: bool = False
    told: bool | None = None
    fault: str = ""


class CheckStrategies:
    """Finds strategies that tell the opposite of each other and were not marked so: edited, imported, or written by hand."""

    def __init__(
        self,
        store: Store,
        consolidate: Consolidate,
        clock: Clock,
        ids: IdGenerator,
        observer: Observer,
        tell: Tell | None = None,
    ) -> None:
        self._store = store
        self._consolidate = consolidate
        self._clock = clock
        self._ids = ids
        self._observer = observer
        self._tell = tell

    async def work(self, run: JobRun) -> Mapping[str, Any]:
        """Do a job of kind CONSISTENCY; pairs that are marked are marked no second time."""
        return (await self.run(run.scope)).model_dump(mode="json")

    async def run(self, scope: Scope, *, dry_run: bool = False) -> Consistency:
        """Check every strategy of a scope; unless it is a dry run, mark what contradicts, put it in review and tell."""
        known = {item.memory.id: item for item in await self._consolidate.known(scope, _LIVE)}
        pairs = contradictions({memory_id: item.strategy for memory_id, item in known.items()})
        marked = await self._marked(scope, sorted({one for pair in pairs for one in pair}))
        fresh = tuple(pair for pair in pairs if frozenset(pair) not in marked)
        found = Consistency(checked=len(known), contradicting=fresh, standing=len(pairs) - len(fresh), dry_run=dry_run)
        if dry_run or not fresh:
            return found
        await self._store.write(scope, self._batch(scope, fresh, known))
        self._observer.observe(
            ContradictionsFound(scope.tenant, len(fresh), tuple(sorted({one for pair in fresh for one in pair})))
        )
        if self._tell is None:
            return found
        fault = await self._tell(scope.tenant, fresh)
        return found.model_copy(update={"told": not fault, "fault": fault})

    async def _marked(self, scope: Scope, ids: Sequence[str]) -> set[frozenset[str]]:
        """Return the pairs that a CONTRADICTS edge joins."""
        view = View(now=self._clock.now(), statuses=_LIVE, timeless=True)
        found: set[frozenset[str]] = set()
        for start in range(0, len(ids), _ASKED):
            asked = ids[start : start + _ASKED]
            page = await self._store.edges_of(scope, asked, (StructureType.CONTRADICTS,), Direction.BOTH, _EDGES_READ, view)
            found.update(frozenset((edge.source_id, edge.target_id)) for edge in page.edges)
        return found

    def _batch(self, scope: Scope, fresh: Sequence[tuple[str, str]], known: Mapping[str, Known]) -> WriteBatch:
        now = self._clock.now()
        others: dict[str, list[str]] = {}
        for first, second in fresh:
            others.setdefault(first, []).append(second)
            others.setdefault(second, []).append(first)
        patches: list[MemoryPatch] = []
        for memory_id, opposite in others.items():
            item = known[memory_id]
            concerns = [Concern(code="contradicts", text=f"tells the opposite of {other}") for other in opposite]
            kept = tuple(one for one in item.strategy.concerns if one not in concerns)
            state = item.strategy.model_copy(update={"concerns": (*kept, *concerns)})
            patches.append(MemoryPatch(id=memory_id, changes=changed(item.memory, state), expect_status=item.memory.status))
        edges = tuple(between(self._ids, now, known[second].memory, first, StructureType.CONTRADICTS) for first, second in fresh)
        audit = AuditEntry(
            id=self._ids.new(),
            at=now,
            actor=scope.agent_id or "",
            action="consistency",
            target_ids=tuple(others),
            detail={"pairs": [list(pair) for pair in fresh]},
        )
        return WriteBatch(edges=edges, memory_patches=tuple(patches), audit=(audit,))
