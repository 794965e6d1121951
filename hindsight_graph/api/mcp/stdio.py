"""MCP over stdin and stdout: for one agent on one machine.

A client starts the process and wants its tools at once, so settings are read and the engine is imported and opened only after
they were listed, or at the first call; what is wrong with them is then told by the tool, where an agent sees it. Only JSON-RPC
goes to stdout: the SDK points file descriptor 1 at stderr for everything else.
"""

import asyncio
import logging
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from hindsight_graph.api.mcp.server import make_server

if TYPE_CHECKING:
    from hindsight_graph.api.mcp.server import Memory
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.settings import Settings

_LOG = logging.getLogger(__name__)
_AFTER_LIST_S = 0.05
"""Seconds for the list of tools to leave before the engine is imported."""


class LazyMemory:
    """The engine, imported and opened at the first need, or the service that the settings name; tried again when that failed.

    Args:
        load: Reads the settings it is opened with.
    """

    def __init__(self, load: "Callable[[], Settings]") -> None:
        self._load = load
        self._opening: asyncio.Task[Memory] | None = None
        self._memory: Memory | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._warming: asyncio.Task[None] | None = None

    async def __call__(self) -> "Memory":
        """Return what is open; raises what opening it raises."""
        if self._memory is not None:
            return self._memory
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open())
        memory = await asyncio.shield(self._opening)
        self._memory = memory
        return memory

    def warm(self) -> None:
        """Open it soon, in the background, and load its model; an error is left to the first call, which tries again."""
        if self._opening is None and self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(_AFTER_LIST_S, self._begin)

    def _begin(self) -> None:
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(self._warm_up)

    def _warm_up(self, opening: "asyncio.Task[Memory]") -> None:
        """Load what the first calls would wait for: a model that is made at its first use takes longer than a call may."""
        _note(opening)
        if opening.cancelled() or opening.exception() is not None or not hasattr(opening.result(), "warm"):
            return
        self._warming = asyncio.create_task(cast("AsyncHindsightGraph", opening.result()).warm())
        self._warming.add_done_callback(_note)

    async def _open(self) -> "Memory":
        memory = await asyncio.to_thread(self._make)
        return await memory.open()

    def _make(self) -> "Memory":
        from hindsight_graph.api.mcp.elsewhere import Elsewhere  # noqa: PLC0415 - the point of this class
        from hindsight_graph.engine import AsyncHindsightGraph  # noqa: PLC0415 - the point of this class

        settings = self._load()
        return Elsewhere.of(settings) or AsyncHindsightGraph(settings=settings)

    async def close(self) -> None:
        """Close what was opened, also what is being opened just now; nothing is opened after that."""
        if self._soon is not None:
            self._soon.cancel()
        if self._opening is None:
            return
        await asyncio.wait([self._opening])
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait([self._warming])
        if self._opening.exception() is None:
            await self._opening.result().close()


def _note(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.warning("the memory could not be opened yet: %s", error)


class Answering:
    """The stream of what a client sends, whose lines that are no JSON-RPC are answered, where the SDK would drop them silently.

    Args:
        lines: The SDK's stream: a message, or the exception that reading one raised. answers: where the client reads.
    """

    def __init__(self, lines: Any, answers: Any) -> None:
        self._lines = lines
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lines, name)

    async def aclose(self) -> None:
        """Close the stream."""
        await self._lines.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Return the next message; raises StopAsyncIteration at the end."""
        while isinstance(line := await anext(self._lines), Exception):
            await self._refuse(line)
        return line

    async def receive(self) -> Any:
        """Return the next message; raises anyio.EndOfStream at the end."""
        while isinstance(line := await self._lines.receive(), Exception):
            await self._refuse(line)
        return line

    async def __aenter__(self) -> Self:
        await self._lines.__aenter__()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> bool | None:
        return await self._lines.__aexit__(exc_type, exc_val, exc_tb)

    async def _refuse(self, error: Exception) -> None:
        is_json = (
            not any(found["type"] == "json_invalid" for found in error.errors()) if isinstance(error, ValidationError) else True
        )
        code, words = (INVALID_REQUEST, "this is no JSON-RPC message") if is_json else (PARSE_ERROR, "this line is no JSON")
        told = ErrorData(code=code, message=f"{words}; send one JSON-RPC 2.0 object per line")
        await self._answers.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=told)))


async def serve_stdio(load: "Callable[[], Settings]", *, profile: str = "default") -> None:
    """Serve until stdin ends.

    Args:
        load: Reads the settings; called when the engine is first needed.
        profile: Names of the tools.

    Raises:
        InputError: There is no such profile.
    """
    memory = LazyMemory(load)
    server = make_server(memory, profile=profile, on_listed=memory.warm)
    try:
        async with stdio_server() as (reader, writer):
            await server.run(Answering(reader, writer), writer, server.create_initialization_options())
    finally:
        await memory.close()
