"""Models to properties and back. What was validated when it was written is not validated again when it is read.

Times are integer microseconds since 1970 in UTC. Neo4j keeps no maps in properties: mentions, relations, tool calls and payloads
are JSON text. A property that would be null or empty is not there.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hindsight_graph.errors import InputError
from hindsight_graph.models.access import ApiKey, KeyScope
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
from hindsight_graph.models.record import MAX_ATTEMPTS, AuditEntry, Job, JobState, SessionRecord, Vector
from hindsight_graph.stores.neo4j.terms import alias_key, memory_keys, tenant_key
from hindsight_graph.stores.words import indexed_form
from hindsight_graph.text.names import normal_name

Properties = dict[str, Any]
MemoryRow = Sequence[Any]
"""What `parts/memory_row` makes: `MEMORY_FIELDS`, the id first."""
EdgeRow = Sequence[Any]
"""What `parts/edge_row` makes: id, when recorded, type, when added, and the rest as `edge_of` takes it."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INTEGER_LIMIT = 2**63
_KINDS = {kind.value: kind for kind in Kind}
_ORIGINS = {origin.value: origin for origin in Origin}
_ENTITY_TYPES = {kind.value: kind for kind in EntityType}
_RELATION_TYPES = {kind.value: kind for kind in RelationType}
_EDGE_TYPES: Mapping[str, EdgeType] = {kind.value: kind for kind in (*RelationType, *StructureType)}
_STATUSES = {status.value: status for status in Status}
_VISIBILITIES = {visibility.value: visibility for visibility in Visibility}
_ROLES = {role.value: role for role in MentionRole}
MEMORY_FIELDS = (
    "id root_id version kind summary context language negated mentions relations slot_subject slot_attribute "
    "slot_value agent_id visibility session_id sequence origin trust confidence importance priority weight status "
    "media_type task_type outcome error_code ttl expires_at valid_from valid_to closed_at prior_valid_to "
    "recorded_at confirmed_at retired_at is_current content_hash raw_refs episode_ids tags tools bands payload"
).split()
"""What `parts/memory_row` makes of a memory, in this order."""
EDGE_STATE = (
    "status",
    "is_current",
    "retired_at",
    "valid_to",
    "closed_at",
    "prior_valid_to",
    "expires_at",
    "trust",
    "visibility",
)
"""Fields an edge copies from its owner when the owner changes."""


def micros(moment: datetime) -> int:
    """Return microseconds since 1970 in UTC, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def micros_or_none(moment: datetime | None) -> int | None:
    """Return microseconds since 1970 in UTC, or None."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment_of(value: int) -> datetime:
    """Return the moment of a number of microseconds since 1970, in UTC."""
    return _EPOCH + timedelta(0, 0, value)


def moment_or_none(value: int | None) -> datetime | None:
    """Return the moment of a number of microseconds since 1970, or None."""
    return None if value is None else _EPOCH + timedelta(0, 0, value)


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


def _present(values: Mapping[str, Any]) -> Properties:
    return {name: value for name, value in values.items() if value is not None and value != []}


# -- memories


def _mentions(memory: Memory) -> str | None:
    values = [(m.name, m.type.value, m.role.value, m.entity_id) for m in memory.mentions]
    return dumps(values, "mentions") if values else None


def _relations(memory: Memory) -> str | None:
    values = [(r.source, r.type.value, r.target, r.pattern, r.confidence) for r in memory.relations]
    return dumps(values, "relations") if values else None


def content_key(agent_id: str | None, content_hash: str) -> str:
    """Return what is unique among the current memories, or the episodes, of a tenant."""
    return f"{content_hash} {agent_id or ''}"


def held_content(memory: Memory) -> str | None:
    """Return the content key of a memory that keeps others from saying the same, else None."""
    holds = memory.is_current and memory.status is not Status.REJECTED
    return content_key(memory.agent_id, memory.content_hash) if holds else None


