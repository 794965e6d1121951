"""The contract of every store, on Neo4j: one open store for all tests of a server, emptied before each."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from hindsight_graph.stores.base import Store
from hindsight_graph.testing.contract import MODEL, StoreContract
from hindsight_graph.testing.neo4j_server import Neo4jServer, Run


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(server: Neo4jServer) -> AsyncIterator[tuple[Store, Run]]:
    await server.wipe()
    store = server.store()
    await store.open()
    async with server.connected() as run:
        yield store, run
    await store.close()
    await store.close()


@pytest.mark.requirement("O-02")
@pytest.mark.asyncio(loop_scope="module")
class TestNeo4j(StoreContract):
    async def make_store(self, folder: Path) -> Store:
        raise AssertionError(f"the store is open already; nothing is kept in {folder}")

    @pytest_asyncio.fixture(loop_scope="module")
    async def store(self, opened: tuple[Store, Run], server: Neo4jServer) -> AsyncIterator[Store]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Yield the store with nothing in it but the embedding model record; afterwards it must agree with itself."""
        store, run = opened
        await server.wipe(run)
        await store.record_model(MODEL)
        yield store
        assert await store.check() == ()
