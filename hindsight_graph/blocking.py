"""A synchronous face over the async core: one daemon thread with one event loop per engine."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from hindsight_graph.errors import HindsightGraphError

P = ParamSpec("P")
R = TypeVar("R")
Core = TypeVar("Core")
Core_co = TypeVar("Core_co", covariant=True)


class BackgroundLoop:
    """An event loop in a daemon thread; calls from any thread run on it one after the other or interleaved, never at once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="hindsight-graph", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run `work` on the loop and return its result; cancels it when the caller is interrupted."""
        if self._loop.is_closed():
            work.close()
            raise HindsightGraphError("this memory is closed", hint="open a new HindsightGraph")
        if threading.current_thread() is self._thread:
            work.close()
            raise HindsightGraphError(
                "a blocking call was made on the engine's own event loop", hint="use AsyncHindsightGraph there"
            )
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._loop.is_closed()

    def close(self) -> None:
        """Stop the loop and end its thread; safe to call twice."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_end_others(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _end_others() -> None:
    """Cancel what an interrupted call left behind, and wait for its end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class Blocking(Protocol[Core_co]):
    """Something that has an async core and a loop to run it on."""

    @property
    def core(self) -> Core_co:
        """The async object."""
        ...

    @property
    def loop(self) -> BackgroundLoop:
        """Where it runs."""
        ...


def blocking(method: Callable[Concatenate[Core, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Blocking[Core], P], R]:
    """Return the blocking twin of an async method: same name, same arguments, same documentation."""

    @wraps(method)
    def call(self: Blocking[Core], /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.loop.run(method(self.core, *args, **kwargs))

    return call


class Twin(Generic[Core]):
    """The base of a blocking twin that is handed out by another one: it shares that one's loop.

    Args:
        core: The async object. loop: where it runs.
    """

    def __init__(self, core: Core, loop: BackgroundLoop) -> None:
        self.core = core
        self.loop = loop
