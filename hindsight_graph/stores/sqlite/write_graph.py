"""Writing entities and edges: entities merge, edges carry canonical ids that follow."""

import json
import sqlite3
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from hindsight_graph.errors import ConflictError, NotFoundError
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EntityType, RelationType, StructureType
from hindsight_graph.models.record import EntityPatch
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.predicates import among
from hindsight_graph.stores.sqlite.rows import key_of, list_or_none

_OWNER_STATE = "status, is_current, retired_at, trust, visibility"
"""What an edge takes from its owner when it joins an older memory; its validity is its own then."""
_READ_ENTITY = f"SELECT {', '.join(rows.ENTITY_COLUMNS)} FROM entities WHERE tenant = :tenant AND id"
_INSERT_ENTITY = f"INSERT INTO entities (tenant, {', '.join(rows.ENTITY_COLUMNS)}) VALUES (?{', ?' * len(rows.ENTITY_COLUMNS)})"
_INSERT_EDGE = (
    f"INSERT INTO edges (tenant, is_domain, {', '.join(rows.EDGE_COLUMNS)}) VALUES (?, ?{', ?' * len(rows.EDGE_COLUMNS)})"
)
_SOURCE_CANONICAL, _TARGET_CANONICAL = (rows.EDGE_COLUMNS.index(name) for name in ("source_canonical", "target_canonical"))


