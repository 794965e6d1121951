"""Does the store agree with itself? Each finding is one sentence that names the first offender."""

import sqlite3
from collections.abc import Iterable, Iterator

from hindsight_graph.stores.sqlite.meta import get_meta
from hindsight_graph.stores.sqlite.mirror import Mirror
from hindsight_graph.stores.sqlite.packed import HAS_VECTOR_BYTE, has_vector, pack_columns, packed_read
from hindsight_graph.stores.sqlite.schema import VECTORS_PER_BLOCK

_NODE = (
    "NOT EXISTS (SELECT 1 FROM entities n WHERE n.tenant = e.tenant AND n.id = e.{column})"
    " AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.tenant = e.tenant AND n.id = e.{column})"
    " AND NOT EXISTS (SELECT 1 FROM episodes n WHERE n.tenant = e.tenant AND n.id = e.{column})"
)
_OWNER_STATE = ("status", "is_current", "retired_at", "trust", "visibility")


def _statements() -> Iterable[tuple[str, str]]:
    """Yield (what is wrong, a statement that selects tenant and id of each offender)."""
    for column in ("owner_id", "source_id", "target_id"):
        yield f"edges whose {column} does not exist", f"SELECT e.tenant, e.id FROM edges e WHERE {_NODE.format(column=column)}"
    yield (
        "edges whose id another edge has",
        "SELECT tenant, id FROM edges GROUP BY tenant, id HAVING count(*) > 1",
    )
    differs = " OR ".join(f"e.{name} IS NOT m.{name}" for name in _OWNER_STATE)
    yield (
        "edges that differ from their owner in status, retirement, trust or visibility",
        f"SELECT e.tenant, e.id FROM edges e JOIN memories m ON m.tenant = e.tenant AND m.id = e.owner_id WHERE {differs}",
    )
    for side in ("source", "target"):
        yield (
            f"edges whose {side}_canonical is not the canonical id of their {side}",
            (
                f"SELECT e.tenant, e.id FROM edges e LEFT JOIN entities n ON n.tenant = e.tenant AND n.id = e.{side}_id"
                f" WHERE e.{side}_canonical <> coalesce(n.canonical_id, e.{side}_id)"
            ),
        )
    yield (
        "entities merged into one that does not exist or is merged itself",
        (
            "SELECT e.tenant, e.id FROM entities e LEFT JOIN entities c ON c.tenant = e.tenant AND c.id = e.canonical_id"
            " WHERE c.canonical_id IS NOT e.canonical_id"
        ),
    )
    for table, column in (("tags", "tag"), ("tools", "tool"), ("bands", "band")):
        yield (
            f"memories whose {table} are not indexed",
            (
                f"SELECT m.tenant, m.id FROM memories m, json_each(m.{table}) j WHERE NOT EXISTS"
                f" (SELECT 1 FROM memory_{table} x WHERE x.tenant = m.tenant AND x.{column} = j.value AND x.slot = m.slot)"
            ),
        )
        yield (
            f"memories with {table} in the index that they do not have",
            (
                f"SELECT m.tenant, m.id FROM (SELECT tenant, slot, {column} FROM memory_{table}"
                f" EXCEPT SELECT m.tenant, m.slot, j.value FROM memories m, json_each(m.{table}) j) x"
                " JOIN memories m ON m.tenant = x.tenant AND m.slot = x.slot"
            ),
        )
    yield (
        "mentions that are not indexed",
        (
            "SELECT e.tenant, e.id FROM edges e JOIN memories m ON m.tenant = e.tenant AND m.id = e.source_id"
            " WHERE e.type = 'MENTIONS'"
            " AND NOT EXISTS"
            " (SELECT 1 FROM memory_entities x WHERE x.tenant = e.tenant AND x.entity_id = e.target_id AND x.slot = m.slot)"
        ),
    )
    yield (
        "memories outside the places their tenant has given out",
        (
            "SELECT m.tenant, m.id FROM memories m LEFT JOIN tenants t ON t.tenant = m.tenant"
            " WHERE m.slot >= coalesce(t.next_slot, 0)"
        ),
    )
    yield (
        "memories changed later than their tenant",
        (
            "SELECT m.tenant, m.id FROM memories m LEFT JOIN tenants t ON t.tenant = m.tenant"
            " WHERE m.seq > 0 AND m.seq > coalesce(t.change, 0)"
        ),
    )
    yield (
        "memories said to have a vector that is missing",
        (
            f"SELECT m.tenant, m.id FROM memories m WHERE substr(m.mirrored, {HAS_VECTOR_BYTE}, 1) = x'01' AND NOT EXISTS"
            f" (SELECT 1 FROM memory_vectors v WHERE v.tenant = m.tenant AND v.block = m.slot / {VECTORS_PER_BLOCK})"
        ),
    )


def _check_packed(connection: sqlite3.Connection) -> Iterator[str]:
    """Compare the packed values of each memory with its columns."""
    wrong, first = 0, ""
    for memory_id, packed, *values in connection.execute(f"SELECT m.id, m.mirrored, {packed_read('m')} FROM memories m"):
        if pack_columns(values, has_vector=has_vector(packed)) != packed:
            wrong, first = wrong + 1, first or memory_id
    if wrong:
        yield f"{wrong} memories whose packed values differ from their columns, the first: {first}"


def check(connection: sqlite3.Connection, mirrors: Iterable[Mirror]) -> tuple[str, ...]:
    """Return one sentence per finding; the mirrors were refreshed in the caller's snapshot."""
    findings = [f"SQLite finds: {row[0]}" for row in connection.execute("PRAGMA quick_check(20)") if row[0] != "ok"]
    for table, number, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        findings.append(f"row {number} of {table} refers to a missing row of {parent}")
    for what, statement in _statements():
        number, first = connection.execute(
            f"SELECT count(*), min(id || ' (tenant ' || tenant || ')') FROM ({statement})"
        ).fetchone()
        if number:
            findings.append(f"{number} {what}, the first: {first}")
    findings += _check_packed(connection)
    dimension = int(get_meta(connection, "dimension") or 0)
    wrong: int = connection.execute(
        "SELECT count(*) FROM memory_vectors WHERE length(vectors) <> ?", (4 * dimension * VECTORS_PER_BLOCK,)
    ).fetchone()[0]
    if wrong:
        findings.append(f"{wrong} blocks of vectors do not have the recorded dimension {dimension}")
    for mirror in mirrors:
        findings += mirror.differences(connection, dimension)
    return tuple(findings)
