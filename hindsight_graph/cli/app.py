"""The tree of commands. Importing it reads no engine: `--help` stays quick."""

from typing import Annotated, Any

import typer
from typer.main import get_command

from hindsight_graph.cli.commands import (
    chain,
    entities,
    jobs,
    keys,
    learn,
    mcp,
    models,
    move,
    operate,
    recall,
    serve,
    session,
    summarize,
    versions,
    write,
)
from hindsight_graph.cli.options import register

EPILOG = (
    "Exit codes: 0 done, 1 a check failed, 2 wrong input, 3 not found, 4 conflict, 5 package missing, 6 embedding, 7 extraction, "
    "8 store, 9 address, 130 interrupted, 141 broken pipe."
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version as installed  # noqa: PLC0415

        typer.echo(f"hindsight-graph {installed('hindsight-graph')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """A memory for agents: keep what happened, recall it with reasons, follow what depends on what.

    Start with `hindsight-graph demo`. Memories live in one SQLite file; `hindsight-graph config show` says where.
    """
    del version


HELP_WIDTH = 110
"""Columns of a help text at most; narrower terminals get narrower ones."""


def build(width: int | None = None) -> typer.Typer:
    """Return the app with every command, in the order of the help.

    Args:
        width: Columns of help texts; those of the terminal, at most HELP_WIDTH, when absent.
    """
    layout = {"max_content_width": HELP_WIDTH} if width is None else {"terminal_width": width}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, epilog=EPILOG, context_settings=layout)
    app.callback(epilog=EPILOG)(_root)
    for command in (operate.demo, write.remember, write.retain, recall.recall, chain.chain, chain.impact, chain.causes):
        register(app, command, epilog=EPILOG)
    for command in (versions.update, versions.history, versions.revert, versions.forget, versions.list_, versions.get):
        register(app, command, epilog=EPILOG)
    register(app, summarize.summarize, epilog=EPILOG)
    entities.add_to(app, EPILOG)
    session.add_to(app, EPILOG)
    learn.add_to(app, EPILOG)
    mcp.add_to(app, EPILOG)
    register(app, serve.serve, epilog=EPILOG)
    models.add_to(app, EPILOG)
    jobs.add_to(app, EPILOG)
    keys.add_to(app, EPILOG)
    register(app, move.copy, epilog=EPILOG)
    register(app, operate.status, epilog=EPILOG)
    register(app, operate.doctor, epilog=EPILOG)
    operate.add_config(app, EPILOG)
    return app


def command_tree(width: int | None = None) -> Any:
    """Return the command that parses and runs everything; `width` as in `build`."""
    return get_command(build(width))