def memory_properties(tenant: str, memory: Memory) -> Properties:
    """Return what is stored of a memory, apart from its vector, terms and edges."""
    slot, ttl = memory.slot, memory.ttl
    values = {
        "tenant": tenant, "id": memory.id, "canonical_id": memory.id, "root_id": memory.root_id, "version": memory.version,
        "kind": memory.kind.value, "summary": memory.summary, "context": memory.context, "language": memory.language,
        "negated": memory.negated, "mentions": _mentions(memory), "relations": _relations(memory),
        "slot_subject": slot.subject if slot else None, "slot_attribute": slot.attribute if slot else None,
        "slot_value": slot.value if slot else None, "slot_normal": key_of(slot.subject) if slot else None,
        "raw_refs": list(memory.raw_refs), "episode_ids": list(memory.episode_ids), "tags": list(memory.tags),
        "agent_id": memory.agent_id, "visibility": memory.visibility.value, "session_id": memory.session_id,
        "sequence": memory.sequence, "origin": memory.origin.value, "trust": memory.trust, "confidence": memory.confidence,
        "importance": memory.importance, "priority": memory.priority, "weight": memory.weight, "status": memory.status.value,
        "media_type": memory.media_type, "task_type": memory.task_type,
        "outcome": memory.outcome.value if memory.outcome else None,
        "tools": list(memory.tools), "error_code": memory.error_code, "ttl": None if ttl is None else ttl // _MICROSECOND,
        "expires_at": micros_or_none(memory.expires_at), "valid_from": micros(memory.valid_from),
        "valid_to": micros_or_none(memory.valid_to), "closed_at": micros_or_none(memory.closed_at),
        "prior_valid_to": micros_or_none(memory.prior_valid_to), "recorded_at": micros(memory.recorded_at),
        "confirmed_at": micros_or_none(memory.confirmed_at), "retired_at": micros_or_none(memory.retired_at),
        "is_current": memory.is_current, "content_hash": memory.content_hash, "bands": list(memory.bands),
        "payload": dumps(memory.payload, f"payload of memory {memory.id}") if memory.payload else None,
        "content_key": held_content(memory), "keys": memory_keys(tenant, memory),
    }  # fmt: skip
    _check_integer(memory.priority, f"priority of memory {memory.id}")
    return _present(values)


def search_properties(vector: Vector | None, terms: Sequence[str], embedding: str) -> Properties:
    """Return what a memory is found by: its vector, in the property `embedding`, and its terms."""
    found: Properties = {"term_count": len(terms)}
    if terms:
        found["terms"] = [indexed_form(term) for term in terms]
    if vector is not None:
        found[embedding] = vector.tolist()
    return found


def _check_integer(value: int, what: str) -> None:
    if not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise InputError(f"{what} is {value}, beyond 64 bits", hint="use a smaller number")


