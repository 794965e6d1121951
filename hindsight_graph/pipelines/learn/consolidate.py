"""Consolidate: from experiences to strategies, all at once or only around new ones; with a dry run, a report and an undo."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, NotFoundError
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.communities import Case, communities
from hindsight_graph.learning.contradictions import contradictions
from hindsight_graph.learning.proposals import (
    Evidence,
    LearningPolicy,
    is_proposed,
    merged_lessons,
    suggested,
    unexplained,
    weigh,
)
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Kind, Status
from hindsight_graph.models.learning import RuleKind, Strategy
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.record import AuditEntry, MemoryPatch, WriteBatch
from hindsight_graph.pipelines.learn.experiences import Experiences
from hindsight_graph.pipelines.learn.near import Near
from hindsight_graph.pipelines.learn.strategies import Known, Revision, Strategies
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store

_PAGE = 500
_KNOWN = (Status.ACTIVE, Status.PENDING, Status.STALE, Status.REJECTED)
_DECISIONS_READ = 10_000
"""Newest entries about a strategy among which a decision is looked for."""
_UNDO = "undo consolidate"
_DECISION = "strategy_"
"""How the audit's actions of a reviewer begin."""


class Consolidation(Model):
    """What a consolidation did, or would do.

    Attributes:
        experiences: How many were looked at. groups: sizes of the communities among them, largest first.
        proposed, approved: Ids of strategies: new and awaiting review, and approved by the stated policy, new or not.
        revised: Ids of strategies with other conditions or concerns. stale: of those that fell. updated: with new counts only.
        contradicting: Pairs of ids.
        report_id: Names it for `undo`; empty on a dry run and when nothing changed.
        strategies: The new ones, as they are (or would be) stored.
    """

    experiences: int = 0
    groups: tuple[int, ...] = ()
    proposed: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    contradicting: tuple[tuple[str, str], ...] = ()
    dry_run: bool = False
    report_id: str = ""
    strategies: tuple[Memory, ...] = ()


