"""Neo4j servers for the tests: started on free ports when the first test asks, stopped by process id at the end.

`HINDSIGHT_GRAPH_TEST_NEO4J_URL` names a running server instead; everything in it is deleted. Without Java the tests are skipped
with the install line, except where `CI=true`: there they fail.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.testing.neo4j_server import REUSED, VERSIONS, Neo4jServer, Neo4jServers

_PARAMETERS = ("reused",) if REUSED else VERSIONS


@pytest.fixture(scope="session")
def servers(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServers]:
    """The servers of this run."""
    running = Neo4jServers(project / "scripts" / "neo4j_local.py", tmp_path_factory)
    yield running
    running.stop()


@pytest.fixture(scope="session", params=_PARAMETERS)
def server(request: pytest.FixtureRequest, servers: Neo4jServers) -> Neo4jServer:
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
