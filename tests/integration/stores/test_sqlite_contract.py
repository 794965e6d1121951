from pathlib import Path

import pytest

from hindsight_graph.stores.base import Store
from hindsight_graph.stores.sqlite import SqliteStore
from hindsight_graph.testing.contract import StoreContract


@pytest.mark.requirement("O-01")
class TestSqliteFile(StoreContract):
    async def make_store(self, folder: Path) -> Store:
        return SqliteStore(folder / "memory.db")


class TestSqliteMemory(StoreContract):
    async def make_store(self, folder: Path) -> Store:  # noqa: ARG002 - it needs no folder
        return SqliteStore(":memory:")
