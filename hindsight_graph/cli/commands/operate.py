"""`demo`, `status`, `doctor`, `config show`: looking at the thing itself."""

from typing import Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import group, register


def demo(
    keep: Annotated[
        str | None, typer.Option(metavar="PATH", help="Keep the store in this new file instead of leaving nothing behind.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every answer as JSON instead.")] = False,
) -> None:
    """Tell a three-week story, remember it, and answer questions about it: real output, in a temporary store."""
    from hindsight_graph.cli.demo.run import run_demo  # noqa: PLC0415

    run_demo(keep=keep, as_json=json)


def status(*, call: Call) -> None:
    """Show what the memory holds and what it runs on."""
    from hindsight_graph.cli.render.operate import status_view  # noqa: PLC0415

    with call.engine() as memory:
        found = memory.status()
    call.show(found, lambda: status_view(found))


def doctor(*, call: Call) -> int:
    """Say what works, what is missing, and the command that mends it; exit code 1 when something is wrong."""
    from hindsight_graph.cli.render.operate import checks_view  # noqa: PLC0415
    from hindsight_graph.errors import StoreError  # noqa: PLC0415
    from hindsight_graph.models.status import Check  # noqa: PLC0415

    try:
        with call.engine() as memory:
            checks = memory.doctor()
    except StoreError as error:
        checks = (Check(name="store", ok=False, detail=error.message, fix=error.hint),)
    call.show(checks, lambda: checks_view(checks))
    return 0 if all(check.ok for check in checks) else 1


def show(*, call: Call) -> None:
    """Show every setting with its value and where the value came from."""
    from hindsight_graph.cli.render.operate import settings_view  # noqa: PLC0415

    rows = call.settings().rows()
    call.show(rows, lambda: settings_view(rows))


def add_config(app: typer.Typer, epilog: str) -> None:
    """Add the group `config`; without a word of its own it shows."""
    config = group("show", "Settings; `show` when no command is named.")
    register(config, show, epilog=epilog)
    app.add_typer(config, name="config", short_help="Settings.")
