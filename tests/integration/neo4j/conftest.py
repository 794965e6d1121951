"""Neo4j servers for the tests: started on free ports when the first test asks, stopped by process id at the end.

`HINDSIGHT_GRAPH_TEST_NEO4J_URL` names a running server instead; everything in it is deleted. Without Java the tests are skipped with
the install line, except where `CI=true`: there they fail.
"""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase

from hindsight_graph.cypher import areas, load, names
from hindsight_graph.models.enums import Kind, RelationType, StructureType
from hindsight_graph.stores.neo4j import Neo4jStore

VERSIONS = ("5.26.30", "2026.09.0")
REUSED = os.environ.get("HINDSIGHT_GRAPH_TEST_NEO4J_URL")
_ENVIRONMENT = dict(os.environ)  # before a test changes the home folder, where the jars are
_IS_CI = os.environ.get("CI", "").lower() in {"true", "1"}
_PARAMETERS = ("reused",) if REUSED else VERSIONS
_LABELS = ["Node", "Memory", "Entity", "Episode", "Session", "Job", "Audit", "Idempotency", "Operation", "Meta"]
_SEED: LiteralString = """
CREATE (n:$($labels)) SET n += $properties
WITH n UNWIND $types AS type
CREATE (n)-[r:$(type)]->(n) SET r += $properties
WITH DISTINCT n DETACH DELETE n
"""
_SETTING = (
    "dbms.cypher.min_replan_interval=1h"  # every test empties the store, and each time all statements would be planned anew
)
_EMPTY: LiteralString = "MATCH (n) WHERE NOT (n:Meta AND n.key = 'schema') DETACH DELETE n"


@dataclass(frozen=True)
class Server:
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


@dataclass
class Servers:
    """The servers of one run, started when they are asked for."""

    project: Path
    folders: pytest.TempPathFactory
    running: dict[str, Server] = field(default_factory=dict[str, Server])

    def script(self, command: str, version: str, home: Path) -> str:
        """Run scripts/neo4j_local.py and return what it prints."""
        script = self.project / "scripts" / "neo4j_local.py"
        done = subprocess.run(
            [sys.executable, str(script), command, version, "--home", str(home), "--setting", _SETTING],
            capture_output=True, text=True, check=False, env=_ENVIRONMENT,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.strip()
            if "was not found" in said or "none was found" in said or "is needed once" in said:
                (pytest.fail if _IS_CI else pytest.skip)(said)
            raise AssertionError(said)
        return done.stdout

    def get(self, version: str) -> Server:
        """Return the server of a version."""
        if REUSED:
            return Server(version, REUSED)
        if version not in self.running:
            home = self.folders.mktemp(f"neo4j-{version}")
            url = self.script("start", version, home).split()[0]
            self.running[version] = Server(version, url, home)
            asyncio.run(self.running[version].seed())
        return self.running[version]

    def stop(self) -> None:
        """Stop them all."""
        for version, server in self.running.items():
            if server.home is not None:
                self.script("stop", version, server.home)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of one server on one worker: each empties it first."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        version = callspec.params.get("server") if callspec is not None else None
        if version is not None:
            item.add_marker(pytest.mark.xdist_group(f"neo4j-{version}"))


@pytest.fixture(scope="session")
def servers(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The servers of this run."""
    running = Servers(project, tmp_path_factory)
    yield running
    running.stop()


@pytest.fixture(scope="session", params=_PARAMETERS)
def server(request: pytest.FixtureRequest, servers: Servers) -> Server:
    """A server of each version."""
    return servers.get(str(request.param))


@pytest_asyncio.fixture
async def empty(server: Server) -> AsyncIterator[Server]:
    """The server with nothing of ours in it but the schema."""
    await server.wipe()
    yield server


@pytest.fixture
def new_store(empty: Server) -> Callable[[], Neo4jStore]:
    """Makes stores on the emptied server."""
    return empty.store
