"""Neo4j servers for the tests: started on free ports when the first test asks, stopped by process id at the end.

`HINDSIGHT_GRAPH_TEST_NEO4J_URL` names a running server instead; everything in it is deleted. Without Java the tests are skipped
with the install line, except where `CI=true`: there they fail.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.testing.neo4j_server import Neo4jServer

VERSIONS = ("5.26.30", "2026.09.0")
REUSED = os.environ.get("HINDSIGHT_GRAPH_TEST_NEO4J_URL")
_ENVIRONMENT = dict(os.environ)  # before a test changes the home folder, where the jars are
_IS_CI = os.environ.get("CI", "").lower() in {"true", "1"}
_PARAMETERS = ("reused",) if REUSED else VERSIONS
_SETTING = (
    "dbms.cypher.min_replan_interval=1h"  # every test empties the store, and each time all statements would be planned anew
)


@dataclass
class Servers:
    """The servers of one run, started when they are asked for."""

    project: Path
    folders: pytest.TempPathFactory
    running: dict[str, Neo4jServer] = field(default_factory=dict[str, Neo4jServer])

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

    def get(self, version: str) -> Neo4jServer:
        """Return the server of a version."""
        if REUSED:
            return Neo4jServer(version, REUSED)
        if version not in self.running:
            home = self.folders.mktemp(f"neo4j-{version}")
            url = self.script("start", version, home).split()[0]
            self.running[version] = Neo4jServer(version, url, home)
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
def server(request: pytest.FixtureRequest, servers: Servers) -> Neo4jServer:
    """A server of each version."""
    return servers.get(str(request.param))


@pytest_asyncio.fixture
async def empty(server: Neo4jServer) -> AsyncIterator[Neo4jServer]:
    """The server with nothing of ours in it but the schema."""
    await server.wipe()
    yield server


@pytest.fixture
def new_store(empty: Neo4jServer) -> Callable[[], Neo4jStore]:
    """Makes stores on the emptied server."""
    return empty.store
