"""`serve`: the memory as a service over HTTP."""

from typing import Annotated

import typer

from hindsight_graph.cli.call import Call


def serve(
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Listen there. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help="Port of REST, and of MCP at /mcp. Default: 8712.")] = None,
    mcp_port: Annotated[int | None, typer.Option(metavar="N", help="A port of its own for MCP, as 8713.")] = None,
    mcp: Annotated[bool, typer.Option("--mcp/--no-mcp", help="Serve MCP too.")] = True,
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="Names of the MCP tools: default, experience or layers.")
    ] = "default",
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="Processes that share the address; 0: as many as processors.")
    ] = None,
    *,
    call: Call,
) -> None:
    """Serve REST on 8712, MCP at /mcp, and work on durable jobs, until Ctrl-C.

    Requests being answered are finished first. Several services may share one store file.
    """
    serve_over_http(call, host=host, port=port, mcp_port=mcp_port, mcp=mcp, profile=profile, workers=workers)


def serve_over_http(
    call: Call,
    *,
    host: str | None = None,
    port: int | None = None,
    mcp_port: int | None = None,
    mcp: bool = True,
    rest: bool = True,
    profile: str = "default",
    workers: int | None = None,
) -> None:
    """Serve the faces asked for until Ctrl-C; what is not given is as configured."""
    import asyncio  # noqa: PLC0415
    import os  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    from hindsight_graph.engine import AsyncHindsightGraph  # noqa: PLC0415
    from hindsight_graph.errors import InputError, MissingExtraError  # noqa: PLC0415
    from hindsight_graph.observe.logs import configure_logging  # noqa: PLC0415
    from hindsight_graph.settings import MOST_WORKERS  # noqa: PLC0415

    settings = call.settings().settings
    for option, number in (("--port", port), ("--mcp-port", mcp_port)):
        if number is not None and not 0 <= number <= 65_535:
            raise InputError(f"{option} is {number}", hint="0 to 65535; 0 takes a free one")
    if workers is not None and not 0 <= workers <= MOST_WORKERS:
        raise InputError(f"--workers is {workers}", hint=f"1 to {MOST_WORKERS}; 0 for as many as there are processors")
    for extra, package in (("server", "fastapi"), ("server", "uvicorn"), *((("mcp", "mcp"),) if mcp else ())):
        if find_spec(package) is None:
            raise MissingExtraError(f"`serve` needs {package}", hint=f"pip install 'hindsight-graph[{extra}]'")
    from hindsight_graph.api import serve as service  # noqa: PLC0415 - reads the web libraries
    from hindsight_graph.api.metrics import Metrics  # noqa: PLC0415 - reads the web libraries

    configure_logging("warning", settings.log_format, loggers=("uvicorn",))
    chosen = settings.serve
    address = service.Address(chosen.host if host is None else host, chosen.port if port is None else port)
    own = chosen.mcp_port if mcp_port is None else mcp_port
    apart = own if mcp and rest else None
    count = chosen.workers if workers is None else workers
    count = count or min(os.cpu_count() or 1, MOST_WORKERS)
    if count > 1:
        from hindsight_graph.api.workers import serve_in_workers  # noqa: PLC0415 - reads the web libraries

        served = service.Served(address.host, mcp=mcp, rest=rest, profile=profile)
        serve_in_workers(settings, address, served, count, mcp_port=apart)
        return
    counted = Metrics()
    memory = AsyncHindsightGraph(settings=settings, observer=counted)
    asyncio.run(service.serve(memory, address, mcp=mcp, mcp_port=apart, rest=rest, profile=profile, metrics=counted))
