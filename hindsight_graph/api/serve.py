"""The one composition of a running service: REST, MCP at /mcp, the worker of durable jobs, one open engine under all of them."""

import asyncio
import contextlib
import errno
import logging
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight_graph.api.access import AccessPolicy, check_bind, protect
from hindsight_graph.api.access.asgi import refuse
from hindsight_graph.api.metrics import Metrics, metrics_app
from hindsight_graph.api.request_ids import RequestIds
from hindsight_graph.api.rest import make_app
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.errors import ServeError
from hindsight_graph.models.access import PRINCIPAL, KeyScope, Principal

__all__ = ["Address", "Faces", "Served", "faces", "listening", "serve", "serve_on", "tell_ready"]

PATH_OF_MCP = "/mcp"
_LOG = logging.getLogger(__name__)
_GRACE_SECONDS = 10
"""How long requests may still take once the service is told to stop."""
_TENANTS_WARMED = 16
"""How many tenants' searches are loaded at the start; a store keeps a bounded number of them in memory."""
_IDLE_SECONDS = 30
"""How long a connection may be silent before it is closed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen: a host name or address, and a port; 0 takes a free one."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Faces:
    """The ASGI applications of a service: `web` on its main address, `mcp` on an address of its own where one is asked for."""

    web: ASGIApp
    mcp: ASGIApp | None = None


@asynccontextmanager
async def faces(
    memory: AsyncHindsightGraph,
    *,
    host: str = "127.0.0.1",
    mcp: bool = True,
    apart: bool = False,
    profile: str = "default",
    metrics: Metrics | None = None,
    jobs: bool = True,
) -> AsyncGenerator[Faces]:
    """Put the faces of an open engine together, and run what has to run beside them.

    Args:
        memory: The open engine.
        host: Where they will be reached; beyond loopback callers need a key.
        mcp: Whether to serve MCP too.
        apart: MCP on an address of its own instead of at /mcp beside REST.
        profile: Names of the MCP tools.
        metrics: What the engine's `observer` counts, shown at /metrics; without, there is no such path.
        jobs: Whether to work on durable jobs.

    Raises:
        InputError: There is no such profile. MissingExtraError: MCP is asked for, and its SDK is not installed.
    """
    key = memory.settings.serve.cursor_key
    rest = make_app(memory, cursor_key=None if key is None else key.get_secret_value().encode())
    if metrics is not None:
        shown = _Metrics(metrics_app(metrics, memory.totals))
        rest.router.routes.append(Route("/metrics", endpoint=shown, include_in_schema=False))
    policy = AccessPolicy.of(memory.settings.access, host)
    async with AsyncExitStack() as stack:
        other: ASGIApp | None = None
        if mcp:
            from hindsight_graph.api.mcp import mcp_app  # noqa: PLC0415 - the SDK is heavy and optional

            tools = mcp_app(memory, profile=profile)
            # A host does not run the lifespan of what it holds, and without it the SDK's session manager answers nothing.
            await stack.enter_async_context(tools.router.lifespan_context(tools))
            if apart:
                other = tools
            else:
                # A route, not a mount: at /mcp that would answer at /mcp/mcp, at / it would swallow unknown paths.
                rest.router.routes.append(Route(PATH_OF_MCP, endpoint=tools, include_in_schema=False))
        if jobs:
            await stack.enter_async_context(_worker(memory))
        yield Faces(_guarded(rest, memory, policy), None if other is None else _guarded(other, memory, policy))


def _guarded(app: ASGIApp, memory: AsyncHindsightGraph, policy: AccessPolicy) -> ASGIApp:
    return RequestIds(protect(app, memory, policy))


class _Metrics:
    """Shows the metrics to operators: they count over all tenants, so a key needs the scope `admin`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal | None = scope.get(PRINCIPAL)
        if principal is not None and not principal.may(KeyScope.ADMIN):
            detail = "/metrics counts over all tenants and needs a key with the scope 'admin'"
            await refuse(scope, send, "forbidden", detail, "use a key made with --scope admin")
            return
        await self._app(scope, receive, send)


