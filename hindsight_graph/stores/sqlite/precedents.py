"""What is stored already under the keys of a write in the making: a few index look-ups in one snapshot."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hindsight_graph.models.base import trusted
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import OPEN_STATUSES, Precedents, WriteKeys
from hindsight_graph.stores.sqlite import reading, rows
from hindsight_graph.stores.sqlite.predicates import CONTENT_HOLDS, HASH, Where, add_scope, among, hash_keys
from hindsight_graph.stores.sqlite.rows import moment_of

_EPISODE = f"SELECT {', '.join(f'r.{name}' for name in rows.EPISODE_COLUMNS)} FROM episodes r"
_MEMORY = f"SELECT {rows.memory_read('r')}"
_OPEN = "(" + ", ".join(f"'{status.value}'" for status in OPEN_STATUSES) + ")"
_IS_OPEN = f"r.is_current = 1 AND r.status IN {_OPEN}"
_IN_SLOTS = (
    "r.slot_normal = json_extract(j.value, '$[0]') AND r.slot_attribute = json_extract(j.value, '$[1]')"
    f" AND (r.status = 'superseded' OR r.status IN {_OPEN})"
)


def find_precedents(connection: sqlite3.Connection, scope: Scope, keys: WriteKeys) -> Precedents:
    """Return what the scope sees under the keys; see `Store.find_precedents`."""
    seen, own = Where(), Where()
    add_scope(seen, scope, "r")
    add_scope(own, scope, "r", has_visibility=False)
    memories = _said_alike(connection, seen, keys.content_hashes, keys.bands)
    in_slots = _in_slots(connection, seen, keys.slots)
    distinct = {memory.id: memory for memory in (*memories, *in_slots)}
    return trusted(Precedents, {
        "episodes": _episodes(connection, own, keys.episode_hashes),
        "next_sequences": _next_sequences(connection, own, keys.session_ids),
        "memories": tuple(sorted(distinct.values(), key=lambda memory: (memory.recorded_at, memory.id), reverse=True)),
        "last_said": _last_said(connection, own, in_slots),
        "entities": reading.find_entities(connection, scope, keys.normals) if keys.normals else {},
    })  # fmt: skip


def _episodes(connection: sqlite3.Connection, own: Where, hashes: Sequence[str]) -> tuple[Episode, ...]:
    if not hashes:
        return ()
    asked, parameters = among("hash", hash_keys(hashes))
    found = connection.execute(f"{_EPISODE} WHERE {own.sql} AND {HASH} {asked}", {**own.parameters, **parameters})
    return tuple(map(rows.episode_of, found))


def _next_sequences(connection: sqlite3.Connection, own: Where, session_ids: Sequence[str]) -> dict[str, int]:
    following: dict[str, int] = {}
    for session_id in session_ids:
        last = connection.execute(
            f"SELECT max(r.sequence) FROM episodes r WHERE {own.sql} AND r.session_id = :session",
            {**own.parameters, "session": session_id},
        ).fetchone()[0]
        if last is not None:
            following[session_id] = last + 1
    return following


def _said_alike(connection: sqlite3.Connection, seen: Where, hashes: Sequence[str], bands: Sequence[int]) -> list[Memory]:
    """Look up where first: most of what is written was not said before, and then there is nothing to read."""
    sources: list[str] = []
    parameters: dict[str, Any] = {"tenant": seen.parameters["tenant"]}
    for name, values, source in (
        ("hash", hash_keys(hashes), f"memories WHERE tenant = :tenant AND {CONTENT_HOLDS} AND {HASH}"),
        ("band", bands, "memory_bands WHERE tenant = :tenant AND band"),
    ):
        if values:
            asked, more = among(name, values)
            sources.append(f"SELECT slot FROM {source} {asked}")
            parameters |= more
    if not sources:
        return []
    slots = sorted({row[0] for row in connection.execute(" UNION ALL ".join(sources), parameters)})
    if not slots:
        return []
    asked, more = among("slot", slots)
    found = connection.execute(
        f"{_MEMORY} FROM memories r WHERE {seen.sql} AND r.slot {asked} AND {_IS_OPEN}", {**seen.parameters, **more}
    )
    return list(map(rows.memory_of, found))


def _in_slots(connection: sqlite3.Connection, seen: Where, slots: Sequence[tuple[str, str]]) -> list[Memory]:
    if not slots:
        return []
    found = connection.execute(
        f"{_MEMORY} FROM json_each(:slots) j CROSS JOIN memories r WHERE {seen.sql} AND {_IN_SLOTS}",
        {**seen.parameters, "slots": json.dumps(slots)},
    )
    return list(map(rows.memory_of, found))


def _last_said(connection: sqlite3.Connection, own: Where, memories: Sequence[Memory]) -> dict[str, datetime]:
    """Return the latest event time of the episodes of those memories that more than one states."""
    said = {episode_id: memory.id for memory in memories if len(memory.episode_ids) > 1 for episode_id in memory.episode_ids}
    if not said:
        return {}
    latest: dict[str, int] = {}
    for episode_id, occurred_at in connection.execute(
        f"SELECT r.id, r.occurred_at FROM episodes r WHERE {own.sql} AND r.id IN (SELECT value FROM json_each(:ids))",
        {**own.parameters, "ids": json.dumps(list(said))},
    ):
        latest[said[episode_id]] = max(occurred_at, latest.get(said[episode_id], occurred_at))
    return {memory_id: moment_of(at) for memory_id, at in latest.items()}
