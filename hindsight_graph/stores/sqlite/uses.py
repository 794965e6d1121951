"""When memories were retrieved last: a table of its own, so that noting it changes no memory and no mirror."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

from hindsight_graph.models.query import Scope
from hindsight_graph.stores.sqlite.rows import micros, moment_of


def note(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str], at: datetime) -> None:
    """Note that memories of a tenant were retrieved; an earlier moment than the one noted changes nothing."""
    connection.execute(
        "INSERT INTO memory_uses (tenant, id, used_at) SELECT m.tenant, m.id, :at FROM memories m"
        " WHERE m.tenant = :tenant AND m.id IN (SELECT value FROM json_each(:ids))"
        " ON CONFLICT (tenant, id) DO UPDATE SET used_at = max(used_at, excluded.used_at)",
        {"tenant": scope.tenant, "ids": json.dumps(list(ids)), "at": micros(at)},
    )


def last(connection: sqlite3.Connection, scope: Scope, ids: Sequence[str]) -> dict[str, datetime]:
    """Return when memories were retrieved last; those that never were are absent."""
    found = connection.execute(
        "SELECT id, used_at FROM memory_uses WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids))",
        {"tenant": scope.tenant, "ids": json.dumps(list(ids))},
    )
    return {memory_id: moment_of(used_at) for memory_id, used_at in found}
