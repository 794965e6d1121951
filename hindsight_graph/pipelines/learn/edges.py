"""Edges between memories: experience -SUPPORTS | REFUTES-> strategy, experience -FIXES-> failure, strategy -CONTRADICTS-> other.

Each is owned by the memory it starts from, so it falls with it in the same transaction.
"""

from datetime import datetime

from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import EdgeType
from hindsight_graph.models.memory import Memory


def between(ids: IdGenerator, now: datetime, source: Memory, target_id: str, kind: EdgeType, weight: float = 1.0) -> Edge:
    """Return an edge from a memory to another, owned by the first."""
    return Edge(
        id=ids.new(),
        source_id=source.id,
        target_id=target_id,
        source_canonical=source.id,
        target_canonical=target_id,
        type=kind,
        owner_id=source.id,
        agent_id=source.agent_id,
        visibility=source.visibility,
        confidence=source.confidence,
        weight=weight,
        trust=source.trust,
        valid_from=source.valid_from,
        valid_to=source.valid_to,
        recorded_at=now,
        expires_at=source.expires_at,
        status=source.status,
        is_current=source.is_current,
    )
