"""A Neo4j server that tests may empty. Needs the extra `neo4j`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

from neo4j import AsyncGraphDatabase

from hindsight_graph.cypher import areas, load, names
from hindsight_graph.models.enums import Kind, RelationType, StructureType
from hindsight_graph.stores.neo4j import Neo4jStore

_LABELS = ["Node", "Memory", "Entity", "Episode", "Session", "Job", "Audit", "Idempotency", "Operation", "Meta"]
_SEED: LiteralString = """
CREATE (n:$($labels)) SET n += $properties
WITH n UNWIND $types AS type
CREATE (n)-[r:$(type)]->(n) SET r += $properties
WITH DISTINCT n DETACH DELETE n
"""
_EMPTY: LiteralString = "MATCH (n) WHERE NOT (n:Meta AND n.key = 'schema') DETACH DELETE n"


@dataclass(frozen=True)
class Neo4jServer:
    """A running server.

    Attributes:
        version: As asked for. url: its Bolt address. home: its folder; none for a reused one.
    """

    version: str
    url: str
    home: Path | None = None

    def store(self, **options: Any) -> Neo4jStore:
        """Return a store on it that is not open; every notification of the server is an error."""
        return Neo4jStore(self.url, warn=True, **options)

    async def run(self, statement: LiteralString, **parameters: Any) -> list[dict[str, Any]]:
        """Run a statement of the test's own."""
        async with AsyncGraphDatabase.driver(self.url, notifications_min_severity="OFF") as driver:  # pyright: ignore[reportUnknownMemberType]
            return [record.data() for record in (await driver.execute_query(statement, parameters)).records]

    async def seed(self) -> None:
        """Make every label, type and property known: a name the server never met is a notification."""
        texts = [load(name).text for area in areas() for name in names(area)]
        properties = {
            name for text in texts for name in re.findall(r"(?<=\w\.)[a-z_]+|(?<=[{ ]\.)[a-z_]+|\b[a-z_]+(?=: \$)", text)
        }
        kinds = [kind.value.capitalize() for kind in Kind]
        types = [kind.value for kind in (*RelationType, *StructureType)]
        await self.run(_SEED, labels=[*_LABELS, *kinds], types=types, properties=dict.fromkeys(sorted(properties), 0))

    async def wipe(self) -> None:
        """Delete everything but the schema."""
        await self.run(_EMPTY)
