"""Edges: closed types, each owned by the memory that states it."""

from pydantic import Field

from hindsight_graph.models.base import Model, UtcDatetime
from hindsight_graph.models.enums import EdgeType, MentionRole, Status, Visibility


class Edge(Model):
    """One directed edge.

    Attributes:
        source_id, target_id: The nodes it was stated about.
        source_canonical, target_canonical: What walks and paths use: the canonical ids of merged entities, else the same.
        owner_id: The memory that states it (for structure edges, the memory it hangs from). Status, validity, trust and
            visibility are copies of the owner's, kept in step by the store in the same transaction.
        pattern: How an extractor found it; empty when a caller stated it.
        confidence: 0..1.
        weight: Free for the type: a role's or support's strength; 1 by default.
        recorded_at, retired_at: Record time interval in which the edge was believed.
    """

    id: str
    source_id: str
    target_id: str
    source_canonical: str
    target_canonical: str
    type: EdgeType
    role: MentionRole | None = None
    owner_id: str
    agent_id: str | None = None
    visibility: Visibility = Visibility.SHARED
    pattern: str = ""
    confidence: float = Field(default=1.0, ge=0, le=1)
    weight: float = 1.0
    trust: float = Field(default=0.6, ge=0, le=1)
    valid_from: UtcDatetime | None = None
    valid_to: UtcDatetime | None = None
    closed_at: UtcDatetime | None = None
    prior_valid_to: UtcDatetime | None = None
    recorded_at: UtcDatetime
    retired_at: UtcDatetime | None = None
    expires_at: UtcDatetime | None = None
    status: Status = Status.ACTIVE
    is_current: bool = True