class Consolidate:
    """Makes strategies and keeps them true to their evidence."""

    def __init__(
        self,
        store: Store,
        experiences: Experiences,
        strategies: Strategies,
        clock: Clock,
        ids: IdGenerator,
        policy: LearningPolicy,
    ) -> None:
        self._store = store
        self._experiences = experiences
        self._strategies = strategies
        self._clock = clock
        self._ids = ids
        self._policy = policy

    async def run(self, scope: Scope, *, dry_run: bool = False) -> Consolidation:
        """Weigh every experience anew: find communities, read rules off them, make, revise and drop strategies."""
        read = [pair async for pair in self._experiences.cases(scope)]
        memories = {memory.id: memory for memory, _ in read}
        cases = [case for _, case in read]
        groups = communities(cases)
        known = await self.known(scope)
        rules = {item.strategy.rule.key: item.strategy.rule for item in known}
        for rule in suggested(groups):
            rules.setdefault(rule.key, rule)
        evidence = weigh(merged_lessons(tuple(rules.values())), cases, self._policy)
        by_key = {item.strategy.rule.key: item for item in known}
        followed = [(by_key[item.rule.key], item) for item in evidence if item.rule.key in by_key]
        revision = await self._strategies.weighed(scope, followed, cases, memories)
        new = tuple(item for item in evidence if item.rule.key not in by_key and self._is_proposed(item))
        found = unexplained(new, _living(revision.applied(known)))
        result = Consolidation(experiences=len(cases), groups=tuple(map(len, groups)), dry_run=dry_run)
        return await self._finish(scope, revision, found, cases, memories, known, result)

    async def work(self, run: JobRun) -> Mapping[str, Any]:
        """Do a job of kind CONSOLIDATE: weigh everything anew in its scope."""
        found = await self.run(run.scope)
        return found.model_dump(mode="json", exclude={"strategies"})

    async def touch(self, scope: Scope, experience_ids: Sequence[str]) -> Consolidation:
        """Take new experiences into account, looking only at what they touch: rules about their tools, and what they suggest."""
        where = Filter(view=self._experiences.view(), kinds=(Kind.EXPERIENCE,), ids=tuple(experience_ids))
        read = [pair async for pair in self._experiences.cases(scope, where)]
        memories = {memory.id: memory for memory, _ in read}
        fresh = [case for _, case in read]
        known = await self.known(scope)
        revision = await self._strategies.counted(scope, known, fresh, memories)
        keys = {item.strategy.rule.key for item in known}
        near = Near(self._experiences, scope, memories)
        offered = [rule for rule in await near.offered(fresh) if rule.key not in keys]
        said = [item.strategy.rule for item in known if item.strategy.rule.kind is RuleKind.LESSON]
        fresh_rules = [rule for rule in merged_lessons((*said, *offered)) if rule.key not in keys]
        around = await near.around(fresh, fresh_rules)
        new = tuple(item for item in weigh(fresh_rules, around, self._policy) if self._is_proposed(item))
        found = unexplained(new, _living(revision.applied(known)))
        return await self._finish(scope, revision, found, around, memories, known, Consolidation(experiences=len(read)))

    async def undo(self, scope: Scope, report_id: str) -> tuple[str, ...]:
        """Take a consolidation back: its new strategies are rejected, states it changed are as before; returns the ids.

        What a person decided about a strategy since then stands.

        Raises:
            NotFoundError: No such report. ConflictError: It was taken back already, or a strategy changes just now.
        """
        told = await self._store.scan_audit(scope, target_id=report_id)
        entries = [entry for entry in told if entry.action == "consolidate"]
        if any(entry.action == _UNDO for entry in told):
            raise ConflictError(f"consolidation {report_id} was taken back already", hint="`review` lists what is open")
        if not entries:
            raise NotFoundError(f"no consolidation {report_id}", hint="the answer of `consolidate` carries its report_id")
        made, before = entries[0].detail["made"], entries[0].detail["before"]
        states = {**dict.fromkeys(made, Status.REJECTED), **{memory_id: Status(state) for memory_id, state in before.items()}}
        found = await self._store.get_memories(scope, list(states))
        patches = [
            MemoryPatch(id=memory.id, changes={"status": states[memory.id]}, expect_status=memory.status)
            for memory in found
            if memory.is_current and not await self._is_decided(scope, memory.id, entries[0])
        ]
        ids = tuple(patch.id for patch in patches)
        audit = self._audit(scope, _UNDO, (report_id, *ids), {})
        await self._store.write(scope, WriteBatch(memory_patches=tuple(patches), audit=(audit,)))
        return ids

    async def _is_decided(self, scope: Scope, strategy_id: str, report: AuditEntry) -> bool:
        """Whether a person decided about a strategy after a consolidation."""
        told = await self._store.scan_audit(scope, target_id=strategy_id, limit=_DECISIONS_READ)
        return any(entry.action.startswith(_DECISION) and entry.id > report.id for entry in told)

    async def known(self, scope: Scope, statuses: Sequence[Status] = _KNOWN) -> list[Known]:
        """Return the stored strategies in these states, oldest first."""
        view = View(now=self._clock.now(), statuses=tuple(statuses), timeless=True)
        found: list[Known] = []
        cursor: str | None = None
        while True:
            page = await self._store.scan_memories(
                scope, Filter(view=view, kinds=(Kind.STRATEGY,)), Order.RECORDED_OLDEST, cursor, _PAGE
            )
            for memory in page.rows:
                strategy = Strategy.of(memory.payload)
                if strategy is not None and memory.is_current:
                    found.append(Known(memory, strategy))
            cursor = page.cursor
            if cursor is None:
                return found

    def _is_proposed(self, item: Evidence) -> bool:
        corrected = any(case.experience.corrected or case.experience.confirmed for case in item.supporting)
        return is_proposed(item.rule, item.support, self._policy, corrected=corrected)

    async def _finish(
        self,
        scope: Scope,
        revision: Revision,
        found: Sequence[Evidence],
        cases: Sequence[Case],
        memories: dict[str, Memory],
        known: Sequence[Known],
        result: Consolidation,
    ) -> Consolidation:
        made = await self._strategies.made(scope, found, cases, memories, revision.applied(known))
        live = {item.memory.id: item.strategy for item in known if item.memory.status is not Status.REJECTED}
        live.update({memory.id: strategy for memory, strategy in made.strategies})
        fresh = {memory.id for memory, _ in made.strategies}
        pairs = tuple(pair for pair in contradictions(live) if fresh & set(pair))
        edges, patches = self._strategies.contradicting(pairs, made, known, revision)
        changed = {patch.id for patch in patches}
        result = result.model_copy(
            update={
                "proposed": tuple(memory.id for memory, _ in made.strategies if memory.status is Status.PENDING),
                "approved": (
                    *(memory.id for memory, _ in made.strategies if memory.status is Status.ACTIVE),
                    *revision.approved,
                ),
                "revised": revision.revised,
                "stale": revision.stale,
                "updated": tuple(memory_id for memory_id in changed if memory_id not in (*revision.revised, *revision.stale)),
                "contradicting": pairs,
                "strategies": tuple(memory for memory, _ in made.strategies),
            }
        )
        if result.dry_run or not (made.strategies or patches):
            return result
        report_id = self._ids.new()
        states = {item.memory.id: item.memory.status.value for item in known}
        detail = {
            "made": [memory.id for memory, _ in made.strategies],
            "before": {one: states[one] for one in (*revision.stale, *revision.approved)},
        }
        batch = made.batch.model_copy(
            update={
                "edges": (*made.batch.edges, *revision.edges, *edges),
                "memory_patches": patches,
                "audit": (self._audit(scope, "consolidate", (report_id, *detail["made"], *changed), detail),),
            }
        )
        await self._store.write(scope, batch)
        return result.model_copy(update={"report_id": report_id})

    def _audit(self, scope: Scope, action: str, ids: Iterable[str], detail: Mapping[str, Any]) -> AuditEntry:
        return AuditEntry(
            id=self._ids.new(),
            at=self._clock.now(),
            actor=scope.agent_id or "",
            action=action,
            target_ids=tuple(ids),
            detail=dict(detail),
        )


def _living(known: Sequence[Known]) -> tuple[Evidence, ...]:
    """Return the evidence of strategies that are used or may come to be."""
    return tuple(
        Evidence(item.strategy.rule, support=item.strategy.support)
        for item in known
        if item.memory.status in (Status.ACTIVE, Status.PENDING)
    )
