"""What the whole database holds, of all tenants together: numbers for whoever runs the service."""

from hindsight_graph.models.record import Counted, StoreTotals
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.reading import estimated_bytes
from hindsight_graph.stores.neo4j.vectors import EMBEDDING


async def totals(connection: Connection, dimension: int | None) -> StoreTotals:
    """Count everything; `size_bytes` is an estimate by the record format, and what the server's disk has left is unknown."""
    memories = await connection.rows("read/total_memories", embedding=EMBEDDING)
    jobs = await connection.rows("read/total_jobs")
    rest = (await connection.rows("read/total_rest"))[0]
    numbers = sum(row["vectors"] for row in memories) * (dimension or 0)
    return StoreTotals(
        memories=tuple(Counted(kind=row["kind"], state=row["status"], count=row["count"]) for row in memories),
        jobs=tuple(Counted(kind=row["kind"], state=row["state"], count=row["count"]) for row in jobs),
        conflicts=rest["conflicts"],
        size_bytes=estimated_bytes(rest["nodes"], rest["edges"], numbers),
    )
