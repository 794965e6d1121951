"""One call of a command: which store, for whom, and in which form the answer goes out."""

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hindsight_graph.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hindsight_graph.config import LoadedSettings
    from hindsight_graph.sync import HindsightGraph

WIDTH_OF_A_PIPE = 120
"""Columns when the output is no terminal and COLUMNS is not set."""


@dataclass(frozen=True, slots=True)
class Call:
    """The options every command has."""

    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, with the names of the Python models.")] = False
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="The store: sqlite:///path/file.db, or a path. Default: `config show`.")
    ] = None
    agent: Annotated[str | None, typer.Option(metavar="ID", help="On behalf of this agent.")] = None
    tenant: Annotated[str | None, typer.Option(metavar="NAME", help="In this tenant.")] = None

    def settings(self, *, quiet: bool = False) -> "LoadedSettings":
        """Read the settings, the options of this call first; notices go to stderr.

        Args:
            quiet: Log warnings only, unless a level was asked for: a command that answers and ends says the rest in its answer.
        """
        from hindsight_graph.config import load_settings  # noqa: PLC0415
        from hindsight_graph.observe.logs import configure_logging  # noqa: PLC0415
        from hindsight_graph.settings import file_url  # noqa: PLC0415

        for option, value in (("--store", self.store), ("--agent", self.agent), ("--tenant", self.tenant)):
            if value is not None and not value.strip():
                raise InputError(f"{option} is empty", hint="leave it out for the configured one")
        store = self.store if self.store is None or "://" in self.store else file_url(self.store)
        loaded = load_settings({"store_url": store, "agent_id": self.agent, "tenant": self.tenant})
        asked = loaded.origins["log_level"] != "default"
        configure_logging(loaded.settings.log_level if asked or not quiet else "warning", loaded.settings.log_format)
        for notice in loaded.notices:
            self.note(notice)
        return loaded

    @contextmanager
    def engine(self, *, resume: bool = True) -> Generator["HindsightGraph"]:
        """Open the engine for the length of a block; `resume=False` leaves unfinished jobs as they are."""
        from hindsight_graph.sync import HindsightGraph  # noqa: PLC0415

        with HindsightGraph(settings=self.settings(quiet=True).settings, resume=resume) as memory:
            yield memory

    def show(self, value: object, human: Callable[[], "RenderableType"]) -> None:
        """Print the result: `value` as JSON, or what `human` makes of it."""
        if self.json:
            print(to_json(value))
        else:
            say(human())

    def note(self, text: str) -> None:
        """Say something beside the result, on stderr."""
        print(json.dumps({"note": text}) if self.json else f"note: {text}", file=sys.stderr)


def to_json(value: object) -> str:
    """Return models, dataclasses and tuples of them as indented JSON; ASCII only where the output cannot carry more."""
    wide = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    return json.dumps(_plain(value), ensure_ascii=not wide, indent=2)


def _plain(value: object) -> Any:
    if hasattr(value, "model_dump"):
        return cast("Any", value).model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in cast("dict[str, object]", value).items()}
    return value


def say(*parts: "RenderableType") -> None:
    """Print for people on stdout; lines that do not end in a terminal end without blanks."""
    from rich.console import Group  # noqa: PLC0415

    console = stdout()
    if console.is_terminal:
        console.print(Group(*parts), crop=False)
        return
    with console.capture() as captured:
        console.print(Group(*parts), crop=False)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def stdout() -> "Console":
    """Return a console on stdout: colours on a terminal only and never under NO_COLOR; a closed pipe is an error."""
    from rich.console import Console  # noqa: PLC0415

    class Output(Console):
        """A console that leaves a closed pipe to the caller."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else WIDTH_OF_A_PIPE
    return Output(highlight=False, markup=False, emoji=False, soft_wrap=False, width=width)


@contextmanager
def progress(label: str, total: int) -> Generator[Callable[[int, int], None] | None]:
    """Give a function of what is done and how much there is, which moves a bar on stderr; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=total)
        yield lambda done, all_: bars.update(task, completed=done, total=all_)
