"""What can be wrong with the server under a store, each finding with the command that mends it.

Statements are for Neo4j Browser or cypher-shell.
"""

import re
from collections.abc import Sequence
from time import perf_counter

from hindsight_graph.cypher import Query
from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.models.status import Check
from hindsight_graph.stores.neo4j import schema
from hindsight_graph.stores.neo4j.connection import Connection, Row
from hindsight_graph.stores.neo4j.server import Server, read_server

SKEW_SECONDS = 5.0
"""A larger difference of clocks is a finding: leases and the ledger are timed by the server, memories by us."""
_NAMED = re.compile(r"CREATE (?:FULLTEXT |VECTOR )?(INDEX|CONSTRAINT) (\w+)")


async def diagnose(connection: Connection, our_time: float) -> tuple[Check, ...]:
    """Look at reachability, version, schema, indexes and clock.

    Args:
        connection: An open one.
        our_time: Seconds since 1970 by this machine's clock, now.
    """
    began = perf_counter()
    try:
        server_time = (await connection.rows("maintain/read_clock"))[0]["now"] / 1000
    except HindsightGraphError as error:
        return (Check(name="server", ok=False, detail=error.message, fix=error.hint),)
    took = perf_counter() - began
    return (
        _server_check(await read_server(connection), connection.address.shown, took),
        await _schema_check(connection),
        *_index_checks(await connection.rows("maintain/show_indexes")),
        _clock_check(server_time - our_time - took / 2, took / 2),
    )


def _server_check(server: Server, where: str, took: float) -> Check:
    said = f"Neo4j {server.version} {server.edition} at {where} answers in {took * 1000:.0f} ms"
    if server.is_supported:
        return Check(name="server", ok=True, detail=said)
    return Check(name="server", ok=False, detail=f"{said}; 5.26 or newer is needed", fix="docker compose pull neo4j")


async def _schema_check(connection: Connection) -> Check:
    try:
        version = await schema.stored_version(connection)
    except HindsightGraphError as error:
        return Check(name="schema", ok=False, detail=error.message, fix=error.hint)
    is_current = version == schema.SCHEMA_VERSION
    return Check(
        name="schema",
        ok=is_current,
        detail=f"version {version}, this package has {schema.SCHEMA_VERSION}",
        fix="" if is_current else "open the store once with this package: `hindsight-graph status`",
    )


def _index_checks(found: Sequence[Row]) -> list[Check]:
    """Return one good check, or one for each index that is missing or does not answer."""
    rows = {row["name"]: row for row in found}
    checks: list[Check] = []
    made = {match[2]: (match[1], step) for step in schema.steps() if (match := _NAMED.search(step.text))}
    for name, (what, step) in made.items():
        if name not in rows:
            checks.append(Check(name="indexes", ok=False, detail=f"{what.lower()} {name} is missing", fix=_again(step)))
    for name, row in rows.items():
        if row["state"] == "POPULATING":
            detail = f"{name} is still being filled ({row['populationPercent']:.0f} %); searches that need it fail until it is"
            checks.append(Check(name="indexes", ok=False, detail=detail, fix="CALL db.awaitIndexes(300)"))
        elif row["state"] != "ONLINE":
            again = f"; {_again(made[name][1])}" if name in made else ", then `hindsight-graph status` makes it anew"
            detail = f"{name} is {row['state'].lower()}"
            checks.append(Check(name="indexes", ok=False, detail=detail, fix=f"DROP INDEX {name} IF EXISTS{again}"))
    return checks or [Check(name="indexes", ok=True, detail=f"{len(rows)} indexes are online")]


def _again(step: Query) -> str:
    return " ".join(step.text.split())


def _clock_check(skew: float, unsure: float) -> Check:
    """Return a finding when the clocks differ for certain: the answer's own way took twice `unsure` seconds."""
    said = f"the server's clock is {abs(skew):.1f} s {'ahead of' if skew > 0 else 'behind'} ours"
    if abs(skew) - unsure <= SKEW_SECONDS:
        return Check(name="clock", ok=True, detail=said)
    return Check(name="clock", ok=False, detail=said, fix="timedatectl set-ntp true, on both machines")
