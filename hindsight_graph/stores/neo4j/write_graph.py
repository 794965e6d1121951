"""Writing entities and edges: entities merge, edges hang from the nodes they were stated about.

An edge's canonical ends are those of its nodes, so a merge or a split changes one property of one node, and all its edges follow.
A memory lists the edges it owns and where they start, so that they are found without an index of edges.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hindsight_graph.errors import ConflictError, NotFoundError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType
from hindsight_graph.models.record import EntityPatch
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Row, Transaction
from hindsight_graph.stores.neo4j.rows import Properties

_OWNER_STATE = ("status", "is_current", "retired_at", "trust", "visibility")
"""What an edge takes from its owner when it joins an older memory; its validity is its own then."""
Listed = dict[str, tuple[list[str], list[str]]]
"""Node id -> ids of the edges it owns, and where they start, each once."""


@dataclass
class Known:
    """Which nodes a batch names are there already, and the edges they list."""

    _rows: dict[str, Row] = field(default_factory=dict[str, Row])
    _listed: Listed = field(default_factory=dict[str, tuple[list[str], list[str]]])

    def add(self, row: Row) -> None:
        """Take in what `write/begin_batch` knows of a node."""
        self._rows[row["id"]] = row
        self._listed[row["id"]] = (list(row["edge_ids"]), list(row["edge_sources"]))

    def __contains__(self, node_id: str) -> bool:
        return node_id in self._rows

    def is_memory(self, node_id: str) -> bool:
        """Whether that memory is there."""
        return node_id in self._rows and bool(self._rows[node_id]["is_memory"])

    def is_episode(self, node_id: str) -> bool:
        """Whether that episode is there."""
        return node_id in self._rows and bool(self._rows[node_id]["is_episode"])

    def is_entity(self, node_id: str) -> bool:
        """Whether that entity is there."""
        return node_id in self._rows and self._rows[node_id]["entity"] is not None

    def entity(self, node_id: str) -> Entity:
        """Return that entity, which is there, as it was when the batch began."""
        return rows.entity_of(self._rows[node_id]["entity"])

    def has_edge(self, owner_id: str, edge_id: str) -> bool:
        """Whether that owner lists that edge."""
        return edge_id in self._listed.get(owner_id, ([], []))[0]

    def sources(self, owner_id: str) -> list[str]:
        """Return where the edges start that a node owns."""
        return self._listed.get(owner_id, ([], []))[1]

    def state(self, node_id: str) -> dict[str, Any] | None:
        """Return what edges take from an older memory; None when it is not there."""
        return {name: self._rows[node_id][name] for name in _OWNER_STATE} if self.is_memory(node_id) else None

    def note(self, node_id: str, state: Mapping[str, Any]) -> None:
        """Take in a change of a node's state."""
        if node_id in self._rows:
            self._rows[node_id] = {**self._rows[node_id], **state}

    def list_edges(self, edges: Sequence[Edge]) -> Listed:
        """Note edges as listed by their owners; returns what each of these owners lists now."""
        for edge in edges:
            ids, sources = self._listed.setdefault(edge.owner_id, ([], []))
            ids.append(edge.id)
            if edge.source_id not in sources:
                sources.append(edge.source_id)
        return {edge.owner_id: self._listed[edge.owner_id] for edge in edges}


@dataclass(frozen=True, slots=True)
class GraphRows:
    """Makes the rows of a tenant's new entities and edges, as `parts/new_rows` takes them."""

    tenant: str
    known: Known

    def sorted_out(self, entities: Sequence[Entity]) -> tuple[dict[str, Entity], list[Entity]]:
        """Return the entities whose ids are new, those of one id merged, and those that are there."""
        new: dict[str, Entity] = {}
        others: list[Entity] = []
        for entity in entities:
            if self.known.is_entity(entity.id):
                others.append(entity)
            elif entity.id in new:
                new[entity.id] = _merged(new[entity.id], (entity.name, *entity.aliases), entity.type)
            else:
                new[entity.id] = entity
        return new, others

    def entity_values(self, new: Mapping[str, Entity]) -> list[Properties]:
        """Return new entities."""
        values: list[Properties] = [
            {"id": key, "properties": rows.entity_properties(self.tenant, entity), "place": place}
            for place, (key, entity) in enumerate(new.items())
        ]
        return sorted(values, key=lambda row: str(row["id"]))

    def ends_of(self, edges: Sequence[Edge], made: Container[str]) -> list[str]:
        """Return the nodes that edges name and that are neither there nor made by the same batch."""
        nodes = {node for edge in edges for node in (edge.source_id, edge.target_id, edge.owner_id)}
        return sorted(node for node in nodes if node not in self.known and node not in made)

    def edge_values(self, edges: Sequence[Edge], fresh: Container[str]) -> list[Properties]:
        """Return new edges.

        Args:
            edges: The edges.
            fresh: Ids of the memories of the same batch; an edge of an older one takes its state from it.
        """
        values: list[Properties] = []
        for place, edge in enumerate(edges):
            properties = rows.edge_properties(self.tenant, edge)
            state = None if edge.owner_id in fresh else self.known.state(edge.owner_id)
            if state is not None:
                properties |= state
            ends: Properties = {"source_id": edge.source_id, "target_id": edge.target_id, "type": edge.type.value}
            values.append({**ends, "properties": properties, "place": place})
        return sorted(values, key=lambda row: (str(row["source_id"]), str(row["target_id"])))


