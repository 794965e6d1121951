"""Rows to models and back. What was validated when it was written is not validated again when it is read.

Instances are filled directly: validation of 200 memories alone would cost more than reading them (ADR-0002 has the figures).
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from pydantic_core import from_json, to_json

from hindsight_graph.errors import InputError
from hindsight_graph.models.base import trusted
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import (
    EdgeType,
    EntityType,
    Kind,
    MentionRole,
    Origin,
    Outcome,
    RelationType,
    Status,
    StructureType,
    Visibility,
)
from hindsight_graph.models.episode import Episode, ToolCall
from hindsight_graph.models.memory import Memory, Mention, Relation, Slot
from hindsight_graph.text.names import normal_name

Row = tuple[Any, ...]
_plain = str.__str__
"""Makes an enum member plain text; in Python 3.11 `.value` takes ten times as long."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_MEMORY_SCALARS = (
    "id", "root_id", "version", "kind", "summary", "context", "language", "negated", "slot_subject", "slot_attribute",
    "slot_value",
    "agent_id", "visibility", "session_id", "sequence", "origin", "trust", "confidence", "importance", "priority", "weight",
    "status",
    "media_type", "task_type", "outcome", "error_code", "ttl", "expires_at", "valid_from", "valid_to", "closed_at",
    "prior_valid_to",
    "recorded_at", "confirmed_at", "retired_at", "is_current", "content_hash",
)  # fmt: skip
_MEMORY_LISTS = ("mentions", "relations", "raw_refs", "episode_ids", "tags", "tools", "bands", "payload")
MEMORY_COLUMNS = (*_MEMORY_SCALARS, *_MEMORY_LISTS)
"""Columns of a memory in writing order; `memory_row` depends on it."""
EDGE_COLUMNS = (
    "id", "source_id", "target_id", "source_canonical", "target_canonical", "type", "role", "owner_id", "agent_id", "visibility",
    "pattern", "confidence", "weight", "trust", "valid_from", "valid_to", "closed_at", "prior_valid_to", "recorded_at",
    "retired_at",
    "expires_at", "status", "is_current",
)  # fmt: skip
EPISODE_COLUMNS = (
    "id", "agent_id", "session_id", "sequence", "role", "name", "content", "occurred_at", "recorded_at", "raw_ref", "origin",
    "trust",
    "media_type", "tool_calls", "tool_call_id", "recalled", "content_hash", "payload",
)  # fmt: skip
ENTITY_COLUMNS = ("id", "name", "normal", "type", "aliases", "canonical_id", "recorded_at")

EDGE_TYPES: Mapping[str, EdgeType] = {member.value: member for member in (*RelationType, *StructureType)}
_KINDS = {member.value: member for member in Kind}
_STATUSES = {member.value: member for member in Status}
_VISIBILITIES = {member.value: member for member in Visibility}
_ORIGINS = {member.value: member for member in Origin}
_OUTCOMES: dict[str | None, Outcome | None] = {None: None, **{member.value: member for member in Outcome}}
_ROLES: dict[str | None, MentionRole | None] = {None: None, **{member.value: member for member in MentionRole}}
_ENTITY_TYPES = {member.value: member for member in EntityType}


@lru_cache(maxsize=4_096)
def micros(moment: datetime) -> int:
    """Return microseconds since 1970 in UTC, exactly. A memory, its episode and its edges share their moments."""
    return (moment - _EPOCH) // _MICROSECOND


def micros_or_none(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 in UTC, or None."""
    return None if moment is None else micros(moment)


def moment_of(value: int) -> datetime:
    """Return the moment of a number of microseconds since 1970, in UTC."""
    return _EPOCH + timedelta(microseconds=value)


def moment_or_none(value: int | None) -> datetime | None:
    """Return the moment of a number of microseconds since 1970, or None."""
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def key_of(name: str) -> str:
    """Return the normal form of a name; what is no name (a sentence, a sign) folds its case and spaces only."""
    try:
        return normal_name(name)
    except ValueError:
        return " ".join(name.casefold().split())


def dumps(value: object, what: str) -> str:
    """Return compact JSON; raises InputError, naming `what`, for values JSON does not know."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is not JSON: {error}", hint="use strings, numbers, booleans, lists and objects only") from error