def memory_of(fields: MemoryRow) -> Memory:
    """Return the memory of a row as `parts/memory_row` makes it."""
    row = dict(zip(MEMORY_FIELDS, fields, strict=True))
    outcome, ttl = row["outcome"], row["ttl"]
    return trusted(Memory, {
        "id": row["id"], "root_id": row["root_id"], "version": row["version"], "kind": _KINDS[row["kind"]],
        "summary": row["summary"],
        "context": row["context"], "language": row["language"], "negated": row["negated"],
        "mentions": tuple([
            trusted(Mention, {"name": name, "type": _ENTITY_TYPES[kind], "role": _ROLES[role], "entity_id": entity_id})
            for name, kind, role, entity_id in json.loads(row["mentions"] or "[]")
        ]),
        "relations": tuple([
            trusted(
                Relation,
                {"source": source, "type": _RELATION_TYPES[kind], "target": target, "pattern": pattern, "confidence": confidence},
            )
            for source, kind, target, pattern, confidence in json.loads(row["relations"] or "[]")
        ]),
        "slot": None if row["slot_subject"] is None else trusted(
            Slot, {"subject": row["slot_subject"], "attribute": row["slot_attribute"], "value": row["slot_value"]}
        ),
        "raw_refs": tuple(row["raw_refs"] or ()), "episode_ids": tuple(row["episode_ids"] or ()),
        "tags": tuple(row["tags"] or ()),
        "agent_id": row["agent_id"], "visibility": _VISIBILITIES[row["visibility"]], "session_id": row["session_id"],
        "sequence": row["sequence"], "origin": _ORIGINS[row["origin"]], "trust": row["trust"], "confidence": row["confidence"],
        "importance": row["importance"], "priority": row["priority"], "weight": row["weight"], "status": _STATUSES[row["status"]],
        "media_type": row["media_type"], "task_type": row["task_type"], "outcome": Outcome(outcome) if outcome else None,
        "tools": tuple(row["tools"] or ()), "error_code": row["error_code"],
        "ttl": None if ttl is None else timedelta(microseconds=ttl), "expires_at": moment_or_none(row["expires_at"]),
        "valid_from": moment_of(row["valid_from"]), "valid_to": moment_or_none(row["valid_to"]),
        "closed_at": moment_or_none(row["closed_at"]), "prior_valid_to": moment_or_none(row["prior_valid_to"]),
        "recorded_at": moment_of(row["recorded_at"]), "confirmed_at": moment_or_none(row["confirmed_at"]),
        "retired_at": moment_or_none(row["retired_at"]), "is_current": row["is_current"], "content_hash": row["content_hash"],
        "bands": tuple(row["bands"] or ()), "payload": json.loads(row["payload"]) if row["payload"] else {},
    })  # fmt: skip


def patched(tenant: str, memory: Memory, changes: Mapping[str, Any]) -> tuple[Memory, Properties]:
    """Return the memory with these changes, validated as the model validates them, and the properties of what changed.

    A property that goes is None, which removes it.

    Raises:
        InputError: A value its field does not take.
    """
    try:
        after = Memory.model_validate(dict(memory) | dict(changes))
    except ValueError as error:
        raise InputError(f"patch of memory {memory.id}: {error}", hint="see the fields of Memory") from error
    new = memory_properties(tenant, after)
    names = {*changes, "content_key", "keys"}
    return after, {name: new.get(name) for name in names}


def edge_state(memory: Memory, names: Sequence[str]) -> Properties:
    """Return the fields of `names` that edges copy from their owner, as properties."""
    times = {"retired_at", "valid_to", "closed_at", "prior_valid_to", "expires_at"}
    found: Properties = {}
    for name in EDGE_STATE:
        if name in names:
            value = getattr(memory, name)
            found[name] = micros_or_none(value) if name in times else getattr(value, "value", value)
    return found


# -- edges


def edge_properties(tenant: str, edge: Edge) -> Properties:
    """Return what is stored of an edge; its ends and type are the relationship's own."""
    return _present({
        "tenant": tenant, "id": edge.id, "role": edge.role.value if edge.role else None, "owner_id": edge.owner_id,
        "agent_id": edge.agent_id, "visibility": edge.visibility.value, "pattern": edge.pattern, "confidence": edge.confidence,
        "weight": edge.weight, "trust": edge.trust, "valid_from": micros_or_none(edge.valid_from),
        "valid_to": micros_or_none(edge.valid_to), "closed_at": micros_or_none(edge.closed_at),
        "prior_valid_to": micros_or_none(edge.prior_valid_to), "recorded_at": micros(edge.recorded_at),
        "retired_at": micros_or_none(edge.retired_at), "expires_at": micros_or_none(edge.expires_at), "status": edge.status.value,
        "is_current": edge.is_current,
    })  # fmt: skip


