"""A guarded application that says who called, and a client that speaks ASGI to it."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.access import PRINCIPAL, AccessPolicy, protect
from hindsight_graph.api.access.asgi import App, Receive, Scope, Send
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.access import Principal
from hindsight_graph.testing.patience import patient_settings


async def whoami(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the caller and the body's length."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    principal: Principal | None = scope.get(PRINCIPAL)
    body = json.dumps({"principal": principal and principal.model_dump(mode="json"), "size": size}).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@dataclass
class Guarded:
    """An engine, and ways to call the guarded application over it."""

    memory: AsyncHindsightGraph
    clock: ManualClock

    def client(self, app: App = whoami, base_url: str = "http://127.0.0.1:8712", **policy: Any) -> httpx.AsyncClient:
        """Return a client of the application behind a policy; callers without a key are let in unless it says otherwise."""
        fields: dict[str, Any] = {"keyless": True, **policy}
        chosen = AccessPolicy(**fields)
        transport = httpx.ASGITransport(protect(app, self.memory, chosen))  # pyright: ignore[reportArgumentType]
        return httpx.AsyncClient(transport=transport, base_url=base_url)


@pytest_asyncio.fixture
async def guarded(clock: ManualClock) -> AsyncIterator[Guarded]:
    async with AsyncHindsightGraph("sqlite:///:memory:", embedder="hashing", settings=patient_settings(), clock=clock) as memory:
        yield Guarded(memory, clock)


@pytest.fixture
def problem() -> Callable[[httpx.Response], tuple[int, str]]:
    """Reads an answer as a problem: its status and code."""

    def read(response: httpx.Response) -> tuple[int, str]:
        assert response.headers["content-type"] == "application/problem+json"
        body = response.json()
        assert body["status"] == response.status_code
        assert body["type"] == f"urn:hindsight-graph:problem:{body['code']}"
        return response.status_code, body["code"]

    return read
