"""Feedback: a task's end reports what was used and how it went; weights and counts move then, and only then (promise X-09)."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import IdempotencyError, InputError
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.proposals import LearningPolicy, is_fallen, used
from hindsight_graph.learning.statistic import WeightPolicy, moved
from hindsight_graph.models.base import Model
from hindsight_graph.models.enums import Outcome, Status
from hindsight_graph.models.learning import Strategy
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import AuditEntry, IdempotencyRecord, MemoryPatch, WriteBatch
from hindsight_graph.pipelines.learn.decay import ARCHIVE_KEY
from hindsight_graph.pipelines.learn.support import changed
from hindsight_graph.stores.base import Store

USED_KEY = "used"
"""Payload key under which a memory carries when feedback last moved its weight."""


class FeedbackItem(Model):
    """What feedback did to one memory.

    Attributes:
        weight_before, weight: 0..1; equal when it was left alone. note: why it was left alone, or what followed ("stale").
    """

    memory_id: str
    weight_before: float | None = None
    weight: float | None = None
    note: str = ""


class FeedbackReceipt(Model):
    """What a task's feedback did, memory by memory, in the order given."""

    task_id: str
    outcome: Outcome
    items: tuple[FeedbackItem, ...] = ()


class Feedback:
    """Takes in how tasks went that used memories."""

    def __init__(self, store: Store, clock: Clock, ids: IdGenerator, weights: WeightPolicy, policy: LearningPolicy) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._weights = weights
        self._policy = policy

    async def take(
        self, scope: Scope, ids: Sequence[str], outcome: Outcome, *, task_id: str | None = None, importance: float = 1.0
    ) -> FeedbackReceipt:
        """Move weights and counts of the memories that a task used; once per task.

        Args:
            scope: Whose.
            ids: Memories that were used. Unknown and superseded ones are left alone, and the receipt says so.
            outcome: How the task ended; `partial` counts the use and moves no weight.
            task_id: The same report again answers as the first time; a new id is made when absent.
            importance: Of the task, in 0..10: a weight moves in proportion to it.

        Raises:
            InputError: No ids, or an importance out of range. IdempotencyError: the task was reported otherwise before.
        """
        wanted = tuple(dict.fromkeys(ids))
        if not wanted:
            raise InputError("feedback takes the ids of the memories that were used", hint="ids come with every recalled result")
        if not 0 < importance <= 10:
            raise InputError(f"importance {importance} is outside 0..10", hint="1 is an ordinary task")
        task = task_id or self._ids.new()
        request = hashlib.sha256("\x1f".join((outcome, *sorted(wanted))).encode()).hexdigest()
        key = f"feedback:{task}"
        before = await self._store.find_response(scope, key)
        if before is not None:
            if before.request_hash != request:
                raise IdempotencyError(f"task {task!r} was reported before, with another outcome or other ids")
            if before.response:
                return FeedbackReceipt.model_validate_json(before.response)
        return await self._write(scope, wanted, outcome, task, importance, IdempotencyRecord(key=key, request_hash=request))

    async def _write(
        self, scope: Scope, ids: Sequence[str], outcome: Outcome, task: str, importance: float, key: IdempotencyRecord
    ) -> FeedbackReceipt:
        found = {memory.id: memory for memory in await self._store.get_memories(scope, ids)}
        items: list[FeedbackItem] = []
        patches: list[MemoryPatch] = []
        now = self._clock.now()
        for memory_id in ids:
            memory = found.get(memory_id)
            if memory is None:
                items.append(FeedbackItem(memory_id=memory_id, note="no such memory"))
            elif not memory.is_current or memory.status not in (Status.ACTIVE, Status.PENDING, Status.STALE):
                items.append(FeedbackItem(memory_id=memory_id, note=f"is {memory.status}: nothing was changed"))
            else:
                changes, item = self._moved(memory, outcome, importance, now)
                patches.append(MemoryPatch(id=memory.id, changes=changes))
                items.append(item)
        receipt = FeedbackReceipt(task_id=task, outcome=outcome, items=tuple(items))
        audit = AuditEntry(
            id=self._ids.new(),
            at=now,
            actor=scope.agent_id or "",
            action="feedback",
            target_ids=tuple(patch.id for patch in patches),
            detail={"task_id": task, "outcome": outcome.value},
        )
        record = key.model_copy(update={"response": receipt.model_dump_json()})
        written = await self._store.write(scope, WriteBatch(memory_patches=tuple(patches), audit=(audit,), idempotency=record))
        return FeedbackReceipt.model_validate_json(written.response) if written.repeated and written.response else receipt

    def _moved(self, memory: Memory, outcome: Outcome, importance: float, now: datetime) -> tuple[dict[str, Any], FeedbackItem]:
        """Return the changes of one memory, and what the receipt says of it."""
        last = memory.payload.get(USED_KEY)
        cooling = last is not None and now - datetime.fromisoformat(last) < timedelta(hours=self._weights.cooldown_h)
        weight = memory.weight if cooling else moved(memory.weight, outcome, importance, self._weights)
        changes: dict[str, Any] = {"weight": weight}
        payload = dict(memory.payload)
        notes: list[str] = []
        if cooling:
            notes.append(f"its weight moved less than {self._weights.cooldown_h:g} h ago and stays")
        elif weight != memory.weight:
            payload[USED_KEY] = now.isoformat()
        if weight <= self._weights.floor:
            changes["status"] = Status.STALE
            payload[ARCHIVE_KEY] = True
            notes.append("reached the floor: marked to archive, not recalled")
        strategy = Strategy.of(memory.payload)
        if strategy is None:
            changes["payload"] = payload
        else:
            support = used(strategy.support, outcome, self._policy.half_life)
            state = changed(memory.model_copy(update={"payload": payload}), strategy.model_copy(update={"support": support}))
            changes.update(state)
            if memory.status is Status.ACTIVE and is_fallen(strategy.rule, support, self._policy):
                changes["status"] = Status.STALE
                notes.append("its evidence no longer carries it: stale, and in review")
        item = FeedbackItem(memory_id=memory.id, weight_before=memory.weight, weight=weight, note="; ".join(notes))
        return changes, item
