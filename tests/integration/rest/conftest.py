"""An application in this process, over a store of its own, and callers of several tenants."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight_graph.api.rest import make_app
from hindsight_graph.clock import ManualClock
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.models.access import Principal
from hindsight_graph.testing.patience import patient_settings

As = Callable[[Principal], httpx.AsyncClient]


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))


@pytest.fixture
async def engine(tmp_path: Path, clock: ManualClock) -> AsyncIterator[AsyncHindsightGraph]:
    async with AsyncHindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}", settings=patient_settings(), clock=clock) as memory:
        yield memory


@pytest.fixture
def app(engine: AsyncHindsightGraph) -> FastAPI:
    return make_app(engine, cursor_key=b"a key for these tests")


@pytest.fixture
async def http(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        yield client


class Verified:
    """Leaves a verified caller where the access middleware leaves it."""

    def __init__(self, app: ASGIApp, principal: Principal) -> None:
        self.app = app
        self.principal = principal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["hindsight_graph.principal"] = self.principal
        await self.app(scope, receive, send)


@pytest.fixture
def calling_as(app: FastAPI) -> As:
    return lambda principal: httpx.AsyncClient(
        transport=httpx.ASGITransport(Verified(app, principal)), base_url="http://localhost"
    )
