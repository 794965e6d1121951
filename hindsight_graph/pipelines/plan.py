"""Plan a write: which candidates become memories, which merge, which supersede; all of a batch, before anything is written."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import trusted
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import (
    EdgeType,
    MentionRole,
    Status,
    StructureType,
)
from hindsight_graph.models.memory import Memory, Mention, Relation, Slot
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.record import MemoryPatch, NewMemory, WriteBatch
from hindsight_graph.models.result import Action, ReceiptItem
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings, all_mentions
from hindsight_graph.pipelines.duplicates import Signature, same_statement, signature, signature_of
from hindsight_graph.pipelines.entities import Entities
from hindsight_graph.stores.base import Store
from hindsight_graph.text.names import normal_name
from hindsight_graph.text.sketch import bands
from hindsight_graph.text.tokens import index_terms

_LIVE = (Status.ACTIVE, Status.PENDING, Status.STALE, Status.QUARANTINED)
_BAND_LOOKUP = 200
"""Near-duplicate candidates read per chunk look-up page."""
_FUTURE_SLACK = timedelta(minutes=5)
"""Clock skew between caller and engine that is not worth a note."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A candidate with what is computed from its words once."""

    candidate: Candidate
    mentions: tuple[Mention, ...]
    content_hash: str
    signature: Signature
    bands: tuple[int, ...]

    @classmethod
    def of(cls, candidate: Candidate) -> "_Prepared":
        statement, mentions = candidate.statement, all_mentions(candidate.statement)
        mine = signature(
            statement.summary, candidate.kind, statement.negated, mentions, statement.relations, candidate.valid_from
        )
        return cls(candidate, mentions, candidate.content_hash, mine, bands(mine.words, mine.must_agree))


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned write. `touched` are the memories kept or merged into, in input order."""

    batch: WriteBatch
    items: tuple[ReceiptItem, ...]
    touched: tuple[Memory, ...]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Known:
    """What is already there: stored memories, and those planned earlier in the same batch."""

    by_hash: dict[tuple[str | None, str], Memory] = field(default_factory=dict[tuple[str | None, str], Memory])
    by_band: dict[int, list[str]] = field(default_factory=lambda: defaultdict[int, list[str]](list))
    by_slot: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict[tuple[str, str], list[str]](list))
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])
    signatures: dict[str, Signature] = field(default_factory=dict[str, Signature])

    def add(self, memory: Memory) -> None:
        self.memories[memory.id] = memory
        self.by_hash[memory.agent_id, memory.content_hash] = memory
        for band in memory.bands:
            self.by_band[band].append(memory.id)
        if memory.slot is not None:
            key = slot_key(memory.slot)
            if memory.id not in self.by_slot[key]:
                self.by_slot[key].append(memory.id)

    def signature(self, memory_id: str) -> Signature:
        if memory_id not in self.signatures:
            self.signatures[memory_id] = signature_of(self.memories[memory_id])
        return self.signatures[memory_id]


def slot_key(slot: Slot) -> tuple[str, str]:
    """Return the key under which a slot's values compete: normal subject, normal attribute."""
    return normal_name(slot.subject), normal_name(slot.attribute)


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
        prepared = [_Prepared.of(candidate) for candidate in candidates]
        known = await self._look_up(scope, prepared)
        names = {mention.name: mention.type for item in prepared for mention in item.mentions}
        resolved = await self._entities.resolve(scope, names)
        work = _Work(self._clock.now(), self._ids, self._settings, known, resolved.by_name)
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
        )
        touched = tuple(work.current(memory_id) for memory_id in dict.fromkeys(work.touched))
        return Plan(batch, tuple(work.items), touched, tuple(dict.fromkeys(work.notes)))

    async def successor(self, scope: Scope, candidate: Candidate, old: Memory, version: int, *, keep_evidence: bool) -> Plan:
        """Return what to write so that `candidate` becomes version `version` of `old`; ending `old` is the caller's part.

        With `keep_evidence` it stands on what `old` stood on, else on the candidate's own episode.
        """
        item = _Prepared.of(candidate)
        resolved = await self._entities.resolve(scope, {mention.name: mention.type for mention in item.mentions})
        work = _Work(self._clock.now(), self._ids, self._settings, _Known(), resolved.by_name)
        memory = work.succeed(item, old, version, keep_evidence=keep_evidence)
        batch = WriteBatch(
            memories=await self._with_vectors(work),
            entities=resolved.new,
            edges=tuple(work.edges),
            entity_patches=resolved.patches,
        )
        return Plan(batch, (), (memory,), tuple(work.notes))

    async def _look_up(self, scope: Scope, prepared: Sequence[_Prepared]) -> _Known:
        view = View(now=self._clock.now(), statuses=_LIVE, timeless=True)
        known = _Known()
        hashes = tuple({item.content_hash for item in prepared})
        signs = tuple({band for item in prepared for band in item.bands})
        where = [Filter(view=view, content_hashes=hashes), Filter(view=view, bands=signs)]
        slots = {slot_key(item.candidate.slot) for item in prepared if item.candidate.slot is not None}
        where.extend(Filter(view=view, slot=key) for key in slots)
        for condition in where:
            cursor: str | None = None
            while True:
                page = await self._store.scan_memories(scope, condition, cursor=cursor, limit=_BAND_LOOKUP)
                for memory in page.rows:
                    if memory.is_current and memory.id not in known.memories:
                        known.add(memory)
                cursor = page.cursor
                if cursor is None:
                    break
        return known

    async def _with_vectors(self, work: "_Work") -> tuple[NewMemory, ...]:
        kept = list(work.new.values())
        if not kept:
            return ()
        matrix = await self._embedder.embed_passages([memory.summary for memory in kept])
        return tuple(
            trusted(NewMemory, {"memory": memory, "vector": matrix[row], "terms": index_terms(memory.summary, memory.context)})
            for row, memory in enumerate(kept)
        )


