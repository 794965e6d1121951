"""Neo4j servers that tests start, empty and stop. Needs the extra `neo4j`, and pytest.

Importing it notes the environment, because tests change the home folder, in which the server's jars are kept.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString, Protocol

import pytest
from neo4j import AsyncGraphDatabase

from hindsight_graph.cypher import areas, load, names
from hindsight_graph.models.enums import Kind, RelationType, StructureType
from hindsight_graph.stores.neo4j import Neo4jStore

VERSIONS = ("5.26.30", "2026.09.0")
"""What the tests run on: the LTS version and the newest."""
REUSED = os.environ.get("HINDSIGHT_GRAPH_TEST_NEO4J_URL")
"""A running server to use instead; everything in it is deleted."""
_ENVIRONMENT = dict(os.environ)
_IS_CI = os.environ.get("CI", "").lower() in {"true", "1"}
_SETTING = "dbms.cypher.min_replan_interval=1h"
"""Every test empties the store, and each time all statements would be planned anew."""
_LABELS = ["Node", "Memory", "Entity", "Episode", "Session", "Job", "Audit", "Idempotency", "Operation", "Meta", "ApiKey"]
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

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator["Run"]:
        """Yield a function that runs statements of the test's own over one connection."""
        async with AsyncGraphDatabase.driver(self.url, notifications_min_severity="OFF") as driver:  # pyright: ignore[reportUnknownMemberType]

            async def run(statement: LiteralString, /, **parameters: Any) -> list[dict[str, Any]]:
                return [record.data() for record in (await driver.execute_query(statement, parameters)).records]

            yield run

    async def run(self, statement: LiteralString, /, **parameters: Any) -> list[dict[str, Any]]:
        """Run a statement of the test's own."""
        async with self.connected() as run:
            return await run(statement, **parameters)

    async def seed(self) -> None:
        """Make every label, type and property known: a name the server never met is a notification."""
        texts = [load(name).text for area in areas() for name in names(area)]
        properties = {
            name for text in texts for name in re.findall(r"(?<=\w\.)[a-z_]+|(?<=[{ ]\.)[a-z_]+|\b[a-z_]+(?=: \$)", text)
        }
        kinds = [kind.value.capitalize() for kind in Kind]
        types = [kind.value for kind in (*RelationType, *StructureType)]
        await self.run(_SEED, labels=[*_LABELS, *kinds], types=types, properties=dict.fromkeys(sorted(properties), 0))

    async def wipe(self, run: "Run | None" = None) -> None:
        """Delete everything but the schema, over a connection that is there or one of its own."""
        await (run or self.run)(_EMPTY)


class Run(Protocol):
    """Runs a statement and returns its rows."""

    async def __call__(self, statement: LiteralString, /, **parameters: Any) -> list[dict[str, Any]]:
        """Run it."""
        ...


@dataclass
class Neo4jServers:
    """The servers of one test run, started when they are asked for.

    Attributes:
        command: scripts/neo4j_local.py. folders: where their data goes.
    """

    command: Path
    folders: pytest.TempPathFactory
    running: dict[str, Neo4jServer] = field(default_factory=dict[str, Neo4jServer])

    def script(self, command: str, version: str, home: Path, *more: str) -> str:
        """Run scripts/neo4j_local.py and return what it prints."""
        done = subprocess.run(  # noqa: S603 - our own script
            [sys.executable, str(self.command), command, version, "--home", str(home), "--setting", _SETTING, *more],
            capture_output=True, text=True, check=False, env=_ENVIRONMENT,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.strip()
            if "none was found" in said or "is needed once" in said:
                (pytest.fail if _IS_CI else pytest.skip)(said)
            raise AssertionError(said)
        return done.stdout

    def get(self, version: str) -> Neo4jServer:
        """Return the server of a version."""
        if version not in self.running:
            if REUSED:
                self.running[version] = Neo4jServer(version, REUSED)
            else:
                home = self.folders.mktemp(f"neo4j-{version}")
                self.running[version] = Neo4jServer(version, self.start(version, home), home)
            asyncio.run(self.running[version].seed())
        return self.running[version]

    def start(self, version: str, home: Path, *more: str) -> str:
        """Start a server in a folder of the test's own and return its Bolt address."""
        return self.script("start", version, home, "--brief", *more).split()[0]

    def stop(self) -> None:
        """Stop them all."""
        for version, server in self.running.items():
            if server.home is not None:
                self.script("stop", version, server.home)
