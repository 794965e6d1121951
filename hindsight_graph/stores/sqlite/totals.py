"""What the whole file holds, of all tenants together: numbers for whoever runs the service."""

import shutil
import sqlite3
from pathlib import Path

from hindsight_graph.models.record import Counted, StoreTotals

_MEMORIES = "SELECT kind, status, count(*) FROM memories GROUP BY kind, status ORDER BY kind, status"
_JOBS = "SELECT kind, state, count(*) FROM jobs GROUP BY kind, state ORDER BY kind, state"
_CONFLICTS = "SELECT count(*) FROM edges WHERE type = 'CONTRADICTS' AND is_current = 1"


def totals(connection: sqlite3.Connection, path: str) -> StoreTotals:
    """Count everything; `path` is the file, or `:memory:`."""

    def number(statement: str) -> int:
        return int(connection.execute(statement).fetchone()[0])

    file = Path(path)
    return StoreTotals(
        memories=tuple(Counted(kind=kind, state=state, count=count) for kind, state, count in connection.execute(_MEMORIES)),
        jobs=tuple(Counted(kind=kind, state=state, count=count) for kind, state, count in connection.execute(_JOBS)),
        conflicts=number(_CONFLICTS),
        size_bytes=number("PRAGMA page_count") * number("PRAGMA page_size"),
        free_bytes=shutil.disk_usage(file.parent).free if file.is_file() else None,
    )
