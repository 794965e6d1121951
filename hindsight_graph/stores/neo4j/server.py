"""Which server this is, and what it can: asked once, decided here and nowhere else."""

import re
from dataclasses import dataclass

from hindsight_graph.errors import StoreError
from hindsight_graph.stores.neo4j.connection import Connection

OLDEST = (5, 26)
"""The LTS version on which everything runs."""
_FILTERS_VECTORS_FROM = (2026, 1)


@dataclass(frozen=True, slots=True)
class Server:
    """A server's version and edition.

    Attributes:
        version: As it says itself, `5.26.30` or `2026.09.0`. number: its first two parts.
    """

    version: str
    edition: str

    @property
    def number(self) -> tuple[int, int]:
        """The first two parts of the version."""
        found = re.match(r"(\d+)\.(\d+)", self.version)
        if found is None:
            raise StoreError(f"the server's version {self.version!r} has no number")
        return int(found[1]), int(found[2])

    @property
    def is_supported(self) -> bool:
        """Whether this store runs on it."""
        return self.number >= OLDEST

    @property
    def filters_vectors(self) -> bool:
        """Whether its vector indexes filter by properties (the SEARCH clause)."""
        return self.number >= _FILTERS_VECTORS_FROM

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What callers may want to know, as names."""
        return ("vector_index", "vector_filter") if self.filters_vectors else ("vector_index",)


async def read_server(connection: Connection) -> Server:
    """Ask the server what it is."""
    row = (await connection.rows("maintain/read_server"))[0]
    return Server(row["version"], row["edition"])
