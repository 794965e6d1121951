"""An application in this process, over a store of its own."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from hindsight_graph.api.rest import make_app
from hindsight_graph.clock import ManualClock
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.settings import Settings


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[AsyncHindsightGraph]:
    clock = ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))
    async with AsyncHindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}", settings=Settings(), clock=clock) as memory:
        yield memory


@pytest.fixture
async def http(engine: AsyncHindsightGraph) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(make_app(engine, cursor_key=b"a key for these tests"))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client