def list_or_none(values: Sequence[Any]) -> str | None:
    """Return a JSON array, or None for an empty one."""
    return to_json(values).decode() if values else None


def memory_read(row: str) -> str:
    """Return what to select for `memory_of`; `row` is the alias of the memories table. All lists come as one JSON text."""
    lists = " || ',' || ".join(f"coalesce({row}.{name}, '{'{}' if name == 'payload' else '[]'}')" for name in _MEMORY_LISTS)
    return ", ".join(f"{row}.{name}" for name in _MEMORY_SCALARS) + f", '[' || {lists} || ']'"


def memory_row(memory: Memory) -> Row:
    """Return a memory's values in the order of MEMORY_COLUMNS."""
    slot, ttl, expires_at, valid_to, closed_at = memory.slot, memory.ttl, memory.expires_at, memory.valid_to, memory.closed_at
    prior_valid_to, confirmed_at, retired_at = memory.prior_valid_to, memory.confirmed_at, memory.retired_at
    mentions = [(m.name, _plain(m.type), _plain(m.role), m.entity_id) for m in memory.mentions]
    relations = [(r.source, _plain(r.type), r.target, r.pattern, r.confidence) for r in memory.relations]
    return (
        memory.id, memory.root_id, memory.version, _plain(memory.kind), memory.summary, memory.context, memory.language,
        int(memory.negated),
        slot.subject if slot else None, slot.attribute if slot else None, slot.value if slot else None, memory.agent_id,
        _plain(memory.visibility), memory.session_id, memory.sequence, _plain(memory.origin), memory.trust, memory.confidence,
        memory.importance, memory.priority, memory.weight, _plain(memory.status), memory.media_type, memory.task_type,
        _plain(memory.outcome) if memory.outcome else None, memory.error_code, None if ttl is None else ttl // _MICROSECOND,
        None if expires_at is None else micros(expires_at),
        micros(memory.valid_from),
        None if valid_to is None else micros(valid_to),
        None if closed_at is None else micros(closed_at),
        None if prior_valid_to is None else micros(prior_valid_to),
        micros(memory.recorded_at),
        None if confirmed_at is None else micros(confirmed_at),
        None if retired_at is None else micros(retired_at),
        int(memory.is_current), memory.content_hash,
        to_json(mentions).decode() if mentions else None,
        to_json(relations).decode() if relations else None,
        to_json(memory.raw_refs).decode() if memory.raw_refs else None,
        to_json(memory.episode_ids).decode() if memory.episode_ids else None,
        to_json(memory.tags).decode() if memory.tags else None,
        to_json(memory.tools).decode() if memory.tools else None,
        to_json(memory.bands).decode() if memory.bands else None,
        dumps(memory.payload, f"payload of memory {memory.id}") if memory.payload else None,
    )  # fmt: skip


@lru_cache(maxsize=32_768)
def _mention_of(name: str, kind: str, role: str, entity_id: str) -> Mention:
    return trusted(Mention, {"name": name, "type": _ENTITY_TYPES[kind], "role": _ROLES[role], "entity_id": entity_id})


def _relation_of(source: str, kind: str, target: str, pattern: str, confidence: float) -> Relation:
    return trusted(
        Relation, {"source": source, "type": EDGE_TYPES[kind], "target": target, "pattern": pattern, "confidence": confidence}
    )