def edge_of(row: EdgeRow) -> Edge:
    """Return the edge of a row as `parts/edge_row` makes it."""
    (
        edge_id, recorded_at, kind, _, source_id, source_canonical, target_id, target_canonical, role, owner_id, agent_id,
        visibility, pattern, confidence, weight, trust, *times, status, is_current,
    ) = row  # fmt: skip
    moments = [None if time is None else moment_of(time) for time in times]
    valid_from, valid_to, closed_at, prior_valid_to, retired_at, expires_at = moments
    return trusted(Edge, {
        "id": edge_id, "source_id": source_id, "target_id": target_id, "source_canonical": source_canonical,
        "target_canonical": target_canonical, "type": _EDGE_TYPES[kind], "role": None if role is None else _ROLES[role],
        "owner_id": owner_id, "agent_id": agent_id, "visibility": _VISIBILITIES[visibility], "pattern": pattern,
        "confidence": confidence, "weight": weight, "trust": trust, "valid_from": valid_from, "valid_to": valid_to,
        "closed_at": closed_at, "prior_valid_to": prior_valid_to, "recorded_at": moment_of(recorded_at),
        "retired_at": retired_at, "expires_at": expires_at, "status": _STATUSES[status], "is_current": is_current,
    })  # fmt: skip


# -- episodes and entities


def episode_properties(tenant: str, episode: Episode) -> Properties:
    """Return what is stored of an episode."""
    calls = [(call.id, call.name, call.arguments) for call in episode.tool_calls]
    return _present({
        "tenant": tenant, "id": episode.id, "canonical_id": episode.id, "agent_id": episode.agent_id,
        "session_id": episode.session_id,
        "sequence": episode.sequence, "role": episode.role, "name": episode.name, "content": episode.content,
        "occurred_at": micros(episode.occurred_at), "recorded_at": micros(episode.recorded_at), "raw_ref": episode.raw_ref,
        "origin": episode.origin.value, "trust": episode.trust, "media_type": episode.media_type,
        "tool_calls": dumps(calls, "tool_calls") if calls else None, "tool_call_id": episode.tool_call_id,
        "recalled": episode.recalled,
        "content_hash": episode.content_hash, "content_key": content_key(episode.agent_id, episode.content_hash),
        "payload": dumps(episode.payload, f"payload of episode {episode.id}") if episode.payload else None,
    })  # fmt: skip


def episode_of(row: Mapping[str, Any]) -> Episode:
    """Return the episode of a node's properties."""
    calls = json.loads(row.get("tool_calls", "[]"))
    return trusted(Episode, {
        "id": row["id"], "agent_id": row.get("agent_id"), "session_id": row.get("session_id"), "sequence": row["sequence"],
        "role": row["role"], "name": row.get("name"), "content": row["content"], "occurred_at": moment_of(row["occurred_at"]),
        "recorded_at": moment_of(row["recorded_at"]), "raw_ref": row.get("raw_ref"), "origin": Origin(row["origin"]),
        "trust": row["trust"], "media_type": row.get("media_type"),
        "tool_calls": tuple([trusted(ToolCall, {"id": call[0], "name": call[1], "arguments": call[2]}) for call in calls]),
        "tool_call_id": row.get("tool_call_id"), "recalled": row["recalled"], "content_hash": row["content_hash"],
        "payload": json.loads(row.get("payload", "{}")),
    })  # fmt: skip


def entity_properties(tenant: str, entity: Entity) -> Properties:
    """Return what is stored of an entity."""
    return {
        "tenant": tenant, "id": entity.id, "name": entity.name, "normal": entity.normal, "type": entity.type.value,
        "aliases": list(entity.aliases), "canonical_id": entity.canonical_id, "recorded_at": micros(entity.recorded_at),
        "keys": [tenant_key(tenant), *dict.fromkeys(alias_key(key_of(alias)) for alias in entity.aliases)],
    }  # fmt: skip


def entity_of(row: Mapping[str, Any]) -> Entity:
    """Return the entity of a node's properties."""
    return trusted(Entity, {
        "id": row["id"], "name": row["name"], "normal": row["normal"], "type": EntityType(row["type"]),
        "aliases": tuple(row["aliases"]),
        "canonical_id": row["canonical_id"], "recorded_at": moment_of(row["recorded_at"]),
    })  # fmt: skip


# -- the rest


