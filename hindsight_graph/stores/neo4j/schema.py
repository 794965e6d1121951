"""The schema: numbered steps under cypher/schema, the node that records them, and the lock under which they run.

A step is one idempotent statement. The meta node keeps the version reached and the checksum of each step, so a store that was
made by other steps of the same number is noticed. Steps run one by one, since Neo4j changes the schema in transactions of their
own; whoever migrates holds a lock that ends by itself.
"""

import asyncio
from collections.abc import Sequence
from time import monotonic
from uuid import uuid4

from hindsight_graph.cypher import Query, load, names
from hindsight_graph.errors import SchemaError, StoreUnavailableError
from hindsight_graph.models.record import MigrationReport
from hindsight_graph.stores.neo4j.connection import Connection

_LEASE_MS = 120_000
_PAUSE = 0.1


def steps() -> tuple[Query, ...]:
    """Return the steps in order; step n leads to version n."""
    return tuple(load(name) for name in names("schema"))


SCHEMA_VERSION = 31
"""The schema this version of the package reads and writes; a test compares it with the number of steps."""


async def stored_version(connection: Connection) -> int:
    """Return the schema version reached, 0 for a database without one.

    Raises:
        SchemaError: It is newer than this package, or its steps were others.
    """
    if not (await connection.rows("maintain/count_schema"))[0]["count"]:
        return 0
    found = await connection.rows("maintain/read_meta", key="schema")
    if not found:
        return 0
    record = found[0]["value"]
    version = int(record["version"])
    where = connection.address.shown
    if version > SCHEMA_VERSION:
        raise SchemaError(
            f"{where} has schema version {version}; this version of hindsight_graph knows versions up to {SCHEMA_VERSION}",
            hint="install the version that made it, or a newer one",
        )
    known = [step.checksum for step in steps()][:version]
    if list(record["checksums"]) != known:
        wrong = next(number for number, pair in enumerate(zip(record["checksums"], known, strict=False), 1) if pair[0] != pair[1])
        raise SchemaError(
            f"{where} was made by another step {wrong} than this package has ({steps()[wrong - 1].name})",
            hint="install the version that made it",
        )
    return version


async def migrate(connection: Connection, *, dry_run: bool) -> MigrationReport:
    """Bring the schema to this version, under the lock; see `Store.migrate`."""
    before = await stored_version(connection)
    pending = steps()[before:]
    named = tuple(f"{number}: {step.purpose}" for number, step in enumerate(pending, before + 1))
    if not pending or dry_run:
        return MigrationReport(before=before, after=SCHEMA_VERSION, steps=named, applied=not dry_run)
    await connection.run_alone(steps()[0].name)  # the lock is a meta node, and its key must be unique first
    owner = uuid4().hex
    await _take_lock(connection, owner)
    try:
        before = await stored_version(connection)
        await _apply(connection, steps()[before:])
    finally:
        await connection.change(lambda transaction: transaction.run("maintain/release_lock", owner=owner))
    return MigrationReport(before=before, after=SCHEMA_VERSION, steps=named)


async def _apply(connection: Connection, pending: Sequence[Query]) -> None:
    for step in pending:
        await connection.run_alone(step.name)
    await connection.await_indexes()
    checksums = [step.checksum for step in steps()]
    await connection.change(
        lambda transaction: transaction.run("maintain/record_schema", version=SCHEMA_VERSION, checksums=checksums)
    )


async def _take_lock(connection: Connection, owner: str) -> None:
    deadline = monotonic() + _LEASE_MS / 1000
    while True:
        found = await connection.change(lambda transaction: transaction.run("maintain/take_lock", owner=owner, lease=_LEASE_MS))
        if found[0]["taken"]:
            return
        if monotonic() > deadline:
            raise StoreUnavailableError(
                f"another process has been migrating {connection.address.shown} for {_LEASE_MS // 1000} s",
                hint="wait for it to end, then try again",
            )
        await asyncio.sleep(_PAUSE)
