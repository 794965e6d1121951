"""What is stored already under the keys of a write in the making, by one statement."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from hindsight_graph.models.base import trusted
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import OPEN_STATUSES, Precedents, WriteKeys
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.parameters import scope_parameters
from hindsight_graph.stores.neo4j.terms import alias_key, keys_query

_CLAUSES = 500
"""Words in one query of the index; Lucene refuses more than 1,024."""


async def find_precedents(connection: Connection, scope: Scope, keys: WriteKeys) -> Precedents:
    """Return what the scope sees under the keys; see `Store.find_precedents`."""
    asked = scope_parameters(
        scope,
        episode_hashes=list(keys.episode_hashes),
        session_ids=list(keys.session_ids),
        hashes=list(keys.content_hashes),
        bands=_queries(scope, [f"b{band}" for band in keys.bands]),
        slots=[list(slot) for slot in keys.slots],
        normals=list(keys.normals),
        aliases=_queries(scope, [alias_key(normal) for normal in keys.normals]),
        open=[status.value for status in OPEN_STATUSES],
    )
    found: dict[str, list[Any]] = defaultdict(list)
    for row in await connection.rows("read/find_precedents", **asked):
        found[row["sort"]].append(row["row"])
    memories = {row[0]: rows.memory_of(row) for row in found["memory"]}
    return trusted(Precedents, {
        "episodes": tuple(map(rows.episode_of, found["episode"])),
        "next_sequences": {row["session_id"]: row["following"] for row in found["sequence"]},
        "memories": tuple(sorted(memories.values(), key=lambda memory: (memory.recorded_at, memory.id), reverse=True)),
        "last_said": {row["id"]: rows.moment_of(row["at"]) for row in found["said"]},
        "entities": _entities(keys.normals, found["name"], found["alias"]),
    })  # fmt: skip


def _queries(scope: Scope, words: Sequence[str]) -> list[str]:
    """Return the index queries that together find the rows of any of these keys."""
    return [keys_query(scope.tenant, [words[start : start + _CLAUSES]]) for start in range(0, len(words), _CLAUSES)]


def _entities(
    normals: Sequence[str], named: Sequence[Mapping[str, Any]], aliased: Sequence[Mapping[str, Any]]
) -> dict[str, Entity]:
    """Return for each normal form the entity of that name, else the first one with that alias; `aliased` comes newest first."""
    by_alias = {key: row for row in aliased for key in row["keys"]}
    found = {normal: rows.entity_of(by_alias[key]) for normal in normals if (key := alias_key(normal)) in by_alias}
    found.update((entity.normal, entity) for entity in map(rows.entity_of, named))
    return found
