"""The SDK's own client over every transport, in both revisions of the protocol."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from starlette.types import ASGIApp

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.mcp.http import mcp_app
from hindsight_graph.api.mcp.server import make_server
from hindsight_graph.testing.patience import patient_settings

TRANSPORTS = ("memory", "stdio", "http")
MODES = ("legacy", "2026-07-28")
"""`legacy` begins with `initialize` (2025-11-25); the other names its revision in each request."""
COMMAND = str(Path(sys.executable).with_name("hindsight-graph"))


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[str]:
    """Serve an ASGI app on a free port of this machine; yields its base URL."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", ws="none"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
        listener.close()


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[AsyncHindsightGraph]:
    """Open an engine on a file."""
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing", settings=patient_settings()) as memory:
        yield memory


def stdio_command(path: Path, *words: str) -> StdioServerParameters:
    """Return what a client starts."""
    environ = {"HINDSIGHT_GRAPH_EMBEDDER": "hashing"}  # clients hand little of their own environment on
    return StdioServerParameters(
        command=COMMAND, args=["mcp", *words, "--store", f"sqlite:///{path}"], cwd=path.parent, env=environ
    )


@asynccontextmanager
async def connected(transport: str, mode: str, path: Path, profile: str = "default") -> AsyncGenerator[Client]:
    """Connect the SDK's client to a server on a store file."""
    if transport == "stdio":
        async with Client(stdio_command(path, "--profile", profile), mode=mode) as client:
            yield client
    elif transport == "memory":
        async with opened(path) as memory, Client(make_server(memory, profile=profile), mode=mode) as client:
            yield client
    else:
        async with (
            opened(path) as memory,
            served(mcp_app(memory, profile=profile)) as url,
            Client(f"{url}/mcp", mode=mode) as client,
        ):
            yield client
