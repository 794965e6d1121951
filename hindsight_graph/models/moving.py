"""What moves from one store to another: the rows of a tenant, table by table, and the account of a copy."""

from enum import StrEnum

from hindsight_graph.models.base import Model
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.record import AuditEntry, EmbeddingModel, IdempotencyRecord, Job, NewMemory, SessionRecord


class Table(StrEnum):
    """Kinds of rows, in the order in which they can be written: edges hang from memories and entities."""

    EPISODES = "episodes"
    ENTITIES = "entities"
    MEMORIES = "memories"
    EDGES = "edges"
    SESSIONS = "sessions"
    JOBS = "jobs"
    AUDIT = "audit"
    KEYS = "keys"


class OwnedJob(Model):
    """A job with the agent in whose scope it was written."""

    agent_id: str | None = None
    job: Job


class OwnedKey(Model):
    """An idempotency key with the agent in whose scope it was used."""

    agent_id: str | None = None
    record: IdempotencyRecord


StoredRow = Episode | Entity | NewMemory | Edge | SessionRecord | OwnedJob | AuditEntry | OwnedKey
"""One row as it is stored; memories come with their vector and terms."""


def name_of(row: StoredRow) -> str:
    """Return what a message calls a row: its id or key."""
    if isinstance(row, NewMemory):
        return row.memory.id
    if isinstance(row, OwnedJob):
        return row.job.id
    return row.record.key if isinstance(row, OwnedKey) else row.id


class TenantCopy(Model):
    """What was copied of one tenant.

    Attributes:
        rows: Rows of each kind, the same in both stores. written: those that were not in the target before.
        checksum: Over all rows, read back from both stores: 32 hex digits.
    """

    tenant: str
    rows: dict[Table, int]
    written: int
    checksum: str


class CopyReport(Model):
    """The account of a copy; every tenant in it was compared row by row.

    Attributes:
        source, target: Where from and where to.
        embedding: The model of the vectors, recorded in both; None when the source has none.
    """

    source: str
    target: str
    embedding: EmbeddingModel | None
    tenants: tuple[TenantCopy, ...]