class GraphWriter:
    """Writes entities and edges of one tenant through a transaction."""

    def __init__(self, transaction: Transaction, tenant: str, known: Known) -> None:
        self._transaction = transaction
        self._tenant = tenant
        self._known = known

    async def _run(self, name: str, **parameters: object) -> list[Row]:
        return await self._transaction.run(name, tenant=self._tenant, **parameters)

    # -- entities

    async def merge(self, new: Mapping[str, Entity], others: Sequence[Entity]) -> None:
        """Merge entities into those that exist, which keep their names and gain aliases and a type where they had none.

        Args:
            new: Those that were written by this batch; whether what they were merged into is there is looked at.
            others: Those that were there.
        """
        await self._merge_into_old(others)
        await self._check_no_chain([entity.id for entity in new.values() if entity.canonical_id != entity.id])

    async def _merge_into_old(self, entities: Sequence[Entity]) -> None:
        if not entities:
            return
        before = {entity.id: self._known.entity(entity.id) for entity in entities if self._known.is_entity(entity.id)}
        if len(before) < len({entity.id for entity in entities}):
            before |= await self._read(entity.id for entity in entities if entity.id not in before)
        if _after_merge(before, entities) == before:
            return
        await self._run("write/lock_nodes", ids=sorted(before))
        before = await self._read(before)
        await self._change(before, _after_merge(before, entities))

    async def _read(self, ids: Iterable[str]) -> dict[str, Entity]:
        found = await self._run("read/get_entities", ids=sorted(set(ids)))
        return {row["id"]: rows.entity_of(row) for row in found[0]["packed"]}

    async def _change(self, before: Mapping[str, Entity], after: Mapping[str, Entity]) -> None:
        values = [
            {"id": key, "properties": rows.entity_properties(self._tenant, entity)}
            for key, entity in sorted(after.items())
            if entity != before[key]
        ]
        if values:
            await self._run("write/change_nodes", rows=values)

    async def patch(self, patches: Sequence[EntityPatch]) -> None:
        """Change entities; all their edges follow a new canonical id."""
        before = await self._read(patch.id for patch in patches)
        after = dict(before)
        for patch in patches:
            entity = after.get(patch.id)
            if entity is None:
                raise NotFoundError(f"no entity {patch.id}", hint="check the id and the tenant")
            changes: dict[str, Any] = {}
            if patch.type is not None:
                changes["type"] = patch.type
            if patch.canonical_id is not None:
                changes["canonical_id"] = patch.canonical_id
            after[patch.id] = _merged(entity, patch.add_aliases, EntityType.OTHER).model_copy(update=changes)
        await self._change(before, after)
        await self._check_no_chain([patch.id for patch in patches if patch.canonical_id is not None])

    async def _check_no_chain(self, ids: list[str]) -> None:
        """Refuse canonical ids that do not exist, or that were merged themselves."""
        found = await self._run("read/find_merged_chain", ids=ids) if ids else []
        if not found:
            return
        entity_id, canonical, further = (found[0][name] for name in ("id", "canonical_id", "further"))
        if further is None:
            raise NotFoundError(
                f"no entity {canonical}, into which {entity_id} would be merged", hint="check the id and the tenant"
            )
        raise ConflictError(
            f"entity {entity_id} would be merged into {canonical}, which is merged into {further} itself",
            hint=f"give every entity that was merged into {canonical} the canonical id {further}, in the same batch",
        )

    # -- edges

    async def list_edges(self, listed: Listed, fresh: Container[str]) -> None:
        """Note what owners list now with those that are no memories of the same batch, which list their edges already."""
        older = [
            {"id": owner, "properties": {"edge_ids": ids, "edge_sources": sources}}
            for owner, (ids, sources) in sorted(listed.items())
            if owner not in fresh
        ]
        if older:
            await self._run("write/change_nodes", rows=older)


def _after_merge(before: Mapping[str, Entity], entities: Sequence[Entity]) -> dict[str, Entity]:
    after = dict(before)
    for entity in entities:
        after[entity.id] = _merged(after[entity.id], (entity.name, *entity.aliases), entity.type)
    return after


def _merged(before: Entity, names: Iterable[str], kind: EntityType) -> Entity:
    """Return `before` with these spellings as aliases, and the type where it had none; the same object when nothing is new."""
    spellings = dict.fromkeys((before.name, *before.aliases))
    known = len(spellings)
    spellings.update(dict.fromkeys(names))
    changes: dict[str, Any] = {}
    if len(spellings) > known:
        changes["aliases"] = tuple(spellings)[1:]
    if before.type is EntityType.OTHER and kind is not EntityType.OTHER:
        changes["type"] = kind
    return before.model_copy(update=changes) if changes else before
