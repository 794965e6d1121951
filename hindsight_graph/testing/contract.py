"""The contract of `hindsight_graph.stores.base.Store`, as tests for any store.

A store author subclasses `StoreContract` in a test module and says how a store is made:

    class TestMyStore(StoreContract):
        async def make_store(self, folder: Path) -> Store:
            return MyStore(folder / "store")

It runs under pytest with pytest-asyncio. Every sentence of the protocol's docstrings has a test here.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.stores.base import Store
from hindsight_graph.testing.builders import DIMENSION
from hindsight_graph.testing.contract_graph import GraphContract
from hindsight_graph.testing.contract_jobs import JobContract
from hindsight_graph.testing.contract_move import MoveContract
from hindsight_graph.testing.contract_precedents import PrecedentsContract
from hindsight_graph.testing.contract_programs import ProgramContract
from hindsight_graph.testing.contract_read import ReadContract
from hindsight_graph.testing.contract_refill import RefillContract
from hindsight_graph.testing.contract_search import SearchContract
from hindsight_graph.testing.contract_time import TimeContract
from hindsight_graph.testing.contract_uses import UsesContract
from hindsight_graph.testing.contract_write import WriteContract

MODEL = EmbeddingModel(name="contract", dimension=DIMENSION)
"""The embedding model record of every store made here."""


class StoreContract(
    WriteContract,
    PrecedentsContract,
    ReadContract,
    TimeContract,
    SearchContract,
    GraphContract,
    JobContract,
    UsesContract,
    MoveContract,
    RefillContract,
    ProgramContract,
):
    """All of the contract; a fresh store for each test, checked and closed at its end."""

    @abstractmethod
    async def make_store(self, folder: Path) -> Store:
        """Return a store that is not open, whose data lies in `folder` if it lies in files."""

    @pytest_asyncio.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[Store]:
        """Yield an open, empty store with an embedding model record; afterwards it must agree with itself."""
        store = await self.make_store(tmp_path)
        await store.open()
        await store.record_model(MODEL)
        yield store
        assert await store.check() == ()
        await store.close()
        await store.close()
