"""Review: a person looks at what was learned, with what speaks for and against it, and decides (promise X-07)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.proposals import LearningPolicy, is_fallen
from hindsight_graph.learning.rules import Verdict, judge
from hindsight_graph.models.base import SUMMARY_LIMIT, Model
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, Kind, Status, StructureType, UpdateMode
from hindsight_graph.models.learning import NO_EVIDENCE, Experience, Strategy
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import AuditEntry, MemoryPatch, WriteBatch
from hindsight_graph.pipelines.learn.consolidate import Consolidate
from hindsight_graph.pipelines.learn.support import SupportBook, changed
from hindsight_graph.pipelines.versions import Versions
from hindsight_graph.stores.base import Store

_OPEN = (Status.PENDING, Status.STALE)
_SHOWN = 20
"""Experiences shown for and against a strategy, newest first."""


class ReviewItem(Model):
    """A strategy as a reviewer sees it.

    Attributes:
        memory: As stored. strategy: what it carries.
        supporting, refuting: The newest experiences for and against it.
        contradicts: Strategies that tell the opposite. effect: what approving would change, in one sentence.
    """

    memory: Memory
    strategy: Strategy
    supporting: tuple[Memory, ...] = ()
    refuting: tuple[Memory, ...] = ()
    contradicts: tuple[Memory, ...] = ()
    effect: str = ""


class Review:
    """The queue of what awaits a person, and the decisions."""

    def __init__(
        self,
        store: Store,
        book: SupportBook,
        consolidate: Consolidate,
        versions: Versions,
        clock: Clock,
        ids: IdGenerator,
        policy: LearningPolicy,
    ) -> None:
        self._store = store
        self._book = book
        self._consolidate = consolidate
        self._versions = versions
        self._clock = clock
        self._ids = ids
        self._policy = policy

    async def queue(self, scope: Scope) -> tuple[ReviewItem, ...]:
        """Return what awaits review: pending and stale strategies, and approved ones that something contradicts.

        The best supported come first.
        """
        known = await self._consolidate.known(scope, (*_OPEN, Status.ACTIVE))
        waiting = [
            item
            for item in known
            if item.memory.status in _OPEN or any(concern.code == "contradicts" for concern in item.strategy.concerns)
        ]
        waiting.sort(key=lambda item: (-item.strategy.support.low, item.memory.id))
        return tuple([await self._item(scope, item.memory, item.strategy) for item in waiting])

    async def show(self, scope: Scope, strategy_id: str) -> ReviewItem:
        """Return one strategy with its evidence; raises NotFoundError."""
        memory, strategy = await self._get(scope, strategy_id)
        return await self._item(scope, memory, strategy)

    async def approve(self, scope: Scope, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy: from now on it is recalled.

        Raises:
            NotFoundError: No such strategy. ConflictError: it was decided already, or its evidence fell since it was proposed.
        """
        memory, strategy = await self._get(scope, strategy_id)
        self._check_open(memory)
        support = await self._book.weighed(scope, memory, strategy)
        written = any(concern.code == NO_EVIDENCE for concern in strategy.concerns) and support.supporting + support.refuting == 0
        if not written and (support.supporting == 0 or is_fallen(strategy.rule, support, self._policy)):
            raise ConflictError(
                f"the evidence of strategy {memory.id} no longer carries it: {support.supporting} experiences for, "
                f"{support.refuting} against, worked {support.mean:.0%} of the time",
                hint="reject it, or edit it into what the evidence says",
            )
        kept = tuple(concern for concern in strategy.concerns if concern.code != "contradicts")
        state = strategy.model_copy(update={"support": support, "concerns": kept})
        changes = {**changed(memory, state), "status": Status.ACTIVE, "confirmed_at": self._clock.now()}
        return await self._decide(scope, memory, changes, "approve", reviewer, reason)

    async def reject(self, scope: Scope, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Reject a strategy: it is not recalled, and not proposed again while its evidence has not doubled."""
        memory, _ = await self._get(scope, strategy_id)
        self._check_open(memory)
        return await self._decide(scope, memory, {"status": Status.REJECTED}, "reject", reviewer, reason)

    async def retire(self, scope: Scope, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Archive an approved strategy."""
        memory, _ = await self._get(scope, strategy_id)
        if memory.status not in (Status.ACTIVE, Status.STALE):
            raise ConflictError(f"strategy {memory.id} is {memory.status}", hint="only approved ones can be retired")
        changes = {"status": Status.ARCHIVED, "is_current": False}
        return await self._decide(scope, memory, changes, "retire", reviewer, reason)

    async def edit(self, scope: Scope, strategy_id: str, guidance: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy in other words, as a new version; its rule, conditions and evidence stay.

        Raises:
            InputError: The words are empty or longer than 200 characters.
        """
        words = " ".join(guidance.split())
        if not words or len(words) > SUMMARY_LIMIT:
            raise InputError(f"a guidance has 1..{SUMMARY_LIMIT} characters, not {len(words)}", hint="say it in one sentence")
        memory, strategy = await self._get(scope, strategy_id)
        if memory.status not in (*_OPEN, Status.ACTIVE):
            raise ConflictError(f"strategy {memory.id} is {memory.status}", hint="only open and approved ones can be edited")
        new = await self._versions.update(scope, memory.id, words, mode=UpdateMode.CORRECT, reason=reason)
        state = strategy.model_copy(update={"guidance": words})
        evidence = await self._book.relinked(scope, memory.id, new)
        changes = {**changed(new, state), "status": Status.ACTIVE, "confirmed_at": self._clock.now()}
        return await self._decide(scope, new, changes, "edit", reviewer, reason, evidence)

    async def _decide(
        self,
        scope: Scope,
        memory: Memory,
        changes: Mapping[str, Any],
        action: str,
        reviewer: str,
        reason: str,
        edges: Sequence[Edge] = (),
    ) -> Memory:
        audit = AuditEntry(
            id=self._ids.new(),
            at=self._clock.now(),
            actor=reviewer or scope.agent_id or "",
            action=f"strategy_{action}",
            target_ids=(memory.id,),
            reason=reason,
        )
        patch = MemoryPatch(id=memory.id, changes=dict(changes), expect_status=memory.status)
        await self._store.write(scope, WriteBatch(memory_patches=(patch,), edges=tuple(edges), audit=(audit,)))
        (found,) = await self._store.get_memories(scope, [memory.id])
        return found

    async def _get(self, scope: Scope, strategy_id: str) -> tuple[Memory, Strategy]:
        found = await self._store.get_memories(scope, [strategy_id])
        strategy = Strategy.of(found[0].payload) if found and found[0].kind is Kind.STRATEGY else None
        if strategy is None:
            raise NotFoundError(f"no strategy {strategy_id}", hint="`review` lists what awaits a decision")
        return found[0], strategy

    def _check_open(self, memory: Memory) -> None:
        contradicted = memory.status is Status.ACTIVE
        if memory.status not in _OPEN and not contradicted:
            raise ConflictError(f"strategy {memory.id} is {memory.status} already", hint="`review` lists what awaits a decision")

    async def _item(self, scope: Scope, memory: Memory, strategy: Strategy) -> ReviewItem:
        evidence = sorted(await self._book.evidence(scope, memory.id), key=lambda item: (item.valid_from, item.id), reverse=True)
        sides: dict[Verdict, list[Memory]] = {Verdict.SUPPORTS: [], Verdict.REFUTES: [], Verdict.SILENT: []}
        for item in evidence:
            experience = Experience.of(item.payload)
            if experience is not None:
                sides[judge(strategy.rule, experience)].append(item)
        view = View(now=self._clock.now(), statuses=(Status.ACTIVE, *_OPEN))
        page = await self._store.edges_of(scope, (memory.id,), (StructureType.CONTRADICTS,), Direction.BOTH, _SHOWN, view)
        others = {edge.source_id if edge.target_id == memory.id else edge.target_id for edge in page.edges}
        contradicts = await self._store.get_memories(scope, sorted(others))
        return ReviewItem(
            memory=memory,
            strategy=strategy,
            supporting=tuple(sides[Verdict.SUPPORTS][:_SHOWN]),
            refuting=tuple(sides[Verdict.REFUTES][:_SHOWN]),
            contradicts=contradicts,
            effect=_effect(memory, strategy, len(contradicts)),
        )


def _effect(memory: Memory, strategy: Strategy, contradicting: int) -> str:
    conditions = strategy.conditions
    when = [
        *(f"tool {name}" for name in conditions.tools),
        *(f"task {name}" for name in conditions.task_types),
        *(f"about {name}" for name in conditions.entities),
    ]
    place = ", ".join(when) or "everything"
    verb = "would be recalled again" if memory.status is Status.STALE else "would be recalled"
    also = f"; it contradicts {contradicting} other" if contradicting else ""
    return f"{verb} for {place}{also}"
