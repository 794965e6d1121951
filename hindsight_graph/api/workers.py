"""One service in several processes: each listens at the same address with a store, an engine and a loop of its own.

The system gives each process a part of the connections (SO_REUSEPORT). All share the store file or server, so what one writes
the others read; the first one works on durable jobs. A process that ends by itself is started again.
"""

import asyncio
import logging
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import TypeAlias, cast

from pydantic import SecretStr

from hindsight_graph.api.access import check_bind
from hindsight_graph.api.metrics import METRICS_FOLDER, Metrics, forget_process
from hindsight_graph.api.serve import Address, Served, listening, serve_on, tell_ready
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.errors import HindsightGraphError, ServeError
from hindsight_graph.observe.logs import configure_logging
from hindsight_graph.settings import Settings

__all__ = ["serve_in_workers"]

_LOG = logging.getLogger(__name__)
_START = multiprocessing.get_context("spawn")
"""A fresh interpreter: a fork would copy threads' locks."""


Pipe: TypeAlias = "Connection[bool, bool]"


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    told: Pipe
    ready: bool = False


def serve_in_workers(settings: Settings, address: Address, served: Served, count: int, *, mcp_port: int | None = None) -> None:
    """Serve in several processes until SIGINT or SIGTERM. Requests being answered then are finished.

    Args:
        settings: Of each engine.
        address: Where REST listens, and MCP at /mcp.
        served: The faces.
        count: Processes, at least 1.
        mcp_port: MCP on a port of its own.

    Raises:
        ConfigError: The address is beyond loopback, and there is no key.
        ServeError: An address is taken or is none of this machine's; several processes cannot listen at one here, or cannot
            share the store; or a process ended before it was ready.
        StoreError: The store cannot be opened.
    """
    if not hasattr(socket, "SO_REUSEPORT"):
        raise ServeError(f"{count} processes cannot listen at one address on this system", hint="--workers 1")
    if settings.store_url.endswith(":memory:"):
        raise ServeError("several processes cannot share a store in memory", hint="--workers 1, or --store with a file")
    if settings.serve.cursor_key is None:  # a cursor may come back to another process
        key = SecretStr(secrets.token_urlsafe(32))
        settings = settings.model_copy(update={"serve": settings.serve.model_copy(update={"cursor_key": key})})
    with ExitStack() as stack:
        places = [address] if mcp_port is None else [address, Address(address.host, mcp_port)]
        bound = [stack.enter_context(_shared(place, count)) for place in places]
        asyncio.run(_check(settings, served.host))
        os.environ[METRICS_FOLDER] = stack.enter_context(tempfile.TemporaryDirectory(prefix="hindsight-graph-metrics-"))
        stack.callback(os.environ.pop, METRICS_FOLDER, None)
        _Crew(settings, served, [list(sockets) for sockets in zip(*bound, strict=True)]).run()
    _LOG.info("Memory service stopped")


async def _check(settings: Settings, host: str) -> None:
    """Open the store once, so that it is made or migrated once, and what stands in the way is told once."""
    async with AsyncHindsightGraph(settings=settings) as memory:
        await check_bind(memory, host)


@contextmanager
def _shared(address: Address, count: int) -> Generator[list[socket.socket]]:
    """Give sockets that share an address, one for each process; where somebody else listens already, nobody joins."""
    with ExitStack() as stack:
        with listening(address) as alone:
            address = Address(address.host, alone.getsockname()[1])
        yield [stack.enter_context(listening(address, is_shared=True)) for _ in range(count)]


class _Crew:
    """The processes: started, watched, started again, stopped together."""

    def __init__(self, settings: Settings, served: Served, sockets: Sequence[list[socket.socket]]) -> None:
        self._settings = settings
        self._served = served
        self._sockets = sockets
        self._workers: list[_Worker] = []
        self._stopping = False
        self._failed: int | None = None

    def run(self) -> None:
        """Run until told to stop."""
        before = {number: signal.signal(number, self._told) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            self._workers = [self._start(number) for number in range(len(self._sockets))]
            announced = False
            while any(worker.process.exitcode is None for worker in self._workers):
                self._look()
                if not announced and not self._stopping and all(worker.ready for worker in self._workers):
                    announced = True
                    tell_ready(self._sockets[0])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        if self._failed is not None:
            raise ServeError(
                f"a process of the service ended with exit code {self._failed} before it was ready",
                hint="the log above says why; --workers 1 serves in one process",
            )

    def _start(self, number: int) -> _Worker:
        here, there = _START.Pipe(duplex=False)
        served = replace(self._served, jobs=self._served.jobs and number == 0)
        process = _START.Process(
            target=_work, args=(self._settings, served, self._sockets[number], there), name=f"hindsight-graph serve {number}"
        )
        process.start()
        there.close()
        return _Worker(process, cast("Pipe", here))

    def _look(self) -> None:
        """Wait until a process says that it is ready, or ends."""
        living = [worker for worker in self._workers if worker.process.exitcode is None]
        waiting = [worker.told for worker in living if not worker.ready]
        wait([*(worker.process.sentinel for worker in living), *waiting])
        for number, worker in enumerate(self._workers):
            if not worker.ready and worker in living and worker.told.poll():
                worker.ready = _is_told(worker.told)
            if worker in living and not worker.process.is_alive() and not self._stopping:
                self._ended(number, worker)

    def _ended(self, number: int, worker: _Worker) -> None:
        """Start a process again that ended by itself; one that was never ready ends the service."""
        if not worker.ready:
            self._failed = worker.process.exitcode
            self._stop()
            return
        forget_process(worker.process.pid, os.environ[METRICS_FOLDER])
        _LOG.error("a process of the service ended with exit code %s; it is started again", worker.process.exitcode)
        self._workers[number] = self._start(number)

    def _told(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stop()

    def _stop(self) -> None:
        self._stopping = True
        for worker in self._workers:
            if worker.process.exitcode is None:
                worker.process.terminate()


def _is_told(connection: Pipe) -> bool:
    try:
        return bool(connection.recv())
    except EOFError:
        return False


def _work(settings: Settings, served: Served, bound: list[socket.socket], told: Pipe) -> None:
    """Serve in this process until the first one says so, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal's processes; the first one passes it on
    configure_logging(settings.log_level, settings.log_format)
    configure_logging("warning", settings.log_format, loggers=("uvicorn",))
    try:
        asyncio.run(_serve(settings, served, bound, told))
    except HindsightGraphError as error:
        _LOG.error("%s", error)
        sys.exit(error.exit_code)


async def _serve(settings: Settings, served: Served, bound: list[socket.socket], told: Pipe) -> None:
    loop = asyncio.get_running_loop()
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker is started by the service"

    def orphaned() -> None:
        loop.remove_reader(parent.sentinel)
        os.kill(os.getpid(), signal.SIGTERM)

    loop.add_reader(parent.sentinel, orphaned)
    counted = Metrics(folder=os.environ[METRICS_FOLDER])
    memory = AsyncHindsightGraph(settings=settings, observer=counted)
    await serve_on(memory, bound, served, metrics=counted, on_ready=lambda: told.send(True), signals=(signal.SIGTERM,))