def memory_of(row: Row) -> Memory:
    """Return the memory of a row as `memory_read` selects it."""
    (
        id_, root_id, version, kind, summary, context, language, negated, slot_subject, slot_attribute, slot_value, agent_id,
        visibility,
        session_id, sequence, origin, trust, confidence, importance, priority, weight, status, media_type, task_type, outcome,
        error_code,
        ttl, expires_at, valid_from, valid_to, closed_at, prior_valid_to, recorded_at, confirmed_at, retired_at, is_current,
        content_hash,
        lists,
    ) = row  # fmt: skip
    mentions, relations, raw_refs, episode_ids, tags, tools, bands, payload = from_json(lists)
    return trusted(Memory, {
        "id": id_, "root_id": root_id, "version": version, "kind": _KINDS[kind], "summary": summary, "context": context,
        "language": language, "negated": negated == 1, "mentions": tuple([_mention_of(*values) for values in mentions]),
        "relations": tuple([_relation_of(*values) for values in relations]),
        "slot": None if slot_subject is None else trusted(
            Slot, {"subject": slot_subject, "attribute": slot_attribute, "value": slot_value}
        ),
        "raw_refs": tuple(raw_refs), "episode_ids": tuple(episode_ids), "tags": tuple(tags), "agent_id": agent_id,
        "visibility": _VISIBILITIES[visibility], "session_id": session_id, "sequence": sequence, "origin": _ORIGINS[origin],
        "trust": trust, "confidence": confidence, "importance": importance, "priority": priority, "weight": weight,
        "status": _STATUSES[status], "media_type": media_type, "task_type": task_type, "outcome": _OUTCOMES[outcome],
        "tools": tuple(tools), "error_code": error_code, "ttl": None if ttl is None else timedelta(microseconds=ttl),
        "expires_at": None if expires_at is None else _EPOCH + timedelta(0, 0, expires_at),
        "valid_from": _EPOCH + timedelta(0, 0, valid_from),
        "valid_to": None if valid_to is None else _EPOCH + timedelta(0, 0, valid_to),
        "closed_at": None if closed_at is None else _EPOCH + timedelta(0, 0, closed_at),
        "prior_valid_to": None if prior_valid_to is None else _EPOCH + timedelta(0, 0, prior_valid_to),
        "recorded_at": _EPOCH + timedelta(0, 0, recorded_at),
        "confirmed_at": None if confirmed_at is None else _EPOCH + timedelta(0, 0, confirmed_at),
        "retired_at": None if retired_at is None else _EPOCH + timedelta(0, 0, retired_at),
        "is_current": is_current == 1, "content_hash": content_hash, "bands": tuple(bands), "payload": payload,
    })  # fmt: skip


def edge_row(edge: Edge) -> Row:
    """Return an edge's values in the order of EDGE_COLUMNS."""
    valid_from, valid_to, closed_at = edge.valid_from, edge.valid_to, edge.closed_at
    prior_valid_to, retired_at, expires_at = edge.prior_valid_to, edge.retired_at, edge.expires_at
    return (
        edge.id, edge.source_id, edge.target_id, edge.source_canonical, edge.target_canonical, _plain(edge.type),
        _plain(edge.role) if edge.role else None, edge.owner_id, edge.agent_id, _plain(edge.visibility), edge.pattern,
        edge.confidence, edge.weight, edge.trust,
        None if valid_from is None else micros(valid_from),
        None if valid_to is None else micros(valid_to),
        None if closed_at is None else micros(closed_at),
        None if prior_valid_to is None else micros(prior_valid_to),
        micros(edge.recorded_at),
        None if retired_at is None else micros(retired_at),
        None if expires_at is None else micros(expires_at),
        _plain(edge.status), int(edge.is_current),
    )  # fmt: skip


def edge_of(row: Row) -> Edge:
    """Return the edge of a row in the order of EDGE_COLUMNS."""
    (
        id_, source_id, target_id, source_canonical, target_canonical, kind, role, owner_id, agent_id, visibility, pattern,
        confidence,
        weight, trust, valid_from, valid_to, closed_at, prior_valid_to, recorded_at, retired_at, expires_at, status, is_current,
    ) = row  # fmt: skip
    return trusted(Edge, {
        "id": id_, "source_id": source_id, "target_id": target_id, "source_canonical": source_canonical,
        "target_canonical": target_canonical, "type": EDGE_TYPES[kind], "role": _ROLES[role], "owner_id": owner_id,
        "agent_id": agent_id,
        "visibility": _VISIBILITIES[visibility], "pattern": pattern, "confidence": confidence, "weight": weight, "trust": trust,
        "valid_from": moment_or_none(valid_from), "valid_to": moment_or_none(valid_to), "closed_at": moment_or_none(closed_at),
        "prior_valid_to": moment_or_none(prior_valid_to), "recorded_at": moment_of(recorded_at),
        "retired_at": moment_or_none(retired_at),
        "expires_at": moment_or_none(expires_at), "status": _STATUSES[status], "is_current": is_current == 1,
    })  # fmt: skip