def job_properties(tenant: str, agent_id: str | None, job: Job) -> Properties:
    """Return what is stored of a job."""
    return _present({
        "tenant": tenant, "agent_id": agent_id, "id": job.id, "kind": job.kind,
        "payload": dumps(job.payload, f"payload of job {job.id}"), "state": job.state.value, "attempts": job.attempts,
        "max_attempts": job.max_attempts, "created_at": micros(job.created_at), "not_before": micros_or_none(job.not_before),
        "lease_until": micros_or_none(job.lease_until), "owner": job.owner, "cancel_requested": job.cancel_requested,
        "finished_at": micros_or_none(job.finished_at), "error": job.error, "result": job_result(job.id, job.result),
    })  # fmt: skip


def job_result(job_id: str, result: dict[str, Any]) -> str | None:
    """Return what is stored of a job's result; None for none."""
    return dumps(result, f"result of job {job_id}") if result else None


def job_of(row: Mapping[str, Any]) -> Job:
    """Return the job of a node's properties; those of older stores lack some."""
    return Job(
        id=row["id"], kind=row["kind"], payload=json.loads(row["payload"]), state=JobState(row["state"]),
        attempts=row["attempts"], max_attempts=row.get("max_attempts", MAX_ATTEMPTS), created_at=moment_of(row["created_at"]),
        not_before=moment_or_none(row.get("not_before")), lease_until=moment_or_none(row.get("lease_until")),
        owner=row.get("owner"), cancel_requested=row.get("cancel_requested", False),
        finished_at=moment_or_none(row.get("finished_at")), error=row["error"], result=json.loads(row.get("result", "{}")),
    )  # fmt: skip


def api_key_properties(key: ApiKey) -> Properties:
    """Return what is stored of an API key besides its tenant."""
    return _present({
        "id": key.id, "agent_id": key.agent_id, "secret_hash": key.secret_hash, "name": key.name,
        "scopes": sorted(scope.value for scope in key.scopes), "created_at": micros(key.created_at),
        "expires_at": micros_or_none(key.expires_at), "revoked_at": micros_or_none(key.revoked_at),
    })  # fmt: skip


def api_key_of(row: Mapping[str, Any]) -> ApiKey:
    """Return the API key of a node's properties."""
    return ApiKey(
        id=row["id"], tenant=row["tenant"], agent_id=row.get("agent_id"), secret_hash=row["secret_hash"], name=row["name"],
        scopes=frozenset(KeyScope(scope) for scope in row["scopes"]), created_at=moment_of(row["created_at"]),
        expires_at=moment_or_none(row.get("expires_at")), revoked_at=moment_or_none(row.get("revoked_at")),
    )  # fmt: skip


def session_properties(record: SessionRecord) -> Properties:
    """Return what is stored of a working memory; a None removes what was there."""
    return {
        "agent_id": record.agent_id, "state": dumps(record.state, f"state of session {record.id}"), "version": record.version,
        "updated_at": micros(record.updated_at), "ended_at": micros_or_none(record.ended_at),
    }  # fmt: skip


def session_of(row: Mapping[str, Any]) -> SessionRecord:
    """Return the working memory of a node's properties."""
    return SessionRecord(
        id=row["id"], agent_id=row.get("agent_id"), state=json.loads(row["state"]), version=row["version"],
        updated_at=moment_of(row["updated_at"]), ended_at=moment_or_none(row.get("ended_at")),
    )  # fmt: skip


def audit_properties(tenant: str, entry: AuditEntry) -> Properties:
    """Return what is stored of an audit entry."""
    return {
        "tenant": tenant, "id": entry.id, "at": micros(entry.at), "actor": entry.actor, "action": entry.action,
        "target_ids": list(entry.target_ids), "reason": entry.reason,
        "detail": dumps(entry.detail, f"detail of audit entry {entry.id}"),
    }  # fmt: skip


def audit_of(row: Mapping[str, Any]) -> AuditEntry:
    """Return the audit entry of a node's properties."""
    return AuditEntry(
        id=row["id"], at=moment_of(row["at"]), actor=row["actor"], action=row["action"], target_ids=tuple(row["target_ids"]),
        reason=row["reason"], detail=json.loads(row["detail"]),
    )  # fmt: skip
