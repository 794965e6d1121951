"""One batch, one transaction: everything in it is written, or nothing.

First what the batch names is held and read, in the order of ids; then what is new is written. Two writers that touch the same
nodes take them in the same order, and what still collides is repeated by the driver.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from hindsight_graph.errors import ConflictError, IdempotencyError, InputError, NotFoundError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Status
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import (
    PATCHABLE,
    EmbeddingModel,
    Job,
    MemoryPatch,
    NewMemory,
    SessionRecord,
    WriteBatch,
    WriteReceipt,
)
from hindsight_graph.stores.neo4j import jobs, keys, rows, slots, vectors
from hindsight_graph.stores.neo4j.connection import Row, Transaction
from hindsight_graph.stores.neo4j.rows import Properties
from hindsight_graph.stores.neo4j.write_graph import GraphRows, GraphWriter, Known, Listed

_WROTE = WriteReceipt()


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


Item = TypeVar("Item", bound=_HasId)


def new_rows(
    tenant: str,
    *,
    episodes: Sequence[Properties] = (),
    entities: Sequence[Properties] = (),
    memories: Sequence[Properties] = (),
    ends: Sequence[str] = (),
    edges: Sequence[Properties] = (),
    jobs: Sequence[Properties] = (),
) -> Properties:
    """Return the parameters of `parts/new_rows`, which says what each is."""
    return {
        "tenant": tenant, "episodes": episodes, "entities": entities, "memories": memories, "ends": ends, "edges": edges,
        "jobs": jobs,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class New:
    """What is new of a batch.

    Attributes:
        entities, memories: By id, each id once. listed: what the owners of the edges list with them.
    """

    episodes: Sequence[Episode]
    entities: Mapping[str, Entity]
    memories: Mapping[str, NewMemory]
    edges: Sequence[Edge]
    listed: Listed
    jobs: Sequence[Job]


def rows_of(scope: Scope, graph: GraphRows, new: New) -> Properties:
    """Return the parameters that write what is new of a batch."""
    made = {*new.memories, *new.entities, *(episode.id for episode in new.episodes)}
    return new_rows(
        scope.tenant,
        episodes=[{"id": row.id, "properties": rows.episode_properties(scope.tenant, row)} for row in new.episodes],
        entities=graph.entity_values(new.entities),
        memories=_memory_values(scope.tenant, new),
        ends=graph.ends_of(new.edges, made),
        edges=graph.edge_values(new.edges, new.memories.keys()),
        jobs=jobs.values_of(scope, new.jobs),
    )


def _memory_values(tenant: str, new: New) -> list[Properties]:
    values: list[Properties] = []
    for key in sorted(new.memories):
        item = new.memories[key]
        ids, sources = new.listed.get(key, ([], []))
        properties = {
            **rows.memory_properties(tenant, item.memory),
            **rows.search_properties(item.vector, item.terms, vectors.EMBEDDING),
            "edge_ids": ids,
            "edge_sources": sources,
        }
        values.append({"id": key, "label": item.memory.kind.value.capitalize(), "properties": properties})
    return values


@dataclass
class BatchWriter:
    """Writes one batch through a transaction.

    Attributes:
        operation: Id of the mark that the write leaves in the ledger.
        dimension: Of the store's vectors, when known; after `write` as it is then.
        model: Whose vectors the batch holds; another one recorded refuses it.
    """

    transaction: Transaction
    scope: Scope
    batch: WriteBatch
    operation: str
    dimension: int | None
    model: EmbeddingModel | None = None
    known: Known = field(default_factory=Known)
    _changed_slots: Sequence[Sequence[str]] = ()

    @property
    def _tenant(self) -> str:
        return self.scope.tenant

    async def write(self) -> WriteReceipt:
        """Write the batch; any exception means the transaction must be rolled back."""
        batch = self.batch
        answered = await self._begin()
        if answered is not None:
            return answered
        by_id = {item.memory.id: item for item in reversed(batch.memories)}
        fresh = {key: item for key, item in reversed(by_id.items()) if not self.known.is_memory(key)}
        episodes = [episode for episode in distinct(batch.episodes) if not self.known.is_episode(episode.id)]
        edges = [edge for edge in distinct(batch.edges) if not self.known.has_edge(edge.owner_id, edge.id)]
        audit = await self._new_audit()
        given = bool(batch.episodes or batch.memories or batch.edges or batch.audit)
        is_repeat = given and not (episodes or fresh or edges or audit)
        if not is_repeat:
            slots.refuse_changed(self._changed_slots)
        await self._patch([patch for patch in batch.memory_patches if patch.id not in fresh], is_repeat=is_repeat)
        await self._create(episodes, fresh, edges)
        await self._patch([patch for patch in batch.memory_patches if patch.id in fresh], is_repeat=is_repeat)
        if batch.entity_patches:
            await GraphWriter(self.transaction, self._tenant, self.known).patch(batch.entity_patches)
        for finished in batch.finished_jobs:
            await jobs.finish(self.transaction, self._tenant, finished)
        for change in batch.job_changes:
            await jobs.change(self.transaction, self.scope, change)
        await keys.put(self.transaction, self._tenant, batch.keys)
        for record in batch.sessions:
            await self._write_session(record)
        if audit:
            await self._run("write/create_audit", rows=audit)
        await self._answer_key()
        return _WROTE

    async def _create(self, episodes: Sequence[Episode], fresh: Mapping[str, NewMemory], edges: Sequence[Edge]) -> None:
        """Write what is new, in one exchange, and merge the entities that are not."""
        made = GraphRows(self._tenant, self.known)
        new, others = made.sorted_out(self.batch.entities)
        listed = self.known.list_edges(edges)
        if fresh:
            self.dimension = await vectors.check_vectors(self.transaction, list(fresh.values()), self.dimension)
        if fresh or new or episodes or edges or self.batch.jobs:
            values = rows_of(self.scope, made, New(episodes, new, fresh, edges, listed, self.batch.jobs))
            written = set((await self._run("write/create_rows", **values))[0]["written"])
            others = [*others, *(entity for key, entity in new.items() if key not in written)]
        graph = GraphWriter(self.transaction, self._tenant, self.known)
        await graph.list_edges(listed, fresh.keys())
        await graph.merge(new, others)

    async def _run(self, name: str, **parameters: object) -> list[Row]:
        return await self.transaction.run(name, **{"tenant": self._tenant, **parameters})

    # -- keys

    @property
    def _key_agent(self) -> str:
        return self.scope.agent_id or ""

    async def _begin(self) -> WriteReceipt | None:
        """Take the key, hold the nodes that change, and read everything the batch names; the answer of a key that has one."""
        batch, record = self.batch, self.batch.idempotency
        own = {item.memory.id for item in batch.memories}
        owners = {edge.owner_id for edge in batch.edges}
        ends = {node for edge in batch.edges for node in (edge.source_id, edge.target_id)}
        patched = {patch.id for patch in batch.memory_patches}
        changed = {patch.id for patch in batch.entity_patches}
        entities = {entity.id for entity in batch.entities} | changed
        named = own | owners | ends | entities | patched | {episode.id for episode in batch.episodes}
        taken = [] if record is None else [{"agent": self._key_agent, "key": record.key, "request_hash": record.request_hash}]
        begun = await self._run(
            "write/begin_batch", operation=self.operation, slots=slots.slots_of(self.scope, batch), taken=taken,
            named=sorted(named), changing=sorted(patched | (owners - own) | changed),
        )  # fmt: skip
        if any(item.vector is not None for item in batch.memories):
            vectors.check_model(begun[0]["vectors"], self.model)
        self._changed_slots = begun[0]["changed"]
        for row in begun[0]["known"]:
            self.known.add(row)
        for request_hash, response in begun[0]["answered"]:
            if record is not None and request_hash != record.request_hash:
                raise IdempotencyError(
                    f"idempotency key {record.key!r} was used for another request", hint="give each request a key of its own"
                )
            if response is not None:
                return WriteReceipt(repeated=True, response=response)
        return None

    async def _answer_key(self) -> None:
        record = self.batch.idempotency
        if record is not None and record.response is not None:
            await self._run("write/answer_key", key_agent=self._key_agent, key=record.key, response=record.response)

    # -- what is there

    async def _new_audit(self) -> list[dict[str, object]]:
        entries = {entry.id: entry for entry in reversed(self.batch.audit)}
        if not entries:
            return []
        known = {row["id"] for row in await self._run("read/read_audit_ids", ids=list(entries))}
        return [
            {"id": entry.id, "properties": rows.audit_properties(self._tenant, entry)}
            for entry in entries.values()
            if entry.id not in known
        ]

    # -- memories

    async def _patch(self, patches: Sequence[MemoryPatch], *, is_repeat: bool) -> None:
        """Change memories and the edges they own; those that stop being current first.

        Args:
            patches: The changes.
            is_repeat: Everything else of the batch was written before: a patch that has taken effect is no conflict then.
        """
        if not patches:
            return
        for patch in patches:
            unknown = sorted(patch.changes.keys() - PATCHABLE)
            if unknown:
                raise InputError(
                    f"memory {patch.id}: {', '.join(unknown)} may not change", hint="write a new version that supersedes this one"
                )
        found = await self._run("read/read_memories", ids=sorted({patch.id for patch in patches}))
        current = {row["row"][0]: rows.memory_of(row["row"]) for row in found}
        changed: list[dict[str, object]] = []
        edges: list[dict[str, object]] = []
        for patch in sorted(patches, key=_gives_way_first):
            memory = current.get(patch.id)
            if memory is None:
                raise NotFoundError(f"no memory {patch.id}", hint="check the id and the tenant")
            changes = {**patch.changes, **_more_evidence(memory, patch)}
            after, properties = rows.patched(self._tenant, memory, changes)
            if patch.expect_current and not memory.is_current and not (is_repeat and after == memory):
                raise ConflictError(
                    f"memory {patch.id} is no longer current (status {memory.status.value})",
                    hint="read its history and change the newest version",
                )
            if not (is_repeat and after == memory):
                patch.check_status(memory)
            if after == memory:
                continue
            current[patch.id] = after
            changed.append({"id": patch.id, "properties": properties})
            state = rows.edge_state(after, list(changes))
            if state:
                self.known.note(patch.id, state)
                edges.append({"id": patch.id, "sources": self.known.sources(patch.id), "properties": state})
        if changed:
            await self._run("write/change_nodes", rows=changed)
        if edges:
            await self._run("write/change_owned_edges", rows=edges)

    # -- sessions

    async def _write_session(self, record: SessionRecord) -> None:
        agent, properties = record.agent_id or "", rows.session_properties(record)
        found = await self._run("write/lock_session", id=record.id, session_agent=agent)
        stored = 0
        if found:
            row = found[0]["row"]
            if all(row.get(name) == value for name, value in properties.items()):
                return
            stored = row["version"]
        is_next = record.version == stored + 1
        if is_next:
            written = await self._run(
                "write/write_session", id=record.id, session_agent=agent, before_version=stored, properties=properties
            )
            is_next = written[0]["count"] == 1
        if not is_next:
            raise ConflictError(
                f"session {record.id} is at version {stored}; version {record.version} cannot follow",
                hint="read it again and repeat",
            )


def distinct(items: Iterable[Item]) -> list[Item]:
    """Return the items, the first of each id."""
    by_id: dict[str, Item] = {}
    for item in items:
        by_id.setdefault(item.id, item)
    return list(by_id.values())


def _gives_way_first(patch: MemoryPatch) -> bool:
    """Sort key: memories that stop being current come first, so that another one may take their content in the same batch."""
    return not (patch.changes.get("is_current") is False or patch.changes.get("status") == Status.REJECTED)


def _more_evidence(memory: Memory, patch: MemoryPatch) -> dict[str, tuple[str, ...]]:
    """Return the evidence fields with what the patch adds, each once and in order; nothing when it adds nothing new."""
    if not patch.add_evidence:
        return {}
    episodes = (*memory.episode_ids, *(episode_id for episode_id, _ in patch.add_evidence))
    references = (*memory.raw_refs, *(raw_ref for _, raw_ref in patch.add_evidence if raw_ref is not None))
    return {"episode_ids": tuple(dict.fromkeys(episodes)), "raw_refs": tuple(dict.fromkeys(references))}
