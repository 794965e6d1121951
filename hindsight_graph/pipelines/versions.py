"""Versions: update supersedes, never overwrites; history can be read and reverted; forgetting archives."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.extraction.base import Extractor, Source, Statement
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import SUMMARY_LIMIT
from hindsight_graph.models.enums import Kind, Status, UpdateMode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.record import AuditEntry, MemoryPatch, WriteBatch
from hindsight_graph.models.write import Unit
from hindsight_graph.pipelines.candidate import Candidate
from hindsight_graph.pipelines.learn.support import SupportBook
from hindsight_graph.pipelines.once import Once
from hindsight_graph.pipelines.plan import Planner
from hindsight_graph.pipelines.retain import Retain
from hindsight_graph.stores.base import Store

Expected = Callable[[Memory], None]
"""Is given a memory before it is changed, and raises when it is not as the caller thought."""
_HISTORY_PAGE = 200


class Versions:
    """Changes what is remembered, keeping what was."""

    def __init__(
        self,
        store: Store,
        planner: Planner,
        retain: Retain,
        extractor: Extractor,
        book: SupportBook,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        self._store = store
        self._planner = planner
        self._retain = retain
        self._extractor = extractor
        self._book = book
        self._clock = clock
        self._ids = ids

    async def get(self, scope: Scope, memory_id: str) -> Memory:
        """Return a memory in any state; raises NotFoundError."""
        found = await self._store.get_memories(scope, [memory_id])
        if not found:
            raise NotFoundError(f"no memory {memory_id}", hint="`list` shows what there is")
        return found[0]

    async def update(
        self,
        scope: Scope,
        memory_id: str,
        text: str | None,
        *,
        mode: UpdateMode = UpdateMode.CHANGE,
        confidence: float | None = None,
        invalidate: bool = False,
        occurred_at: datetime | None = None,
        reason: str = "",
        expected: Expected | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Supersede a memory by `text`, end its validity (`invalidate`), or change its confidence.

        Args:
            scope: Tenant and agent.
            memory_id: A current memory.
            text: The new statement, at most 200 characters.
            mode: `change`: the world changed, the old version was true until `occurred_at`. `correct`: it was never true.
            confidence: 0..1, of the new version, or of this one when there is no text.
            invalidate: It no longer holds (or never did), and nothing replaces it.
            occurred_at: Event time of the change; now when absent.
            reason: For the audit trail.
            expected: Is given the memory first; what it raises ends the call.
            idempotency_key: The same call again gives the same answer and changes nothing.

        Returns:
            The new version; without a text the memory as it now stands.

        Raises:
            NotFoundError: No such memory. ConflictError: it is not current, or another memory says `text` already.
            InputError: Nothing to do, two things at once, or a time before the memory began.
        """
        if (text is None) == (not invalidate) and (text is not None or confidence is None):
            raise InputError("update takes a text, or invalidate=True, or a confidence", hint="give one of them")
        once = Once.of(idempotency_key, ("update", memory_id, text, mode, confidence, invalidate, occurred_at, reason))
        if (answered := await once.answer(self._store, scope, Memory)) is not None:
            return answered
        old = await self.get(scope, memory_id)
        if expected is not None:
            expected(old)
        await self._check_current(scope, old)
        at = occurred_at or self._clock.now()
        if mode is UpdateMode.CHANGE and at < old.valid_from and (text is not None or invalidate):
            raise InputError(
                f"the change at {at.isoformat()} is before {memory_id} began ({old.valid_from.isoformat()})",
                hint="give a later occurred_at, or mode='correct' if it was never true",
            )
        if text is not None:
            statement = await self._statement(text, old)
            return await self._replace(scope, old, statement, mode, at, confidence, reason, "update", once)
        changes = self._ending(old, mode, at) if invalidate else {"confidence": confidence}
        action = "invalidate" if invalidate else "confidence"
        detail = {} if invalidate else {"before": old.confidence, "after": confidence}
        audit = self._audit(scope, action, (old.id,), reason, {"mode": mode.value, **detail})
        key = once.record(old.model_copy(update=changes))
        patch = MemoryPatch(id=old.id, changes=changes)
        batch = WriteBatch(memory_patches=(patch,), audit=(audit,), idempotency=key)
        await self._store.write(scope, await self._with_fallout(scope, batch, (old.id,) if invalidate else ()))
        return await self.get(scope, old.id)

    async def history(self, scope: Scope, memory_id: str) -> tuple[Memory, ...]:
        """Return every version of a memory, oldest first; any version's id will do."""
        memory = await self.get(scope, memory_id)
        view = View(now=self._clock.now(), statuses=tuple(Status), timeless=True)
        page = await self._store.scan_memories(
            scope, Filter(view=view, root_id=memory.root_id), Order.RECORDED_OLDEST, limit=_HISTORY_PAGE
        )
        versions = list(page.rows)
        while page.cursor is not None:
            page = await self._store.scan_memories(
                scope, Filter(view=view, root_id=memory.root_id), Order.RECORDED_OLDEST, page.cursor, _HISTORY_PAGE
            )
            versions.extend(page.rows)
        return tuple(sorted(versions, key=lambda item: (item.version, item.id)))

    async def revert(
        self,
        scope: Scope,
        memory_id: str,
        mode: UpdateMode = UpdateMode.CORRECT,
        reason: str = "",
        *,
        expected: Expected | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Make an earlier version the current one again, as a new version.

        Args:
            scope: Tenant and agent.
            memory_id: The version to bring back.
            mode: `correct`: the versions since were never true; they are retired with the old record of this one, and it holds
                from its own beginning on, as if nothing had come between (`known_at` still reads what was believed).
                `change`: the versions since were true in their time; this one holds again from now on.
            reason: For the audit trail.
            expected: Is given the version first; what it raises ends the call.
            idempotency_key: The same call again gives the same answer and changes nothing.

        Raises:
            NotFoundError: No such memory. ConflictError: it is the current version already.
        """
        once = Once.of(idempotency_key, ("revert", memory_id, mode, reason))
        if (answered := await once.answer(self._store, scope, Memory)) is not None:
            return answered
        versions = await self.history(scope, memory_id)
        wanted = next(version for version in versions if version.id == memory_id)
        if expected is not None:
            expected(wanted)
        if wanted.is_current and wanted.status is Status.ACTIVE:
            raise ConflictError(
                f"memory {memory_id} is the current version already", hint="name an earlier version; `history` lists them"
            )
        latest = max(versions, key=lambda item: item.version)
        statement = Statement.model_construct(
            summary=wanted.summary,
            kind=wanted.kind,
            language=wanted.language,
            negated=wanted.negated,
            mentions=wanted.mentions,
            relations=wanted.relations,
            slot=wanted.slot,
            confidence=wanted.confidence,
            outcome=wanted.outcome,
            error_code=wanted.error_code,
            tools=wanted.tools,
            start=0,
            end=0,
        )
        now = self._clock.now()
        undone = [
            version
            for version in versions
            if (
                version.version >= wanted.version and version.retired_at is None
                if mode is UpdateMode.CORRECT
                else version.is_current
            )
        ]
        endings = {version.id: self._ending(version, mode, now) for version in undone}
        return await self._replace(
            scope,
            wanted,
            statement,
            mode,
            now,
            None,
            reason,
            "revert",
            once,
            version=latest.version + 1,
            endings=endings,
        )

    async def forget(self, scope: Scope, ids: Sequence[str], reason: str = "") -> tuple[Memory, ...]:
        """Archive memories: kept, not recalled unless asked for. Archived ones are left as they are.

        Raises:
            InputError: No ids. NotFoundError: one is missing; nothing was archived.
        """
        wanted = tuple(dict.fromkeys(ids))
        if not wanted:
            raise InputError("forget takes at least one memory id", hint="`list` shows them")
        found = {memory.id: memory for memory in await self._store.get_memories(scope, wanted)}
        missing = [memory_id for memory_id in wanted if memory_id not in found]
        if missing:
            raise NotFoundError(f"no memory {', '.join(missing)}", hint="nothing was archived; `list` shows what there is")
        fresh = [memory_id for memory_id in wanted if found[memory_id].status is not Status.ARCHIVED]
        changes = {"status": Status.ARCHIVED, "is_current": False}
        patches = tuple(MemoryPatch(id=memory_id, changes=changes, expect_current=False) for memory_id in fresh)
        if patches:
            audit = self._audit(scope, "archive", tuple(fresh), reason, {})
            batch = WriteBatch(memory_patches=patches, audit=(audit,))
            await self._store.write(scope, await self._with_fallout(scope, batch, tuple(fresh)))
        return await self._store.get_memories(scope, wanted)

    async def _check_current(self, scope: Scope, memory: Memory) -> None:
        if memory.is_current:
            return
        successors = [item for item in await self.history(scope, memory.id) if item.is_current]
        if successors:
            raise ConflictError(f"memory {memory.id} was superseded by {successors[-1].id}", hint="update that one, or revert")
        raise ConflictError(f"memory {memory.id} is {memory.status.value}", hint="revert brings it back as a new version")

    async def _statement(self, text: str, old: Memory) -> Statement:
        clean = Unit(summary=text).summary
        if len(clean) > SUMMARY_LIMIT:
            raise InputError(
                f"the new text has {len(clean)} characters, a memory at most {SUMMARY_LIMIT}",
                hint="state it shorter, or remember the rest",
            )
        (extraction,) = await self._extractor.extract([Source(text=clean, keep_all=True)])
        found = extraction.statements
        if not found:
            return Statement(summary=clean, kind=old.kind, language=old.language)
        mentions = {mention.name: mention for statement in found for mention in statement.mentions}
        return found[0].model_copy(
            update={
                "summary": clean,
                "kind": old.kind if old.kind is not Kind.FACT else found[0].kind,
                "negated": any(statement.negated for statement in found),
                "mentions": tuple(mentions.values()),
                "relations": tuple(relation for statement in found for relation in statement.relations),
                "slot": next((statement.slot for statement in found if statement.slot), None),
            }
        )

    async def _replace(
        self,
        scope: Scope,
        old: Memory,
        statement: Statement,
        mode: UpdateMode,
        at: datetime,
        confidence: float | None,
        reason: str,
        action: str,
        once: Once,
        *,
        version: int | None = None,
        endings: Mapping[str, dict[str, Any]] | None = None,
    ) -> Memory:
        """Write the successor of `old`, in one transaction with the end of `old`; or with `endings` when it brings `old` back."""
        brings_back = endings is not None
        unit = Unit(summary=statement.summary, origin=old.origin, agent_id=old.agent_id)
        episode, is_new = await self._retain.evidence_of(scope, unit)
        begins = at if mode is UpdateMode.CHANGE else old.valid_from
        candidate = Candidate(
            statement=statement,
            episode=episode,
            kind=statement.kind,
            valid_from=begins,
            timed=True,
            slot=statement.slot,
            agent_id=old.agent_id,
            visibility=old.visibility,
            trust=old.trust,
            confidence=statement.confidence if confidence is None else confidence,
            importance=old.importance,
            priority=old.priority,
            ttl=old.ttl,
            tags=old.tags,
            media_type=old.media_type,
            task_type=old.task_type,
            outcome=statement.outcome or old.outcome,
            tools=statement.tools or old.tools,
            error_code=statement.error_code or old.error_code,
            context=old.context,
            payload=old.payload,
            status=_status_of(statement, old),
        )
        ends = {old.id: self._ending(old, mode, at)} if endings is None else endings
        plan = await self._planner.successor(scope, candidate, old, version or old.version + 1, keep_evidence=brings_back)
        (new,) = plan.touched
        patches = tuple(
            MemoryPatch(id=memory_id, changes=changes, expect_current=not brings_back) for memory_id, changes in ends.items()
        )
        audit = self._audit(scope, action, (old.id, new.id), reason, {"mode": mode.value})
        batch = plan.batch.model_copy(
            update={
                "episodes": (episode,) if is_new and not brings_back else (),
                "memory_patches": patches,
                "audit": (audit,),
                "idempotency": once.record(new),
            }
        )
        await self._store.write(scope, await self._with_fallout(scope, batch, tuple(ends)))
        return await self.get(scope, new.id)

    async def _with_fallout(self, scope: Scope, batch: WriteBatch, ended: Sequence[str]) -> WriteBatch:
        """Return the batch with what follows for the strategies that stand on the memories it ends."""
        if not ended:
            return batch
        follows = await self._book.fallout(scope, ended)
        patches = (*batch.memory_patches, *follows.patches)
        return batch.model_copy(update={"memory_patches": patches, "jobs": (*batch.jobs, *follows.jobs)})

    def _ending(self, memory: Memory, mode: UpdateMode, at: datetime) -> dict[str, Any]:
        """Return the changes that end a memory: its event time for `change`, its record time for `correct`.

        A change of the future leaves the memory standing until then.
        """
        now = self._clock.now()
        changes: dict[str, Any] = {"status": Status.SUPERSEDED, "is_current": False}
        if mode is UpdateMode.CORRECT:
            return {**changes, "retired_at": now}
        closing = {"valid_to": at, "prior_valid_to": memory.valid_to, "closed_at": now}
        return closing if at > now else {**changes, **closing}

    def _audit(self, scope: Scope, action: str, ids: tuple[str, ...], reason: str, detail: dict[str, Any]) -> AuditEntry:
        return AuditEntry(
            id=self._ids.new(),
            at=self._clock.now(),
            actor=scope.agent_id or "",
            action=action,
            target_ids=ids,
            reason=reason,
            detail=detail,
        )


def _status_of(statement: Statement, old: Memory) -> Status:
    """Return the status a new version begins in: a strategy in other words, or one nobody approved, waits for a person."""
    approved = old.status is Status.ACTIVE and statement.summary == old.summary
    return Status.PENDING if old.kind is Kind.STRATEGY and not approved else Status.ACTIVE
