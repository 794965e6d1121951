"""Valid rows in one line, for tests: everything not named has a fixed, readable value."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import numpy as np

from hindsight_graph.ids import entity_id
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import EdgeType, Kind, MentionRole, Origin, RelationType, StructureType
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import View
from hindsight_graph.models.record import NewMemory, Vector, WriteBatch
from hindsight_graph.text.names import normal_name

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
"""The time of every row that names no other."""
DIMENSION = 8
"""Dimension of the vectors made here."""


def a_vector(*weights: float, dimension: int = DIMENSION) -> Vector:
    """Return a vector of length 1 along these weights, the rest zero; along the first axis when none are given."""
    vector = np.zeros(dimension, np.float32)
    vector[: max(1, len(weights))] = weights or (1.0,)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def a_memory(name: str, /, **fields: Any) -> Memory:
    """Return a memory whose id and summary are made from `name`."""
    summary = fields.pop("summary", f"statement {name}")
    recorded = fields.pop("recorded_at", NOW)
    values: dict[str, Any] = {
        "id": f"m-{name}",
        "root_id": f"m-{name}",
        "kind": Kind.FACT,
        "summary": summary,
        "valid_from": recorded,
        "recorded_at": recorded,
        "content_hash": sha256(summary.encode()).hexdigest(),
    }
    return Memory(**(values | fields))


def new(memory: Memory, *terms: str, vector: Vector | None = None) -> NewMemory:
    """Return a memory with its terms and, if given, its vector."""
    return NewMemory(memory=memory, terms=terms, vector=vector)


def an_entity(name: str, /, *, tenant: str = "default", **fields: Any) -> Entity:
    """Return an entity of that name, with the id every writer gives it."""
    normal = normal_name(name)
    identity = entity_id(tenant, normal)
    values: dict[str, Any] = {"id": identity, "name": name, "normal": normal, "canonical_id": identity, "recorded_at": NOW}
    return Entity(**(values | fields))


def an_episode(name: str, /, **fields: Any) -> Episode:
    """Return an episode whose id and content are made from `name`."""
    content = fields.pop("content", f"message {name}")
    values: dict[str, Any] = {
        "id": f"e-{name}",
        "role": "user",
        "content": content,
        "occurred_at": NOW,
        "recorded_at": NOW,
        "origin": Origin.USER,
        "trust": 0.9,
        "content_hash": sha256(content.encode()).hexdigest(),
    }
    return Episode(**(values | fields))


def an_edge(source: str, kind: EdgeType, target: str, owner: Memory, **fields: Any) -> Edge:
    """Return an edge between two node ids, in the state and at the times of its owner."""
    values: dict[str, Any] = {
        "id": f"{owner.id}:{source}:{kind.value}:{target}",
        "source_id": source,
        "target_id": target,
        "source_canonical": source,
        "target_canonical": target,
        "type": kind,
        "owner_id": owner.id,
        **{
            name: getattr(owner, name)
            for name in (
                "agent_id", "visibility", "trust", "valid_from", "valid_to", "closed_at", "prior_valid_to", "recorded_at",
                "retired_at", "expires_at", "status", "is_current",
            )
        },
    }  # fmt: skip
    return Edge(**(values | fields))


def a_mention(memory: Memory, entity: Entity, role: MentionRole = MentionRole.TOPIC) -> Edge:
    """Return the edge by which a memory mentions an entity."""
    return an_edge(memory.id, StructureType.MENTIONS, entity.id, memory, role=role)


def a_statement(
    source: str, kind: RelationType, target: str, *, tenant: str = "default", name: str = "", **fields: Any
) -> WriteBatch:
    """Return the batch of one memory that states a relation between two named things and mentions both."""
    ends = (an_entity(source, tenant=tenant), an_entity(target, tenant=tenant))
    memory = a_memory(name or f"{source}-{kind.value}-{target}", summary=f"{source} {kind.value} {target} {name}", **fields)
    return WriteBatch(
        memories=(new(memory, normal_name(source), normal_name(target)),),
        entities=ends,
        edges=(an_edge(ends[0].id, kind, ends[1].id, memory), *(a_mention(memory, end) for end in ends)),
    )


def together(*batches: WriteBatch) -> WriteBatch:
    """Return one batch with the rows of all of them."""
    return WriteBatch(
        memories=tuple(item for batch in batches for item in batch.memories),
        entities=tuple(item for batch in batches for item in batch.entities),
        edges=tuple(item for batch in batches for item in batch.edges),
    )


def a_view(**fields: Any) -> View:
    """Return a view at NOW, with the given fields changed."""
    values: dict[str, Any] = {"now": NOW, **fields}
    return View(**values)
