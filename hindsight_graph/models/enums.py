"""The closed vocabularies: kinds, statuses, relation types, roles, origins."""

from enum import StrEnum


class Kind(StrEnum):
    """What a memory is: five kinds of stated memory, two of learned memory."""

    FACT = "fact"
    PREFERENCE = "preference"
    ACTION = "action"
    RESULT = "result"
    CONSTRAINT = "constraint"
    EXPERIENCE = "experience"
    STRATEGY = "strategy"


class Status(StrEnum):
    """Where a memory stands; only `active` is recalled by default."""

    ACTIVE = "active"
    PENDING = "pending"
    STALE = "stale"
    QUARANTINED = "quarantined"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    REJECTED = "rejected"


class RelationType(StrEnum):
    """Domain relations, entity to entity (or memory to memory); each edge is owned by the memory that states it."""

    DEPENDS_ON = "DEPENDS_ON"
    CAUSES = "CAUSES"
    FIXES = "FIXES"
    USES = "USES"
    AVOIDS = "AVOIDS"
    PREFERS = "PREFERS"
    REPLACES = "REPLACES"
    PART_OF = "PART_OF"
    PRODUCES = "PRODUCES"
    PRECEDES = "PRECEDES"
    OWNS = "OWNS"
    LOCATED_IN = "LOCATED_IN"
    RELATED_TO = "RELATED_TO"


class StructureType(StrEnum):
    """Structural edges: how episodes, memories and entities hang together."""

    MENTIONS = "MENTIONS"
    EVIDENCED_BY = "EVIDENCED_BY"
    DERIVED_FROM = "DERIVED_FROM"
    SUPERSEDES = "SUPERSEDES"
    CONTRADICTS = "CONTRADICTS"
    MERGED_INTO = "MERGED_INTO"
    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    NEXT = "NEXT"
    SAME_AS = "SAME_AS"


EdgeType = RelationType | StructureType


def edge_type(name: str) -> EdgeType:
    """Return the member named `name`; raises ValueError when there is none."""
    return StructureType(name) if name in StructureType.__members__ else RelationType(name)


class MentionRole(StrEnum):
    """How a memory mentions an entity."""

    SUBJECT = "subject"
    OBJECT = "object"
    TOOL = "tool"
    TOPIC = "topic"


class Direction(StrEnum):
    """Along the arrows, against them, or both."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


class Visibility(StrEnum):
    """Who inside the tenant may see a memory: its own agent, or every agent."""

    PRIVATE = "private"
    SHARED = "shared"


class Origin(StrEnum):
    """Where a write came from; it decides the trust."""

    USER = "user"
    OPERATOR = "operator"
    AGENT = "agent"
    TOOL = "tool"
    DOCUMENT = "document"
    WEB = "web"
    IMPORT = "import"


class Outcome(StrEnum):
    """How a task or an attempt ended."""

    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class EntityType(StrEnum):
    """What sort of thing an entity is; `other` when the words do not tell."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    SERVICE = "service"
    SOFTWARE = "software"
    CODE = "code"
    PATH = "path"
    NUMBER = "number"
    EVENT = "event"
    OTHER = "other"


class UpdateMode(StrEnum):
    """Why a memory gets a new version: the world changed, or we were wrong."""

    CHANGE = "change"
    CORRECT = "correct"
