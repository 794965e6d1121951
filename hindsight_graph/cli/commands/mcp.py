"""`mcp`: the MCP server for agents, and the line that makes a client use it."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.commands.serve import serve_over_http
from hindsight_graph.cli.options import group, register
from hindsight_graph.errors import ConfigError, InputError

if TYPE_CHECKING:
    from hindsight_graph.settings import Settings

HTTP_PORT = 8713
"""Port of MCP alone (promise O-02)."""
Profile = Annotated[
    str, typer.Option(metavar="NAME", help="Names of the tools: default, experience or layers, for agents prompted with those.")
]


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group to the app; without a word of its own it serves."""
    mcp = group("serve", "Memory as MCP tools for agents; `serve` when no command is named.")
    for command in (serve, config):
        register(mcp, command, epilog=epilog)
    app.add_typer(mcp, name="mcp", short_help="Memory as MCP tools for agents.")


def serve(
    profile: Profile = "default",
    http: Annotated[bool, typer.Option("--http", help="Serve many agents over streamable HTTP at /mcp instead.")] = False,
    host: Annotated[str | None, typer.Option(metavar="ADDRESS", help="With --http: listen there. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(metavar="N", help=f"With --http: the port. Default: {HTTP_PORT}.")] = None,
    *,
    call: Call,
) -> None:
    """Serve one agent over stdin and stdout, until stdin ends; or with --http many, until Ctrl-C.

    A client starts this command itself: `hindsight-graph mcp config` prints what to give it. Several may share one store file.
    """
    import asyncio  # noqa: PLC0415
    from importlib.util import find_spec  # noqa: PLC0415

    from hindsight_graph.errors import MissingExtraError  # noqa: PLC0415

    if http:
        serve_over_http(call, host=host, port=HTTP_PORT if port is None else port, rest=False, profile=profile)
        return
    if host is not None or port is not None:
        raise InputError("--host and --port go with --http", hint="add --http, or drop them to serve over stdin and stdout")
    if find_spec("mcp") is None:
        raise MissingExtraError("the MCP server needs the MCP SDK", hint="pip install 'hindsight-graph[mcp]'")
    from hindsight_graph.api.mcp.stdio import serve_stdio  # noqa: PLC0415 - reads the SDK

    asyncio.run(serve_stdio(lambda: _settings(call), profile=profile))


def _settings(call: Call) -> "Settings":
    """Read the settings; a running service decides by its key what a store's options would say here."""
    settings = call.settings().settings
    if settings.hindsight_api_url is not None and (call.store or call.agent or call.tenant):
        raise ConfigError(
            f"hindsight_api_url is {settings.hindsight_api_url}: that service and its key decide on store, agent and tenant",
            hint="drop --store, --agent and --tenant, or unset HINDSIGHT_API_URL",
        )
    return settings


def config(
    client: Annotated[
        str, typer.Option(metavar="NAME", help="claude-code, claude-desktop, cursor, vscode, codex or gemini.")
    ] = "claude-code",
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Reach a running service there, as http://127.0.0.1:8712/mcp.")
    ] = None,
    profile: Profile = "default",
    *,
    call: Call,
) -> None:
    """Print what a client needs to use this memory; the options given here are kept in it."""
    from hindsight_graph.api.mcp.clients import snippet  # noqa: PLC0415
    from hindsight_graph.api.mcp.table import find_profile  # noqa: PLC0415

    find_profile(profile)
    if url is not None and (call.store or call.agent or call.tenant or profile != "default"):
        raise InputError(
            "--url names a running service, which decides by itself on store, agent, tenant and profile", hint="drop them"
        )
    words = [_program(), "mcp"]
    for option, value in (("--profile", profile if profile != "default" else None), ("--store", call.store)):
        words += [option, value] if value else []
    for option, value in (("--agent", call.agent), ("--tenant", call.tenant)):
        words += [option, value] if value else []
    made = snippet(client, command=words, url=url or "")
    if not call.json:
        call.note(f"for {made.place}")
    call.show(made, lambda: made.text)


def _program() -> str:
    """Return the command by its name where that finds this very program, else by its path: clients may have another PATH."""
    here = Path(sys.executable).with_name("hindsight-graph")
    found = shutil.which("hindsight-graph")
    if found is not None and Path(found).resolve() == here.resolve():
        return "hindsight-graph"
    return str(here) if here.exists() else "hindsight-graph"