def episode_row(episode: Episode) -> Row:
    """Return an episode's values in the order of EPISODE_COLUMNS."""
    calls = [(call.id, call.name, call.arguments) for call in episode.tool_calls]
    return (
        episode.id, episode.agent_id, episode.session_id, episode.sequence, episode.role, episode.name, episode.content,
        micros(episode.occurred_at), micros(episode.recorded_at), episode.raw_ref, _plain(episode.origin), episode.trust,
        episode.media_type,
        dumps(calls, "tool_calls") if calls else None, episode.tool_call_id, int(episode.recalled), episode.content_hash,
        dumps(episode.payload, f"payload of episode {episode.id}") if episode.payload else None,
    )  # fmt: skip


def episode_of(row: Row) -> Episode:
    """Return the episode of a row in the order of EPISODE_COLUMNS."""
    (
        id_, agent_id, session_id, sequence, role, name, content, occurred_at, recorded_at, raw_ref, origin, trust, media_type,
        tool_calls,
        tool_call_id, recalled, content_hash, payload,
    ) = row  # fmt: skip
    calls = json.loads(tool_calls) if tool_calls else ()
    return trusted(Episode, {
        "id": id_, "agent_id": agent_id, "session_id": session_id, "sequence": sequence, "role": role, "name": name,
        "content": content,
        "occurred_at": moment_of(occurred_at), "recorded_at": moment_of(recorded_at), "raw_ref": raw_ref,
        "origin": _ORIGINS[origin],
        "trust": trust, "media_type": media_type,
        "tool_calls": tuple([trusted(ToolCall, {"id": call[0], "name": call[1], "arguments": call[2]}) for call in calls]),
        "tool_call_id": tool_call_id, "recalled": recalled == 1, "content_hash": content_hash,
        "payload": json.loads(payload) if payload else {},
    })  # fmt: skip


def entity_row(entity: Entity) -> Row:
    """Return an entity's values in the order of ENTITY_COLUMNS."""
    return (
        entity.id, entity.name, entity.normal, _plain(entity.type), list_or_none(entity.aliases), entity.canonical_id,
        micros(entity.recorded_at),
    )  # fmt: skip


def entity_of(row: Row) -> Entity:
    """Return the entity of a row in the order of ENTITY_COLUMNS."""
    id_, name, normal, kind, aliases, canonical_id, recorded_at = row
    return trusted(Entity, {
        "id": id_, "name": name, "normal": normal, "type": _ENTITY_TYPES[kind],
        "aliases": tuple(json.loads(aliases)) if aliases else (),
        "canonical_id": canonical_id, "recorded_at": moment_of(recorded_at),
    })  # fmt: skip


def _column_value(name: str, value: Any) -> Any:
    if isinstance(value, (Status, Visibility)):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, datetime):
        return micros(value)
    if isinstance(value, timedelta):
        return value // _MICROSECOND
    if name == "payload":
        return dumps(value, name) if value else None
    return list_or_none(value)


def patched(memory: Memory, changes: Mapping[str, Any]) -> tuple[Memory, dict[str, Any]]:
    """Return the memory with these changes, validated as the model validates them, and the column values of what changed.

    Raises:
        InputError: A value its field does not take.
    """
    try:
        after = Memory.model_validate(dict(memory) | dict(changes))
    except ValueError as error:
        raise InputError(f"patch of memory {memory.id}: {error}", hint="see the fields of Memory") from error
    return after, {name: _column_value(name, getattr(after, name)) for name in changes}