class GraphWriter:
    """Writes entities and edges of one tenant through a connection that holds the write transaction."""

    def __init__(self, connection: sqlite3.Connection, tenant: str) -> None:
        self._connection = connection
        self._tenant = tenant

    # -- entities

    def merge(self, entities: Sequence[Entity]) -> None:
        """Insert entities; one that exists keeps its name, and gains aliases and a type where it had none."""
        asked, parameters = among("id", [entity.id for entity in entities])
        found = self._connection.execute(f"{_READ_ENTITY} {asked}", {"tenant": self._tenant, **parameters})
        known = {entity.id: entity for entity in map(rows.entity_of, found)}
        new: dict[str, Entity] = {}
        changed: dict[str, Entity] = {}
        for entity in entities:
            before = changed.get(entity.id) or known.get(entity.id) or new.get(entity.id)
            if before is None:
                new[entity.id] = entity
            elif (after := _merged(before, (entity.name, *entity.aliases), entity.type)) is not before:
                (new if entity.id in new else changed)[entity.id] = after
        self._insert(new)
        for entity in changed.values():
            self._update(entity)
        self._check_no_chain([entity.id for entity in new.values() if entity.canonical_id != entity.id])

    def insert(self, entities: Sequence[Entity]) -> None:
        """Insert entities as they are, merged ones before what they are merged into too; one that exists is left as it is."""
        known = self._connection.execute(
            "SELECT id FROM entities WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
            (self._tenant, json.dumps([entity.id for entity in entities])),
        )
        there = {row[0] for row in known}
        self._insert({entity.id: entity for entity in entities if entity.id not in there})

    def _insert(self, new: Mapping[str, Entity]) -> None:
        if not new:
            return
        try:
            self._connection.executemany(_INSERT_ENTITY, [(self._tenant, *rows.entity_row(entity)) for entity in new.values()])
        except sqlite3.IntegrityError as error:
            raise self._same_normal(new.values()) from error
        self._index_aliases(new.values())

    def _same_normal(self, entities: Iterable[Entity]) -> ConflictError:
        seen: dict[str, str] = {}
        for entity in entities:
            other = self._connection.execute(
                "SELECT id FROM entities WHERE tenant = ? AND normal = ? AND id <> ?", (self._tenant, entity.normal, entity.id)
            ).fetchone()
            twin = other[0] if other else seen.get(entity.normal)
            if twin is not None:
                return ConflictError(
                    f"entity {entity.id} has the normal form {entity.normal!r} of entity {twin}", hint="make ids with `entity_id`"
                )
            seen[entity.normal] = entity.id
        return ConflictError("one of the entities breaks a rule of the store")

    def _update(self, entity: Entity) -> None:
        self._connection.execute(
            "UPDATE entities SET aliases = ?, type = ? WHERE tenant = ? AND id = ?",
            (list_or_none(entity.aliases), entity.type.value, self._tenant, entity.id),
        )
        self._index_aliases([entity])

    def _index_aliases(self, entities: Iterable[Entity]) -> None:
        """Index the aliases by normal form; names are found in the entities table."""
        pairs = [(key_of(alias), self._tenant, entity.id) for entity in entities for alias in entity.aliases]
        if pairs:
            self._connection.executemany(
                "INSERT OR IGNORE INTO entity_names (normal, tenant, entity)"
                " SELECT ?1, ?2, num FROM entities WHERE tenant = ?2 AND id = ?3",
                pairs,
            )

    def patch(self, patches: Sequence[EntityPatch]) -> None:
        """Change entities; all their edges follow a new canonical id."""
        for patch in patches:
            row = self._connection.execute(f"{_READ_ENTITY} = :id", {"tenant": self._tenant, "id": patch.id}).fetchone()
            if row is None:
                raise NotFoundError(f"no entity {patch.id}", hint="check the id and the tenant")
            before = rows.entity_of(row)
            after = _merged(before, patch.add_aliases, EntityType.OTHER)
            if patch.type is not None:
                after = after.model_copy(update={"type": patch.type})
            if after != before:
                self._update(after)
            if patch.canonical_id is not None and patch.canonical_id != before.canonical_id:
                self._move(patch.id, before.canonical_id, patch.canonical_id)
        self._check_no_chain([patch.id for patch in patches if patch.canonical_id is not None])

    def _move(self, entity_id: str, old: str, new: str) -> None:
        self._connection.execute(
            "UPDATE entities SET canonical_id = ? WHERE tenant = ? AND id = ?", (new, self._tenant, entity_id)
        )
        for side in ("source", "target"):
            self._connection.execute(
                f"UPDATE edges SET {side}_canonical = ? WHERE tenant = ? AND {side}_canonical = ? AND {side}_id = ?",
                (new, self._tenant, old, entity_id),
            )

    def _check_no_chain(self, ids: list[str]) -> None:
        """Refuse canonical ids that do not exist, or that were merged themselves."""
        if not ids:
            return
        found = self._connection.execute(
            "SELECT e.id, e.canonical_id, c.canonical_id FROM entities e"
            " LEFT JOIN entities c ON c.tenant = e.tenant AND c.id = e.canonical_id"
            " WHERE e.tenant = ?1 AND e.canonical_id <> e.id AND (c.id IS NULL OR c.canonical_id <> c.id)"
            " AND (e.id IN (SELECT value FROM json_each(?2)) OR e.canonical_id IN (SELECT value FROM json_each(?2)))",
            (self._tenant, json.dumps(ids)),
        ).fetchone()
        if found is None:
            return
        entity_id, canonical, further = found
        if further is None:
            raise NotFoundError(
                f"no entity {canonical}, into which {entity_id} would be merged", hint="check the id and the tenant"
            )
        raise ConflictError(
            f"entity {entity_id} would be merged into {canonical}, which is merged into {further} itself",
            hint=f"give every entity that was merged into {canonical} the canonical id {further}, in the same batch",
        )

    # -- edges

    def new_edges(self, edges: Sequence[Edge], fresh: Container[str]) -> list[Edge]:
        """Return the edges that are not stored yet, each id once; `fresh` are the memories this batch adds, by id.

        An edge is looked up under its owner: what a new memory owns is new.
        """
        by_id: dict[str, Edge] = {}
        for edge in edges:
            by_id.setdefault(edge.id, edge)
        older = [edge for edge in by_id.values() if edge.owner_id not in fresh]
        if older:
            owners = json.dumps(list({edge.owner_id for edge in older}))
            known = self._connection.execute(
                "SELECT id FROM edges WHERE tenant = ? AND owner_id IN (SELECT value FROM json_each(?))"
                " AND id IN (SELECT value FROM json_each(?))",
                (self._tenant, owners, json.dumps([edge.id for edge in older])),
            )
            for (known_id,) in known.fetchall():
                del by_id[known_id]
        return list(by_id.values())

    def insert_edges(self, edges: Sequence[Edge], slots: Mapping[str, int]) -> None:
        """Insert edges whose ids are new; `slots` are those of the memories of the same batch, by id."""
        connection, tenant = self._connection, self._tenant
        merged = self._merged_nodes(edges)
        values: list[tuple[Any, ...]] = []
        for edge in edges:
            row = rows.edge_row(edge)
            if merged and (edge.source_id in merged or edge.target_id in merged):
                ends = list(row)
                ends[_SOURCE_CANONICAL] = merged.get(edge.source_id, edge.source_canonical)
                ends[_TARGET_CANONICAL] = merged.get(edge.target_id, edge.target_canonical)
                row = tuple(ends)
            values.append((tenant, isinstance(edge.type, RelationType), *row))
        connection.executemany(_INSERT_EDGE, values)
        older = [edge for edge in edges if edge.owner_id not in slots]
        if older:
            owner = "FROM memories m WHERE m.tenant = edges.tenant AND m.id = edges.owner_id"
            connection.execute(
                f"UPDATE edges SET ({_OWNER_STATE}) = (SELECT {_OWNER_STATE} {owner})"
                " WHERE tenant = ? AND owner_id IN (SELECT value FROM json_each(?)) AND id IN (SELECT value FROM json_each(?))"
                f" AND EXISTS (SELECT 1 {owner})",
                (tenant, json.dumps([edge.owner_id for edge in older]), json.dumps([edge.id for edge in older])),
            )
        self._index_mentions([edge for edge in edges if edge.type is StructureType.MENTIONS], slots)

    def _index_mentions(self, mentions: Sequence[Edge], slots: Mapping[str, int]) -> None:
        connection, tenant = self._connection, self._tenant
        fresh = [(tenant, edge.target_id, slots[edge.source_id]) for edge in mentions if edge.source_id in slots]
        fresh.sort()  # in the order of the table, each of its pages is touched once
        connection.executemany("INSERT OR IGNORE INTO memory_entities (tenant, entity_id, slot) VALUES (?, ?, ?)", fresh)
        if len(fresh) < len(mentions):
            connection.executemany(
                "INSERT OR IGNORE INTO memory_entities (tenant, entity_id, slot)"
                " SELECT ?1, ?2, slot FROM memories WHERE tenant = ?1 AND id = ?3",
                [(tenant, edge.target_id, edge.source_id) for edge in mentions if edge.source_id not in slots],
            )

    def _merged_nodes(self, edges: Sequence[Edge]) -> dict[str, str]:
        """Return the canonical id of each merged entity among the ends: a writer may not have seen a merge yet."""
        asked, parameters = among("id", list({node for edge in edges for node in (edge.source_id, edge.target_id)}))
        return dict(
            self._connection.execute(
                f"SELECT id, canonical_id FROM entities WHERE tenant = :tenant AND canonical_id <> id AND id {asked}",
                {"tenant": self._tenant, **parameters},
            ).fetchall()
        )


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
