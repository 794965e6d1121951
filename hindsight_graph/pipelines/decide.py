"""Decide what becomes of each candidate: kept, merged, a new value, a value of the past, or beside another it contradicts."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import trusted
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import (
    EdgeType,
    Status,
    StructureType,
    Visibility,
)
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory, Mention, Slot
from hindsight_graph.models.record import MemoryPatch, Precedents
from hindsight_graph.models.result import Action, ReceiptItem
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings, all_mentions
from hindsight_graph.pipelines.duplicates import Signature, denies, ends_what_was, same_statement, signature, signature_of
from hindsight_graph.text.names import normal_name
from hindsight_graph.text.sketch import bands_of

_FUTURE_SLACK = timedelta(minutes=5)
"""Clock skew between caller and engine that is not worth a note."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A candidate with what is computed from its words once."""

    candidate: Candidate
    mentions: tuple[Mention, ...]
    content_hash: str
    signature: Signature
    bands: tuple[int, ...]

    @classmethod
    def of(cls, candidates: Sequence[Candidate]) -> "list[Prepared]":
        """Return the candidates with their mentions, hashes, signatures and look-up bands; many at once cost less each."""
        unbanded: list[tuple[Candidate, tuple[Mention, ...], str, Signature]] = []
        for candidate in candidates:
            statement, mentions, facets = candidate.statement, all_mentions(candidate.statement), candidate.facets
            mine = signature(
                statement.summary, candidate.kind, statement.negated, mentions, statement.relations, candidate.valid_from, facets
            )
            unbanded.append((candidate, mentions, candidate.hash_with(mentions, facets), mine))
        banded = bands_of([(mine.topic, mine.must_agree) for *_, mine in unbanded])
        return [cls(*fields, signs) for fields, signs in zip(unbanded, banded, strict=True)]

    def standing_on(self, episode: Episode | None) -> "Prepared":
        """Return the same statement as said in `episode`, if there is one and it is another."""
        if episode is None or episode is self.candidate.episode:
            return self
        return Prepared.of([self.candidate.standing_on(episode)])[0]


@dataclass(slots=True)
class Known:
    """What is already there: stored memories, and those planned earlier in the same batch."""

    by_hash: dict[tuple[str | None, str], Memory] = field(default_factory=dict[tuple[str | None, str], Memory])
    by_band: dict[int, list[str]] = field(default_factory=lambda: defaultdict[int, list[str]](list))
    by_slot: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict[tuple[str, str], list[str]](list))
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])
    signatures: dict[str, Signature] = field(default_factory=dict[str, Signature])
    confirmed: dict[str, datetime] = field(default_factory=dict[str, datetime])

    @classmethod
    def of(cls, stored: Precedents) -> "Known":
        """Return what a store found under the keys of a write."""
        known = cls(confirmed=dict(stored.last_said))
        for memory in stored.memories:
            known.add(memory)
        return known

    def add(self, memory: Memory) -> None:
        """Let later candidates see this memory."""
        self.memories[memory.id] = memory
        if memory.is_current:
            self.by_hash[memory.agent_id, memory.content_hash] = memory
            for band in memory.bands:
                self.by_band[band].append(memory.id)
        if memory.slot is not None:
            key = slot_key(memory.slot)
            if memory.id not in self.by_slot[key]:
                self.by_slot[key].append(memory.id)

    def in_slot(self, slot: Slot, agent_id: str | None) -> list[Memory]:
        """Return the agent's memories that state this slot, of now and before."""
        found = (self.memories[memory_id] for memory_id in self.by_slot.get(slot_key(slot), ()))
        return [memory for memory in found if memory.agent_id == agent_id]

    def last_said(self, memory: Memory) -> datetime:
        """Return the latest event time at which a memory was stated."""
        return max(memory.valid_from, self.confirmed.get(memory.id, memory.valid_from))

    def signature(self, memory_id: str) -> Signature:
        """Return what must agree for a merge with this memory."""
        if memory_id not in self.signatures:
            self.signatures[memory_id] = signature_of(self.memories[memory_id])
        return self.signatures[memory_id]


def slot_key(slot: Slot) -> tuple[str, str]:
    """Return the key under which a slot's values compete: normal subject, normal attribute."""
    return normal_name(slot.subject), normal_name(slot.attribute)


