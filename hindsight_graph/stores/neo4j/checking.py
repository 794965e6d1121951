"""Does the store agree with itself? Each finding is one sentence that names the first offender."""

from hindsight_graph.cypher import load, names
from hindsight_graph.stores.neo4j.connection import Connection

_CHECK = "maintain/check_"
_SHOWN_LIMIT = 1000
"""A check reads so many offenders at most."""


async def check(connection: Connection, dimension: int | None) -> tuple[str, ...]:
    """Return one sentence per finding, none when nodes, edges and indexes agree."""
    findings = [
        f"the index {row['name']} is {row['state'].lower()} ({row['populationPercent']:.0f} %), not online"
        for row in await connection.rows("maintain/show_indexes")
        if row["state"] != "ONLINE"
    ]
    for name in names("maintain"):
        if not name.startswith(_CHECK):
            continue
        query = load(name)
        parameters = {"dimension": dimension} if "dimension" in query.parameters else {}
        found = await connection.rows(name, **parameters)
        if found:
            number = f"{len(found)}" if len(found) < _SHOWN_LIMIT else f"at least {len(found)}"
            what = query.purpose.removesuffix(", the first ones.")
            findings.append(f"{number} {what[0].lower()}{what[1:]}, the first: {found[0]['id']} (tenant {found[0]['tenant']})")
    return tuple(findings)
