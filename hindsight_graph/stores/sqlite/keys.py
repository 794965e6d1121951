"""API keys in SQLite. A key is found by its public part alone, before anything is known about who asks."""

import json
import sqlite3
from collections.abc import Sequence

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.access import ApiKey, KeyScope
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.stores.sqlite.rows import Row, micros, micros_or_none, moment_of, moment_or_none

_COLUMNS = "id, tenant, agent_id, secret_hash, name, scopes, created_at, expires_at, revoked_at"


def _key_of(row: Row) -> ApiKey:
    id_, tenant, agent_id, secret_hash, name, scopes, created_at, expires_at, revoked_at = row
    return ApiKey(
        id=id_, tenant=tenant, agent_id=agent_id, secret_hash=secret_hash, name=name,
        scopes=frozenset(KeyScope(scope) for scope in json.loads(scopes)), created_at=moment_of(created_at),
        expires_at=moment_or_none(expires_at), revoked_at=moment_or_none(revoked_at),
    )  # fmt: skip


def put(connection: sqlite3.Connection, tenant: str, keys: Sequence[ApiKey]) -> None:
    """Write new keys; one that exists can only be revoked, once."""
    for key in keys:
        if key.tenant != tenant:
            raise ConflictError(f"key {key.id} is of tenant {key.tenant!r}, not of {tenant!r}", hint="write it in its own tenant")
        written = connection.execute(
            f"INSERT INTO api_keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
            " SET revoked_at = coalesce(api_keys.revoked_at, excluded.revoked_at)"
            " WHERE api_keys.tenant = excluded.tenant AND api_keys.secret_hash = excluded.secret_hash RETURNING id",
            (
                key.id, key.tenant, key.agent_id, key.secret_hash, key.name, json.dumps(sorted(key.scopes)),
                micros(key.created_at), micros_or_none(key.expires_at), micros_or_none(key.revoked_at),
            ),
        ).fetchall()  # fmt: skip
        if not written:
            raise ConflictError(f"there is another key {key.id}", hint="make a new one")


def find(connection: sqlite3.Connection, key_id: str) -> ApiKey | None:
    """Return a key by its public part."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", (key_id,)).fetchone()
    return None if row is None else _key_of(row)


def list_all(connection: sqlite3.Connection, scope: Scope | SystemScope, limit: int) -> tuple[ApiKey, ...]:
    """List keys, oldest first."""
    of_tenant = "WHERE tenant = :tenant " if isinstance(scope, Scope) else ""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM api_keys {of_tenant}ORDER BY created_at, id LIMIT :limit",
        {"tenant": scope.tenant if isinstance(scope, Scope) else "", "limit": limit},
    )
    return tuple([_key_of(row) for row in rows])
