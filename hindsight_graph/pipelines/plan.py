"""Plan a write: which candidates become memories, which merge, which supersede; all of a batch, before anything is written."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_graph.clock import Clock
from hindsight_graph.embedding.base import Embedder, passage_of
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import trusted
from hindsight_graph.models.enums import Status
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import NewMemory, SlotExpectation, WriteBatch, WriteKeys
from hindsight_graph.models.result import ReceiptItem
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings
from hindsight_graph.pipelines.decide import Known, Prepared, Work, slot_key
from hindsight_graph.pipelines.entities import Entities, Names
from hindsight_graph.stores.base import Store
from hindsight_graph.text.tokens import RECENT, index_terms


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned write.

    Attributes:
        touched: The memories kept or merged into, in input order.
        episode_ids: For each episode that was handed in, the one that stands for its content.
    """

    batch: WriteBatch
    items: tuple[ReceiptItem, ...] = ()
    touched: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()
    episode_ids: tuple[str, ...] = ()


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

    async def plan(self, scope: Scope, candidates: Sequence[Candidate], episodes: Sequence[Episode] = ()) -> Plan:
        """Return what to write for these candidates, in their order.

        Args:
            scope: Tenant and agent.
            candidates: What was stated.
            episodes: Evidence of the candidates that is written with them, unless its content is stored already.
        """
        if not candidates and not episodes:
            return Plan(WriteBatch())
        prepared = Prepared.of(candidates)
        names = Names({mention.name: mention.type for item in prepared for mention in item.mentions})
        look_up = self._store.find_precedents(scope, _keys(prepared, episodes, names))
        stored, _ = await asyncio.gather(look_up, _analyse(prepared))
        standing = standing_episodes(episodes, stored.episodes)
        prepared = [item.standing_on(standing.get(item.candidate.episode.id)) for item in prepared]
        known = Known.of(stored)
        expected = _expected_slots(prepared, known)
        resolved = self._entities.settle(scope, names, stored.entities)
        work = Work(self._clock.now(), self._ids, self._settings, known, resolved.by_name)
        for item in prepared:
            work.take(item)
        batch = trusted(WriteBatch, {
            "expected_slots": expected, "episodes": tuple([item for item in episodes if standing[item.id] is item]),
            "memories": await self._with_vectors(work), "entities": resolved.new, "edges": tuple(work.edges),
            "memory_patches": tuple(work.patches.values()), "entity_patches": resolved.patches, "jobs": (), "finished_jobs": (),
            "job_changes": (), "keys": (), "sessions": (), "audit": (), "idempotency": None,
        })  # fmt: skip
        touched = tuple(work.current(memory_id) for memory_id in dict.fromkeys(work.touched))
        notes = tuple(dict.fromkeys(work.notes))
        return Plan(batch, tuple(work.items), touched, notes, tuple(standing[episode.id].id for episode in episodes))

    async def successor(self, scope: Scope, candidate: Candidate, old: Memory, version: int, *, keep_evidence: bool) -> Plan:
        """Return what to write so that `candidate` becomes version `version` of `old`; ending `old` is the caller's part.

        With `keep_evidence` it stands on what `old` stood on, else on the candidate's own episode.
        """
        (item,) = Prepared.of([candidate])
        resolved = await self._entities.resolve(scope, {mention.name: mention.type for mention in item.mentions})
        work = Work(self._clock.now(), self._ids, self._settings, Known(), resolved.by_name)
        memory = work.succeed(item, old, version, keep_evidence=keep_evidence)
        batch = WriteBatch(
            memories=await self._with_vectors(work),
            entities=resolved.new,
            edges=tuple(work.edges),
            entity_patches=resolved.patches,
        )
        return Plan(batch, touched=(memory,), notes=tuple(work.notes))

    async def learned(self, scope: Scope, candidates: Sequence[Candidate]) -> Plan:
        """Return what to write so that each candidate becomes a memory of its own; what is learned merges by other rules."""
        prepared = Prepared.of(candidates)
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

    async def _with_vectors(self, work: "Work") -> tuple[NewMemory, ...]:
        kept = list(work.new.values())
        if not kept:
            return ()
        matrix = await self._embedder.embed_passages([passage_of(memory.summary, memory.context) for memory in kept])
        return tuple(
            trusted(NewMemory, {"memory": memory, "vector": matrix[row], "terms": index_terms(memory.summary, memory.context)})
            for row, memory in enumerate(kept)
        )


def standing_episodes(made: Sequence[Episode], stored: Sequence[Episode]) -> dict[str, Episode]:
    """Return for each episode, by its id, the one that stands for its content: a stored one, else the first of those made."""
    by_content = {(episode.agent_id, episode.content_hash): episode for episode in stored}
    return {episode.id: by_content.setdefault((episode.agent_id, episode.content_hash), episode) for episode in made}


def _keys(prepared: Sequence[Prepared], episodes: Sequence[Episode], names: Names) -> WriteKeys:
    return trusted(WriteKeys, {
        "episode_hashes": tuple({episode.content_hash for episode in episodes}),
        "session_ids": (),
        "content_hashes": tuple({item.content_hash for item in prepared}),
        "bands": tuple({band for item in prepared for band in item.bands}),
        "slots": tuple({slot_key(item.candidate.slot) for item in prepared if item.candidate.slot is not None}),
        "normals": names.normals,
    })  # fmt: skip


async def _analyse(prepared: Sequence[Prepared]) -> None:
    """Find the terms of statements, which vectors and index want, while the store looks up their keys in a thread of its own.

    `index_terms` keeps what was found, so this is done for no more statements than it keeps.
    """
    for item in prepared[:RECENT]:
        index_terms(item.candidate.statement.summary, item.candidate.context)


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