class _Work:
    """The state of one planning run."""

    def __init__(
        self, now: datetime, ids: IdGenerator, settings: RetainSettings, known: _Known, entities: Mapping[str, Entity]
    ) -> None:
        self._now = now
        self._ids = ids
        self._settings = settings
        self._known = known
        self._entities = entities
        self.new: dict[str, Memory] = {}
        self.edges: list[Edge] = []
        self.patches: dict[str, MemoryPatch] = {}
        self.items: list[ReceiptItem] = []
        self.touched: list[str] = []
        self.notes: list[str] = []

    def current(self, memory_id: str) -> Memory:
        """Return the memory as it will be after the write."""
        return self._known.memories[memory_id]

    def take(self, item: _Prepared) -> None:
        """Decide one candidate's fate."""
        candidate = item.candidate
        same, reason = self._find_same(item)
        if same is not None:
            self._merge(candidate, same, reason)
            return
        rivals = self._rivals(candidate)
        replaced = [rival for rival in rivals if rival.valid_from < candidate.valid_from and candidate.trust >= rival.trust]
        memory = self._make(item, max(replaced, key=lambda rival: (rival.valid_from, rival.id), default=None))
        self._known.add(memory)
        self.new[memory.id] = memory
        self.touched.append(memory.id)
        self.edges.extend(self._edges(memory))
        for rival in replaced:
            self._supersede(rival, memory)
        for rival in rivals:
            if rival not in replaced:
                self.edges.append(self._edge(memory, memory.id, rival.id, StructureType.CONTRADICTS))
        self._report(candidate, memory, rivals, replaced)

    def succeed(self, item: _Prepared, old: Memory, version: int, *, keep_evidence: bool) -> Memory:
        """Make the candidate the next version of `old`."""
        evidence = {"episode_ids": old.episode_ids, "raw_refs": old.raw_refs} if keep_evidence else {}
        memory = self._make(item, old).model_copy(update={"version": version, **evidence})
        self.new[memory.id] = memory
        self.edges.extend(self._edges(memory))
        self.edges.append(self._edge(memory, memory.id, old.id, StructureType.SUPERSEDES))
        return memory

    def _find_same(self, item: _Prepared) -> tuple[Memory | None, str]:
        candidate = item.candidate
        exact = self._known.by_hash.get((candidate.agent_id, item.content_hash))
        if exact is not None and self._known.memories[exact.id].is_current:
            return self._known.memories[exact.id], "same text"
        seen: set[str] = set()
        for band in item.bands:
            for memory_id in self._known.by_band.get(band, ()):
                other = self._known.memories[memory_id]
                if memory_id in seen or other.agent_id != candidate.agent_id or not other.is_current:
                    continue
                seen.add(memory_id)
                if same_statement(item.signature, self._known.signature(memory_id)):
                    return other, "says the same"
        return None, ""

    def _rivals(self, candidate: Candidate) -> list[Memory]:
        """Return current memories of the same agent that give the same slot another value."""
        if candidate.slot is None:
            return []
        value = normal_name(candidate.slot.value)
        found = (self._known.memories[memory_id] for memory_id in self._known.by_slot.get(slot_key(candidate.slot), ()))
        return [
            memory
            for memory in found
            if memory.is_current
            and memory.agent_id == candidate.agent_id
            and memory.status is Status.ACTIVE
            and memory.slot is not None
            and normal_name(memory.slot.value) != value
            and (memory.valid_to is None or memory.valid_to > candidate.valid_from)
        ]

    def _make(self, item: _Prepared, previous: Memory | None) -> Memory:
        candidate = item.candidate
        statement, episode = candidate.statement, candidate.episode
        memory_id = self._ids.new()
        ttl = candidate.ttl if candidate.ttl is not None else self._settings.ttl_by_kind[candidate.kind]
        lives = ttl or None
        if candidate.trust < self._settings.trust_floor:
            self.notes.append(
                f"origin {episode.origin.value} has trust {candidate.trust}, below the floor {self._settings.trust_floor}: "
                "kept, but not recalled; give another origin if you vouch for it"
            )
        if candidate.valid_from > self._now + _FUTURE_SLACK:
            self.notes.append(
                f"{memory_id} holds from {candidate.valid_from.isoformat()} on, which is in the future: not recalled before"
            )
        fields = dict[str, Any](
            id=memory_id,
            root_id=previous.root_id if previous else memory_id,
            version=previous.version + 1 if previous else 1,
            kind=candidate.kind,
            summary=statement.summary,
            context=candidate.context,
            language=statement.language,
            negated=statement.negated,
            mentions=tuple(self._resolved(mention) for mention in item.mentions),
            relations=statement.relations,
            slot=candidate.slot,
            raw_refs=(episode.raw_ref,) if episode.raw_ref else (),
            episode_ids=(episode.id,),
            tags=candidate.tags,
            agent_id=candidate.agent_id,
            visibility=candidate.visibility,
            session_id=episode.session_id,
            sequence=episode.sequence,
            origin=episode.origin,
            trust=candidate.trust,
            confidence=candidate.confidence,
            importance=candidate.importance,
            priority=candidate.priority,
            weight=0.5,
            status=Status.ACTIVE,
            media_type=candidate.media_type,
            task_type=candidate.task_type,
            outcome=candidate.outcome,
            tools=candidate.tools,
            error_code=candidate.error_code,
            ttl=lives,
            expires_at=self._now + lives if lives else None,
            valid_from=candidate.valid_from,
            valid_to=candidate.valid_to,
            closed_at=None,
            prior_valid_to=None,
            recorded_at=self._now,
            confirmed_at=None,
            retired_at=None,
            is_current=True,
            content_hash=item.content_hash,
            bands=item.bands,
            payload=dict(candidate.payload),
        )
        return trusted(Memory, fields)

    def _resolved(self, mention: Mention) -> Mention:
        fields = {"name": mention.name, "type": mention.type, "role": mention.role, "entity_id": self._entities[mention.name].id}
        return trusted(Mention, fields)

    def _edges(self, memory: Memory) -> Iterable[Edge]:
        for episode_id in memory.episode_ids:
            yield self._edge(memory, memory.id, episode_id, StructureType.EVIDENCED_BY)
        mentioned: set[str] = set()
        for mention in memory.mentions:
            entity = self._entities[mention.name]
            if entity.id not in mentioned:
                mentioned.add(entity.id)
                yield self._edge(memory, memory.id, entity.id, StructureType.MENTIONS, role=mention.role, target=entity)
        for relation in memory.relations:
            source, target = self._entities[relation.source], self._entities[relation.target]
            yield self._edge(memory, source.id, target.id, relation.type, relation=relation, source=source, target=target)

    def _edge(
        self,
        owner: Memory,
        source_id: str,
        target_id: str,
        kind: EdgeType,
        *,
        role: MentionRole | None = None,
        relation: Relation | None = None,
        source: Entity | None = None,
        target: Entity | None = None,
    ) -> Edge:
        fields = dict[str, Any](
            id=self._ids.new(),
            source_id=source_id,
            target_id=target_id,
            source_canonical=source.canonical_id if source else source_id,
            target_canonical=target.canonical_id if target else target_id,
            type=kind,
            role=role,
            owner_id=owner.id,
            agent_id=owner.agent_id,
            visibility=owner.visibility,
            pattern=relation.pattern if relation else "",
            confidence=relation.confidence * owner.confidence if relation else owner.confidence,
            weight=1.0,
            trust=owner.trust,
            valid_from=owner.valid_from,
            valid_to=owner.valid_to,
            closed_at=None,
            prior_valid_to=None,
            recorded_at=owner.recorded_at,
            retired_at=None,
            expires_at=owner.expires_at,
            status=owner.status,
            is_current=owner.is_current,
        )
        return trusted(Edge, fields)

    def _merge(self, candidate: Candidate, memory: Memory, reason: str) -> None:
        """Add the candidate's evidence to `memory` and confirm it."""
        episode = candidate.episode
        self.touched.append(memory.id)
        if episode.id not in memory.episode_ids:
            changes: dict[str, Any] = {"confirmed_at": self._now}
            if memory.ttl is not None:
                changes["expires_at"] = self._now + memory.ttl
            if candidate.confidence > memory.confidence:
                changes["confidence"] = candidate.confidence
            self._change(memory, changes, (episode.id, episode.raw_ref))
            self.edges.append(self._edge(memory, memory.id, episode.id, StructureType.EVIDENCED_BY))
        text = candidate.statement.summary
        self.items.append(ReceiptItem(action=Action.MERGED, text=text, memory_id=memory.id, reason=f"{reason} as {memory.id}"))

    def _supersede(self, old: Memory, new: Memory) -> None:
        """The world changed: close the old value when the new one begins."""
        changes = {
            "status": Status.SUPERSEDED,
            "is_current": False,
            "valid_to": new.valid_from,
            "prior_valid_to": old.valid_to,
            "closed_at": self._now,
        }
        self._change(old, changes, None)
        self.edges.append(self._edge(new, new.id, old.id, StructureType.SUPERSEDES))

    def _change(self, memory: Memory, changes: Mapping[str, Any], evidence: tuple[str, str | None] | None) -> None:
        """Change a stored memory by a patch, one of this batch in place; keep what later candidates see in step."""
        update = dict(changes)
        if evidence is not None:
            episode_id, raw_ref = evidence
            update["episode_ids"] = (*memory.episode_ids, episode_id)
            if raw_ref is not None and raw_ref not in memory.raw_refs:
                update["raw_refs"] = (*memory.raw_refs, raw_ref)
        changed = memory.model_copy(update=update)
        self._known.memories[memory.id] = changed
        if memory.id in self.new:
            self.new[memory.id] = changed
            copied = {key: value for key, value in changes.items() if key in Edge.model_fields}
            self.edges = (
                [edge.model_copy(update=copied) if edge.owner_id == memory.id else edge for edge in self.edges]
                if copied
                else self.edges
            )
            return
        before = self.patches.get(memory.id, MemoryPatch(id=memory.id))
        self.patches[memory.id] = MemoryPatch(
            id=memory.id,
            changes={**before.changes, **changes},
            add_evidence=(*before.add_evidence, evidence) if evidence else before.add_evidence,
        )

    def _report(self, candidate: Candidate, memory: Memory, rivals: Sequence[Memory], replaced: Sequence[Memory]) -> None:
        slot = candidate.slot
        place = f"{slot.subject} / {slot.attribute}" if slot else ""
        if replaced:
            before = ", ".join(old.slot.value for old in replaced if old.slot)
            reason = f"new value of {place}: {slot.value if slot else ''}, was {before}"
        elif rivals:
            reason = f"kept beside another value of {place}: neither later nor trusted enough to replace it"
        else:
            reason = candidate.kind.value
        self.items.append(
            ReceiptItem(
                action=Action.SUPERSEDED if replaced else Action.KEPT,
                text=memory.summary,
                memory_id=memory.id,
                reason=reason,
                replaces=replaced[0].id if replaced else None,
            )
        )
