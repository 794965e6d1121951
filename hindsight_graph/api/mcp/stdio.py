"""MCP over stdin and stdout: for one agent on one machine.

A client starts the process and wants its tools at once, so settings are read and the engine is imported and opened only after
they were listed, or at the first call; what is wrong with them is then told by the tool, where an agent sees it. Only JSON-RPC
goes to stdout: the SDK points file descriptor 1 at stderr for everything else.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from hindsight_graph.api.mcp.server import make_server

if TYPE_CHECKING:
    from hindsight_graph.api.mcp.server import Memory
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
        """Open it soon, in the background; an error is left to the first call, which tries again."""
        if self._opening is None and self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(_AFTER_LIST_S, self._begin)

    def _begin(self) -> None:
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(_note)

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
        if self._opening.exception() is None:
            await self._opening.result().close()


def _note(opening: "asyncio.Task[Memory]") -> None:
    if not opening.cancelled() and (error := opening.exception()) is not None:
        _LOG.warning("the memory could not be opened yet: %s", error)


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
            await server.run(reader, writer, server.create_initialization_options())
    finally:
        await memory.close()
