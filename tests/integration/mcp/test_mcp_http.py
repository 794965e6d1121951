"""The HTTP side: one path, plain JSON, no sessions, and a clear word for clients of the old transport."""

import asyncio
import json
import re
import subprocess
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from hindsight_graph.api.mcp.http import mcp_app
from hindsight_graph.errors import InputError
from tests.integration.mcp.answers import ask
from tests.integration.mcp.connect import COMMAND, opened, served

INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@asynccontextmanager
async def http(path: Path) -> AsyncGenerator[httpx.AsyncClient]:
    async with opened(path) as memory, served(mcp_app(memory)) as url, httpx.AsyncClient(base_url=url) as client:
        yield client


@pytest.mark.requirement("A-02")
async def test_an_answer_is_one_json_document_and_opens_no_session(store_path: Path) -> None:
    async with http(store_path) as client:
        answer = await client.post("/mcp", json=INITIALIZE, headers=ACCEPT)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in answer.headers
    result = answer.json()["result"]
    assert result["protocolVersion"] == "2025-11-25"
    assert result["serverInfo"]["name"] == "hindsight-graph"
    assert set(result["capabilities"]) - {"experimental"} == {"tools"}
    assert len(result["instructions"].encode()) < 2_000


@pytest.mark.requirement("A-02")
@pytest.mark.parametrize("path", ["/mcp", "/sse"])
async def test_an_sse_client_gets_an_error_that_names_the_right_transport(store_path: Path, path: str) -> None:
    async with http(store_path) as client:
        answer = await client.get(path, headers={"accept": "text/event-stream"})
        assert answer.status_code == 405
        assert answer.headers["allow"] == "POST"
        words = answer.json()["error"]["message"]
        assert "streamable HTTP" in words
        base = str(client.base_url).rstrip("/")
        assert f"the URL {base}/mcp" in words
        with pytest.raises(httpx2.HTTPStatusError, match="405"):
            async with sse_client(f"{base}{path}"):
                pass


async def test_a_body_that_is_too_large_or_no_json_is_refused_without_a_trace(store_path: Path) -> None:
    headers = {**ACCEPT, "content-type": "application/json"}
    async with http(store_path) as client:
        large = await client.post("/mcp", content=b"x" * (1024 * 1024 + 1), headers=headers)
        assert large.status_code == 413
        for body in (b"{", b"\xff\xfe", b"[" * 100_000, b'{"jsonrpc": "2.0"}', json.dumps([INITIALIZE]).encode()):
            answer = await client.post("/mcp", content=body, headers=headers)
            assert answer.status_code == 400, body[:20]
            assert "error" in answer.json()
            assert "Traceback" not in answer.text
        assert (await client.post("/mcp", json=INITIALIZE, headers=ACCEPT)).status_code == 200


async def test_a_host_can_mount_it_last_at_the_root_inside_its_own_lifespan(store_path: Path) -> None:
    async with opened(store_path) as memory:
        inner = mcp_app(memory)

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncGenerator[None]:
            async with inner.router.lifespan_context(app):
                yield

        async def hello(_: object) -> Any:
            from starlette.responses import PlainTextResponse

            return PlainTextResponse("hello")

        host = Starlette(routes=[Route("/health", hello), Mount("/", app=inner)], lifespan=lifespan)
        async with served(host) as url, httpx.AsyncClient(base_url=url) as client:
            assert (await client.get("/health")).text == "hello"
            assert (await client.post("/mcp", json=INITIALIZE, headers=ACCEPT)).status_code == 200


@pytest.mark.requirement("T-02")
@pytest.mark.parametrize(("header", "value", "status"), [("host", "evil.example", 421), ("origin", "http://evil.example", 403)])
async def test_a_request_nobody_verified_must_name_this_machine(store_path: Path, header: str, value: str, status: int) -> None:
    async with http(store_path) as client:
        answer = await client.post("/mcp", json=INITIALIZE, headers={**ACCEPT, header: value})
        assert answer.status_code == status
        assert value in answer.json()["error"]["message"]
        local = {**ACCEPT, "host": "localhost", "origin": "http://localhost:3000"}
        assert (await client.post("/mcp", json=INITIALIZE, headers=local)).status_code == 200


async def test_an_unknown_profile_is_refused_before_anything_is_served(store_path: Path) -> None:
    async with opened(store_path) as memory:
        with pytest.raises(InputError, match="unknown profile 'layer'") as refusal:
            mcp_app(memory, profile="layer")
    assert refusal.value.hint == "one of default, experience, layers"


@pytest.mark.requirement("A-02")
async def test_the_command_serves_mcp_alone_over_http_until_it_is_told_to_stop(store_path: Path) -> None:
    command = [COMMAND, "mcp", "--http", "--port", "0", "--store", f"sqlite:///{store_path}"]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=STDOUT)
    try:
        assert process.stdout is not None
        port = ""
        async for line in process.stdout:
            found = re.search(rb"Server started on port (\d+)", line)
            port = found[1].decode() if found else port
            if b"Memory service ready" in line:
                break
        async with Client(f"http://127.0.0.1:{port}/mcp", mode="2026-07-28") as client:
            await ask(client, "memory_write", content="The port of the ledger is 5433.")
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            assert (await client.get("/v1/status")).status_code == 404
            assert (await client.post("/mcp", json=INITIALIZE, headers={**ACCEPT, "host": "evil.example"})).status_code == 421
    finally:
        process.terminate()
        await process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "9"], "error: --host and --port go with --http\n"),
        (["--http", "--host", "0.0.0.0"], "key"),
        (["--http", "--port", "70000"], "error: --port is 70000\n"),
    ],
)
def test_a_wrong_address_is_one_line_and_an_exit_code(store_path: Path, words: list[str], said: str) -> None:
    command = [COMMAND, "mcp", *words, "--store", f"sqlite:///{store_path}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
