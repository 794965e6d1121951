from collections.abc import Callable
from pathlib import Path

import pytest

from hindsight_graph.stores.base import Store
from hindsight_graph.stores.neo4j import Neo4jStore
from hindsight_graph.testing.contract import StoreContract


@pytest.mark.requirement("O-02")
class TestNeo4j(StoreContract):
    @pytest.fixture(autouse=True)
    def _on(self, new_store: Callable[[], Neo4jStore]) -> None:
        self._new_store = new_store

    async def make_store(self, folder: Path) -> Store:
        del folder
        return self._new_store()