class Work:
    """The state of one planning run."""

    def __init__(
        self, now: datetime, ids: IdGenerator, settings: RetainSettings, known: Known, entities: Mapping[str, Entity]
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

    def take(self, item: Prepared) -> None:
        """Decide one candidate's fate."""
        candidate = item.candidate
        same, reason = self._find_same(item)
        if same is not None:
            self._merge(candidate, same, reason)
            return
        rivals, denied = self._rivals(candidate), self._denied(item)
        later = [
            rival for rival in rivals if self._known.last_said(rival) > candidate.valid_from and rival.trust >= candidate.trust
        ]
        replaced = [
            rival
            for rival in rivals
            if not later and self._known.last_said(rival) < candidate.valid_from and candidate.trust >= rival.trust
        ]
        if later:
            memory = self._insert_before(item, later)
        else:
            memory = self._make(item, max(replaced, key=lambda rival: (rival.valid_from, rival.id), default=None))
        self._known.add(memory)
        self.new[memory.id] = memory
        self.touched.append(memory.id)
        self.edges.extend(self._edges(memory))
        ended = [
            other
            for other in denied
            if ends_what_was(candidate.statement.summary)
            and self._known.last_said(other) <= candidate.valid_from
            and candidate.trust >= other.trust
        ]
        for old in (*replaced, *ended):
            self._supersede(old, memory)
        denied = [other for other in denied if other not in ended]
        beside = [rival for rival in rivals if rival not in replaced and not later]
        for other in (*beside, *denied):
            self.edges.append(self._link(memory, other.id, StructureType.CONTRADICTS))
        self._report(candidate, memory, beside, [*replaced, *ended], later)

    def _insert_before(self, item: Prepared, later: Sequence[Memory]) -> Memory:
        """Make the candidate a value of the past: true until the next one began; the one before it ends where it begins."""
        candidate = item.candidate
        until = min(max(rival.valid_from, candidate.valid_from) for rival in later)
        if until == candidate.valid_from:
            until = min(self._known.last_said(rival) for rival in later)
        assert candidate.slot is not None
        for before in self._known.in_slot(candidate.slot, candidate.agent_id):
            end = before.valid_to if not before.is_current and before.retired_at is None else None
            if end is not None and before.valid_from < candidate.valid_from < end:
                ending = {"valid_to": candidate.valid_from, "prior_valid_to": end, "closed_at": self._now}
                self._change(before, ending, None)
        past = {"valid_to": until, "status": Status.SUPERSEDED, "is_current": False}
        return self._make(item, None).model_copy(update=past)

    def _denied(self, item: Prepared) -> list[Memory]:
        """Return current memories of the same agent that say the opposite."""
        near = dict.fromkeys(memory_id for band in item.bands for memory_id in self._known.by_band.get(band, ()))
        found = [self._known.memories[memory_id] for memory_id in near]
        return [
            memory
            for memory in found
            if memory.is_current
            and memory.agent_id == item.candidate.agent_id
            and denies(item.signature, self._known.signature(memory.id))
        ]

    def add(self, item: Prepared) -> Memory:
        """Make the candidate a memory of its own, whatever else says the same."""
        memory = self._make(item, None)
        self.new[memory.id] = memory
        self.edges.extend(self._edges(memory))
        self._report(item.candidate, memory, (), (), ())
        return memory

    def succeed(self, item: Prepared, old: Memory, version: int, *, keep_evidence: bool) -> Memory:
        """Make the candidate the next version of `old`."""
        evidence = {"episode_ids": old.episode_ids, "raw_refs": old.raw_refs} if keep_evidence else {}
        memory = self._make(item, old).model_copy(update={"version": version, **evidence})
        self.new[memory.id] = memory
        self.edges.extend(self._edges(memory))
        self.edges.append(self._link(memory, old.id, StructureType.SUPERSEDES))
        return memory

    def _find_same(self, item: Prepared) -> tuple[Memory | None, str]:
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
                if candidate.valid_to in (None, other.valid_to) and same_statement(
                    item.signature, self._known.signature(memory_id)
                ):
                    return other, "says the same"
        return None, ""

    def _rivals(self, candidate: Candidate) -> list[Memory]:
        """Return current memories of the same agent that give the same slot another value."""
        if candidate.slot is None:
            return []
        value = _value_of(candidate.slot)
        return [
            memory
            for memory in self._known.in_slot(candidate.slot, candidate.agent_id)
            if memory.is_current
            and memory.status is Status.ACTIVE
            and memory.slot is not None
            and _value_of(memory.slot) != value
            and (memory.valid_to is None or memory.valid_to > candidate.valid_from)
        ]

    def _make(self, item: Prepared, previous: Memory | None) -> Memory:
        candidate = item.candidate
        statement, episode = candidate.statement, candidate.episode
        evidence = (episode, *candidate.more_evidence)
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
        fields: dict[str, Any] = {
            "id": memory_id,
            "root_id": previous.root_id if previous else memory_id,
            "version": previous.version + 1 if previous else 1,
            "kind": candidate.kind,
            "summary": statement.summary,
            "context": candidate.context,
            "language": statement.language,
            "negated": statement.negated,
            "mentions": tuple([self._resolved(mention) for mention in item.mentions]),
            "relations": statement.relations,
            "slot": candidate.slot,
            "raw_refs": tuple(dict.fromkeys([item.raw_ref for item in evidence if item.raw_ref])),
            "episode_ids": tuple(dict.fromkeys([item.id for item in evidence])),
            "tags": candidate.tags,
            "agent_id": candidate.agent_id,
            "visibility": candidate.visibility,
            "session_id": episode.session_id,
            "sequence": episode.sequence,
            "origin": episode.origin,
            "trust": candidate.trust,
            "confidence": candidate.confidence,
            "importance": candidate.importance,
            "priority": candidate.priority,
            "weight": candidate.weight,
            "status": candidate.status,
            "media_type": candidate.media_type,
            "task_type": candidate.task_type,
            "outcome": candidate.outcome,
            "tools": candidate.tools,
            "error_code": candidate.error_code,
            "ttl": lives,
            "expires_at": self._now + lives if lives else None,
            "valid_from": candidate.valid_from,
            "valid_to": candidate.valid_to,
            "closed_at": None,
            "prior_valid_to": None,
            "recorded_at": self._now,
            "confirmed_at": None,
            "retired_at": None,
            "is_current": True,
            "content_hash": item.content_hash,
            "bands": item.bands,
            "payload": dict(candidate.payload),
        }
        return trusted(Memory, fields)

    def _resolved(self, mention: Mention) -> Mention:
        fields = {"name": mention.name, "type": mention.type, "role": mention.role, "entity_id": self._entities[mention.name].id}
        return trusted(Mention, fields)

    def _edges(self, memory: Memory) -> Iterable[Edge]:
        shared = _shared_fields(memory)
        ids = iter(self._ids.several(len(memory.episode_ids) + len(memory.mentions) + len(memory.relations)))
        for episode_id in memory.episode_ids:
            yield self._edge(shared, next(ids), memory.id, episode_id, StructureType.EVIDENCED_BY)
        mentioned: set[str] = set()
        for mention in memory.mentions:
            entity = self._entities[mention.name]
            if entity.id not in mentioned:
                mentioned.add(entity.id)
                yield self._edge(
                    shared, next(ids), memory.id, entity.id, StructureType.MENTIONS,
                    role=mention.role, target_canonical=entity.canonical_id,
                )  # fmt: skip
        for relation in memory.relations:
            source, target = self._entities[relation.source], self._entities[relation.target]
            yield self._edge(
                shared,
                next(ids),
                source.id,
                target.id,
                relation.type,
                source_canonical=source.canonical_id,
                target_canonical=target.canonical_id,
                pattern=relation.pattern,
                confidence=relation.confidence * memory.confidence,
            )

    def _link(self, owner: Memory, target_id: str, kind: StructureType) -> Edge:
        """Return an edge from a memory to its evidence or to another memory."""
        return self._edge(_shared_fields(owner), self._ids.new(), owner.id, target_id, kind)

    @staticmethod
    def _edge(shared: Mapping[str, Any], edge_id: str, source_id: str, target_id: str, kind: EdgeType, **own: Any) -> Edge:
        """Return an edge with the fields of its owner, and with what is its own where that differs."""
        return trusted(Edge, {
            **shared, "id": edge_id, "source_id": source_id, "target_id": target_id, "type": kind,
            "source_canonical": source_id, "target_canonical": target_id, **own,
        })  # fmt: skip

    def _merge(self, candidate: Candidate, memory: Memory, reason: str) -> None:
        """Add the candidate's evidence to `memory` and confirm it."""
        episode = candidate.episode
        self.touched.append(memory.id)
        self._known.confirmed[memory.id] = max(self._known.last_said(memory), candidate.valid_from)
        changes = self._taken_up(candidate, memory)
        is_new_evidence = episode.id not in memory.episode_ids
        if is_new_evidence:
            changes["confirmed_at"] = self._now
            if memory.ttl is not None and "expires_at" not in changes:
                changes["expires_at"] = self._now + memory.ttl
            self.edges.append(self._link(memory, episode.id, StructureType.EVIDENCED_BY))
        if changes:
            self._change(memory, changes, (episode.id, episode.raw_ref) if is_new_evidence else None)
        text = candidate.statement.summary
        self.items.append(ReceiptItem(action=Action.MERGED, text=text, memory_id=memory.id, reason=f"{reason} as {memory.id}"))

    def _taken_up(self, candidate: Candidate, memory: Memory) -> dict[str, Any]:
        """Return what the candidate says about the memory that it did not carry yet."""
        wanted: dict[str, Any] = {
            "tags": tuple(dict.fromkeys((*memory.tags, *candidate.tags))),
            "priority": max(memory.priority, candidate.priority),
            "importance": max(memory.importance, candidate.importance),
            "confidence": max(memory.confidence, candidate.confidence),
            "payload": {**memory.payload, **candidate.payload},
            "visibility": Visibility.SHARED if candidate.visibility is Visibility.SHARED else memory.visibility,
        }
        if candidate.ttl is not None:
            wanted["ttl"] = candidate.ttl or None
            wanted["expires_at"] = self._now + candidate.ttl if candidate.ttl else None
        return {name: value for name, value in wanted.items() if value != getattr(memory, name)}

    def _supersede(self, old: Memory, new: Memory) -> None:
        """The world changed: the old value ends when the new one begins; one of the future leaves it standing until then."""
        changes: dict[str, Any] = {"valid_to": new.valid_from, "prior_valid_to": old.valid_to, "closed_at": self._now}
        if new.valid_from <= self._now:
            changes |= {"status": Status.SUPERSEDED, "is_current": False}
        self._change(old, changes, None)
        self.edges.append(self._link(new, old.id, StructureType.SUPERSEDES))

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
            expect_current=memory.is_current and before.expect_current,
        )

    def _report(
        self,
        candidate: Candidate,
        memory: Memory,
        beside: Sequence[Memory],
        replaced: Sequence[Memory],
        later: Sequence[Memory],
    ) -> None:
        slot = candidate.slot
        place = f"{slot.subject} / {slot.attribute}" if slot else ""
        if replaced and not slot:
            reason = f"ends what was said before: {replaced[0].summary}"
        elif replaced:
            before = ", ".join(old.slot.value for old in replaced if old.slot)
            reason = f"new value of {place}: {slot.value if slot else ''}, replaces {before}"
        elif later:
            reason = f"an earlier value of {place}: {', '.join(new.slot.value for new in later if new.slot)} came later"
        elif beside:
            reason = f"kept beside another value of {place}: neither later nor trusted enough to replace it"
        else:
            reason = str(candidate.kind)
        fields: dict[str, Any] = {
            "action": Action.SUPERSEDED if replaced else Action.KEPT,
            "text": memory.summary,
            "memory_id": memory.id,
            "reason": reason,
            "replaces": replaced[0].id if replaced else None,
        }
        self.items.append(trusted(ReceiptItem, fields))


def _shared_fields(owner: Memory) -> dict[str, Any]:
    """Return what all edges of a memory have in common."""
    return {
        "role": None, "owner_id": owner.id, "agent_id": owner.agent_id, "visibility": owner.visibility, "pattern": "",
        "confidence": owner.confidence, "weight": 1.0, "trust": owner.trust, "valid_from": owner.valid_from,
        "valid_to": owner.valid_to, "closed_at": None, "prior_valid_to": None, "recorded_at": owner.recorded_at,
        "retired_at": None, "expires_at": owner.expires_at, "status": owner.status, "is_current": owner.is_current,
    }  # fmt: skip


def _value_of(slot: Slot) -> str:
    return " ".join(unicodedata.normalize("NFKC", slot.value).casefold().split())
