"""Does the store agree with itself? Each finding is one sentence that names the first offender."""

import sqlite3
from collections.abc import Iterable

from hindsight_graph.stores.sqlite.meta import get_meta
from hindsight_graph.stores.sqlite.mirror import Mirror

_NODE = (
    "NOT EXISTS (SELECT 1 FROM entities n WHERE n.tenant = e.tenant AND n.id = e.{column})"
    " AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.tenant = e.tenant AND n.id = e.{column})"
    " AND NOT EXISTS (SELECT 1 FROM episodes n WHERE n.tenant = e.tenant AND n.id = e.{column})"
)
_OWNER_STATE = ("status", "is_current", "retired_at", "trust", "visibility")


def _statements() -> Iterable[tuple[str, str]]:
    """Yield (what is wrong, a statement that selects tenant and id of each offender)."""
    for column in ("owner_id", "source_id", "target_id"):
        yield f"edges whose {column} does not exist", f"SELECT e.tenant, e.id FROM edges e WHERE {_NODE.format(column=column)}"  # noqa: S608
    differs = " OR ".join(f"e.{name} IS NOT m.{name}" for name in _OWNER_STATE)
    yield (
        "edges that differ from their owner in status, retirement, trust or visibility",
        f"SELECT e.tenant, e.id FROM edges e JOIN memories m ON m.tenant = e.tenant AND m.id = e.owner_id WHERE {differs}",  # noqa: S608
    )
    for side in ("source", "target"):
        yield (
            f"edges whose {side}_canonical is not the canonical id of their {side}",
            f"SELECT e.tenant, e.id FROM edges e LEFT JOIN entities n ON n.tenant = e.tenant AND n.id = e.{side}_id"  # noqa: S608
            f" WHERE e.{side}_canonical <> coalesce(n.canonical_id, e.{side}_id)",
        )
    yield (
        "entities merged into one that does not exist or is merged itself",
        "SELECT e.tenant, e.id FROM entities e LEFT JOIN entities c ON c.tenant = e.tenant AND c.id = e.canonical_id"
        " WHERE c.canonical_id IS NOT e.canonical_id",
    )
    for table, column in (("tags", "tag"), ("tools", "tool"), ("bands", "band")):
        yield (
            f"memories whose {table} are not indexed",
            f"SELECT m.tenant, m.id FROM memories m, json_each(m.{table}) j WHERE NOT EXISTS (SELECT 1 FROM memory_{table} x"  # noqa: S608
            f" WHERE x.tenant = m.tenant AND x.{column} = j.value AND x.num = m.num)",
        )
    yield (
        "mentions that are not indexed",
        "SELECT e.tenant, e.id FROM edges e JOIN memories m ON m.tenant = e.tenant AND m.id = e.source_id WHERE e.type = 'MENTIONS'"
        " AND NOT EXISTS (SELECT 1 FROM memory_entities x WHERE x.tenant = e.tenant AND x.entity_id = e.target_id AND x.num = m.num)",
    )


def check(connection: sqlite3.Connection, mirrors: Iterable[Mirror]) -> tuple[str, ...]:
    """Return one sentence per finding; the mirrors were refreshed in the caller's snapshot."""
    findings = [f"SQLite finds: {row[0]}" for row in connection.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    findings += [
        f"row {row[1]} of {row[0]} refers to a missing row of {row[2]}" for row in connection.execute("PRAGMA foreign_key_check")
    ]
    for what, statement in _statements():
        number, first = connection.execute(
            f"SELECT count(*), min(id || ' (tenant ' || tenant || ')') FROM ({statement})"
        ).fetchone()  # noqa: S608
        if number:
            findings.append(f"{number} {what}, the first: {first}")
    dimension = get_meta(connection, "dimension")
    wrong: int = connection.execute(
        "SELECT count(*) FROM memory_vectors WHERE length(vector) <> 4 * ?", (dimension or 0,)
    ).fetchone()[0]  # fmt: skip
    if wrong:
        findings.append(f"{wrong} vectors do not have the recorded dimension {dimension}")
    newest: int = connection.execute("SELECT coalesce(max(num), 0) FROM memories").fetchone()[0]
    if newest >= get_meta(connection, "next_memory"):
        findings.append(f"memory number {newest} is not below the next one, {get_meta(connection, 'next_memory')}")
    for mirror in mirrors:
        findings += mirror.differences(connection, int(dimension or 0))
    return tuple(findings)
