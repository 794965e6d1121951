"""Plan a write: which candidates become memories, which merge, which supersede; all of a batch, before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_graph.clock import Clock
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import trusted
from hindsight_graph.models.enums import (
    Status,
)
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import NewMemory, SlotExpectation, WriteBatch
from hindsight_graph.models.result import ReceiptItem
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings
from hindsight_graph.pipelines.decide import Known, Prepared, Work, slot_key
from hindsight_graph.pipelines.entities import Entities
from hindsight_graph.stores.base import Store
from hindsight_graph.text.tokens import index_terms

_LIVE = (Status.ACTIVE, Status.PENDING, Status.STALE, Status.QUARANTINED)
_BAND_LOOKUP = 200
"""Near-duplicate candidates read per chunk look-up page."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned write. `touched` are the memories kept or merged into, in input order."""

    batch: WriteBatch
    items: tuple[ReceiptItem, ...]
    touched: tuple[Memory, ...]
    notes: tuple[str, ...] = ()


class Planner:
    """Plans writes against a store; writes nothing itself."""

    def __init__(
        self, store: Store, entities: Entities, embedder: Embedder, clock: Clock, ids: IdGenerator, settings: RetainSettings
    ) -> None:
        self._store = store
        self._entities = entities
        self._embedder = embedder
        self._clock = clock
        self._ids = ids
        self._settings = settings

    async def plan(self, scope: Scope, candidates: Sequence[Candidate]) -> Plan:
        """Return what to write for these candidates, in their order."""
        if not candidates:
            return Plan(WriteBatch(), (), ())
        prepared = [Prepared.of(candidate) for candidate in candidates]
        known = await self._look_up(scope, prepared)
        names = {mention.name: mention.type for item in prepared for mention in item.mentions}
        resolved = await self._entities.resolve(scope, names)
        expected = _expected_slots(prepared, known)
        work = Work(self._clock.now(), self._ids, self._settings, known, resolved.by_name)
        for item in prepared:
            work.take(item)
        memories = await self._with_vectors(work)
        batch = WriteBatch.model_construct(
            episodes=(),
            memories=memories,
            entities=resolved.new,
            edges=tuple(work.edges),
            memory_patches=tuple(work.patches.values()),
            entity_patches=resolved.patches,
            jobs=(),
            finished_jobs=(),
            sessions=(),
            audit=(),
            idempotency=None,
            expected_slots=expected,
        )
        touched = tuple(work.current(memory_id) for memory_id in dict.fromkeys(work.touched))
        return Plan(batch, tuple(work.items), touched, tuple(dict.fromkeys(work.notes)))

    async def successor(self, scope: Scope, candidate: Candidate, old: Memory, version: int, *, keep_evidence: bool) -> Plan:
        """Return what to write so that `candidate` becomes version `version` of `old`; ending `old` is the caller's part.

        With `keep_evidence` it stands on what `old` stood on, else on the candidate's own episode.
        """
        item = Prepared.of(candidate)
        resolved = await self._entities.resolve(scope, {mention.name: mention.type for mention in item.mentions})
        work = Work(self._clock.now(), self._ids, self._settings, Known(), resolved.by_name)
        memory = work.succeed(item, old, version, keep_evidence=keep_evidence)
        batch = WriteBatch(
            memories=await self._with_vectors(work),
            entities=resolved.new,
            edges=tuple(work.edges),
            entity_patches=resolved.patches,
        )
        return Plan(batch, (), (memory,), tuple(work.notes))

    async def learned(self, scope: Scope, candidates: Sequence[Candidate]) -> Plan:
        """Return what to write so that each candidate becomes a memory of its own; what is learned merges by other rules."""
        prepared = [Prepared.of(candidate) for candidate in candidates]
        names = {mention.name: mention.type for item in prepared for mention in item.mentions}
        resolved = await self._entities.resolve(scope, names)
        work = Work(self._clock.now(), self._ids, self._settings, Known(), resolved.by_name)
        made = [work.add(item) for item in prepared]
        batch = WriteBatch(
            memories=await self._with_vectors(work),
            entities=resolved.new,
            edges=tuple(work.edges),
            entity_patches=resolved.patches,
        )
        return Plan(batch, tuple(work.items), tuple(made), tuple(work.notes))

    async def _look_up(self, scope: Scope, prepared: Sequence[Prepared]) -> Known:
        view = View(now=self._clock.now(), statuses=_LIVE, timeless=True)
        known = Known()
        hashes = tuple({item.content_hash for item in prepared})
        signs = tuple({band for item in prepared for band in item.bands})
        where = [Filter(view=view, content_hashes=hashes), Filter(view=view, bands=signs)]
        slots = {slot_key(item.candidate.slot) for item in prepared if item.candidate.slot is not None}
        timeline = View(now=view.now, statuses=(*_LIVE, Status.SUPERSEDED), timeless=True)
        where.extend(Filter(view=timeline, slot=key) for key in slots)
        for condition in where:
            cursor: str | None = None
            while True:
                page = await self._store.scan_memories(scope, condition, cursor=cursor, limit=_BAND_LOOKUP)
                for memory in page.rows:
                    if memory.id not in known.memories:
                        known.add(memory)
                cursor = page.cursor
                if cursor is None:
                    break
        await self._confirmations(scope, known)
        return known

    async def _confirmations(self, scope: Scope, known: Known) -> None:
        """Note when the values of slots were last said, where more than one episode says them."""
        said = {
            episode_id: memory_id
            for ids in known.by_slot.values()
            for memory_id in ids
            if len(known.memories[memory_id].episode_ids) > 1
            for episode_id in known.memories[memory_id].episode_ids
        }
        for episode in await self._store.get_episodes(scope, tuple(said)) if said else ():
            memory_id = said[episode.id]
            known.confirmed[memory_id] = max(known.confirmed.get(memory_id, episode.occurred_at), episode.occurred_at)

    async def _with_vectors(self, work: "Work") -> tuple[NewMemory, ...]:
        kept = list(work.new.values())
        if not kept:
            return ()
        matrix = await self._embedder.embed_passages([f"{memory.summary} {memory.context}".strip() for memory in kept])
        return tuple(
            trusted(NewMemory, {"memory": memory, "vector": matrix[row], "terms": index_terms(memory.summary, memory.context)})
            for row, memory in enumerate(kept)
        )


def _expected_slots(prepared: Sequence[Prepared], known: Known) -> tuple[SlotExpectation, ...]:
    """Return who holds the slots that a plan is about, as it was found."""
    slots = {(item.candidate.agent_id, slot_key(item.candidate.slot)) for item in prepared if item.candidate.slot is not None}
    return tuple(
        SlotExpectation(
            agent_id=agent_id,
            slot=key,
            ids=frozenset(
                memory_id
                for memory_id in known.by_slot.get(key, ())
                if (memory := known.memories[memory_id]).agent_id == agent_id
                and memory.is_current
                and memory.status is Status.ACTIVE
            ),
        )
        for agent_id, key in sorted(slots, key=str)
    )