@asynccontextmanager
async def _worker(memory: AsyncHindsightGraph) -> AsyncGenerator[None]:
    """Work on durable jobs for the length of a block."""
    task = asyncio.create_task(memory.jobs.worker().run(), name="hindsight-graph worker")
    task.add_done_callback(_tell_end)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _tell_end(task: asyncio.Task[None]) -> None:
    """Say at once when the worker ended by itself: jobs then wait for the next start, or for `hindsight-graph worker`."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("the worker of jobs ended: %s", type(error).__name__)


async def serve(
    memory: AsyncHindsightGraph,
    address: Address,
    *,
    mcp: bool = True,
    mcp_port: int | None = None,
    rest: bool = True,
    profile: str = "default",
    metrics: Metrics | None = None,
) -> None:
    """Serve an engine until SIGINT or SIGTERM; opens it and closes it. Requests being answered then are finished.

    Args:
        memory: The engine, not yet open.
        address: Where REST listens, and MCP at /mcp.
        mcp: Whether to serve MCP too.
        mcp_port: MCP on a port of its own.
        rest: Whether to serve REST; without, MCP alone is at `address`.
        profile: Names of the MCP tools.
        metrics: The engine's `observer`, shown at /metrics.

    Raises:
        ConfigError: The address is beyond loopback, and there is no key.
        ServeError: An address is taken or is none of this machine's.
        StoreError: The store cannot be opened.
    """
    served = Served(address.host, mcp=mcp, rest=rest, profile=profile)
    with contextlib.ExitStack() as open_sockets:
        main = open_sockets.enter_context(listening(address))
        second = None if mcp_port is None else open_sockets.enter_context(listening(Address(address.host, mcp_port)))
        bound = [main] if second is None else [main, second]
        await serve_on(memory, bound, served, metrics=metrics, on_ready=lambda: tell_ready(bound))
    _LOG.info("Memory service stopped")


@dataclass(frozen=True, slots=True)
class Served:
    """What is served: on behalf of which host name or address, and which faces.

    Attributes:
        jobs: Whether to work on durable jobs beside.
    """

    host: str
    mcp: bool = True
    rest: bool = True
    profile: str = "default"
    jobs: bool = True


async def serve_on(
    memory: AsyncHindsightGraph,
    bound: Sequence[socket.socket],
    served: Served,
    *,
    on_ready: Callable[[], None],
    metrics: Metrics | None = None,
    signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM),
) -> None:
    """Serve an engine on sockets that listen until one of the signals comes; opens it and closes it.

    Args:
        memory: The engine, not yet open.
        bound: Where REST listens, and MCP at /mcp; a second one is for MCP alone.
        served: The faces.
        on_ready: Called once all of them answer.
        metrics: The engine's `observer`, shown at /metrics.
        signals: What ends it.
    """
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(memory)
        await check_bind(memory, served.host)
        await _warm(memory)
        apart = len(bound) > 1 or not served.rest
        made = await stack.enter_async_context(
            faces(
                memory, host=served.host, mcp=served.mcp, apart=apart, profile=served.profile, metrics=metrics, jobs=served.jobs
            )
        )
        servers = [(_Server(made.web if served.rest or made.mcp is None else made.mcp), bound[0])]
        if made.mcp is not None and len(bound) > 1:
            servers.append((_Server(made.mcp), bound[1]))
        await _run(servers, on_ready, signals)


def tell_ready(bound: Sequence[socket.socket]) -> None:
    """Say where the service listens, and that it does."""
    for each in bound:
        _LOG.info("Server started on port %d", each.getsockname()[1])
    _LOG.info("Memory service ready")


async def _warm(memory: AsyncHindsightGraph) -> None:
    """Load what first calls would wait for: the model, and what is searched of the tenants that have keys, newest keys first."""
    await memory.ready()
    keys = await memory.keys.list(everywhere=True)
    tenants = dict.fromkeys(key.tenant for key in reversed(keys) if key.revoked_at is None)
    for tenant in reversed([memory.principal.tenant, *tenants][:_TENANTS_WARMED]):
        await memory.acting_for(tenant=tenant).warm()


@contextmanager
def listening(address: Address, *, is_shared: bool = False) -> Generator[socket.socket]:
    """Give a socket bound to an address: taken ports are told before anything is opened.

    Args:
        address: Where.
        is_shared: Several sockets of this user may listen there, and each gets a part of the connections (SO_REUSEPORT).

    Raises:
        ServeError: The address is taken or is none of this machine's.
    """
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise ServeError(f"{address.host} is no address: {error}", hint="--host 127.0.0.1") from error
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind(place)
        bound.listen(2048)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise ServeError(
                f"port {address.port} on {address.host} is taken", hint=f"stop what listens there, or --port {address.port + 10}"
            ) from error
        raise ServeError(
            f"cannot listen on {address.host} port {address.port}: {error.strerror}", hint="choose another --host or --port"
        ) from error
    try:
        yield bound
    finally:
        bound.close()


class _Server(uvicorn.Server):
    """A server that says when it is up, and leaves signals to whoever runs it."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app, lifespan="off", log_config=None, access_log=False, server_header=False, ws="none",
                timeout_graceful_shutdown=_GRACE_SECONDS, timeout_keep_alive=_IDLE_SECONDS,
            )
        )  # fmt: skip
        self.up = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals alone: two servers in one process stop together."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self.up.set()


async def _run(
    servers: Sequence[tuple[_Server, socket.socket]], on_ready: Callable[[], None], signals: Sequence[signal.Signals]
) -> None:
    def stop() -> None:
        for server, _ in servers:
            server.force_exit = server.should_exit
            server.should_exit = True

    with _on_signals(signals, stop):
        async with asyncio.TaskGroup() as group:
            for server, bound in servers:
                group.create_task(server.serve(sockets=[bound]))
            for server, _ in servers:
                await server.up.wait()
            on_ready()


@contextmanager
def _on_signals(signals: Sequence[signal.Signals], stop: Callable[[], None]) -> Generator[None]:
    """Call `stop` on signals for the length of a block."""
    loop = asyncio.get_running_loop()

    def told(number: int, frame: FrameType | None) -> None:
        del number, frame
        loop.call_soon_threadsafe(stop)

    before = {number: signal.getsignal(number) for number in signals}
    for number in before:
        # Not loop.add_signal_handler, which Windows does not have.
        signal.signal(number, told)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
