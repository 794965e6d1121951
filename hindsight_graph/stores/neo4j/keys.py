"""API keys on Neo4j. A key is found by its public part alone, before anything is known about who asks."""

from collections.abc import Sequence

from hindsight_graph.errors import ConflictError
from hindsight_graph.models.access import ApiKey
from hindsight_graph.models.query import Scope, SystemScope
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection, Transaction


async def put(transaction: Transaction, tenant: str, keys: Sequence[ApiKey]) -> None:
    """Write new keys; one that exists can only be revoked, once."""
    for key in keys:
        if key.tenant != tenant:
            raise ConflictError(f"key {key.id} is of tenant {key.tenant!r}, not of {tenant!r}", hint="write it in its own tenant")
        properties = rows.api_key_properties(key)
        written = await transaction.run(
            "write/put_key", tenant=tenant, id=key.id, secret_hash=key.secret_hash, properties=properties,
            revoked_at=rows.micros_or_none(key.revoked_at),
        )  # fmt: skip
        if not written[0]["same"]:
            raise ConflictError(f"there is another key {key.id}", hint="make a new one")


async def find(connection: Connection, key_id: str) -> ApiKey | None:
    """Return a key by its public part."""
    found = await connection.rows("read/find_key", id=key_id)
    return rows.api_key_of(found[0]["row"]) if found else None


async def list_all(connection: Connection, scope: Scope | SystemScope, limit: int) -> tuple[ApiKey, ...]:
    """List keys, oldest first."""
    of = scope.tenant if isinstance(scope, Scope) else None
    return tuple([rows.api_key_of(row["row"]) for row in await connection.rows("read/list_keys", of=of, limit=limit)])
