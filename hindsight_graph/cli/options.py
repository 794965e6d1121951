"""Options that many commands share: a command takes a dataclass, and each of its fields becomes an option."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from hindsight_graph.cli.entry import BROKEN_PIPE
from hindsight_graph.cli.times import TIME_HELP, parse_time

Command = Callable[..., int | None]

_KINDS = "fact, preference, action, result, constraint, experience, strategy"
_STATUSES = "active (the default), pending, stale, quarantined, superseded, expired, archived, rejected"


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories: the filters of `recall` and `list`."""

    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help=f"Only this kind: {_KINDS}. Repeatable.")] = None
    entity: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only memories that mention one of these. Repeatable.")
    ] = None
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only memories that carry all of these. Repeatable.")] = (
        None
    )
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only memories of this session.")] = None
    since: Annotated[str | None, typer.Option(metavar="TIME", help=f"Only what happened from then on. {TIME_HELP}")] = None
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only what happened before then.")] = None
    task_type: Annotated[str | None, typer.Option(metavar="WORD", help="Only memories of this type of task.")] = None
    outcome: Annotated[str | None, typer.Option(metavar="OUTCOME", help="success, failure or partial.")] = None
    tool: Annotated[str | None, typer.Option(metavar="NAME", help="Only memories in which this tool was used.")] = None
    error_code: Annotated[str | None, typer.Option(metavar="CODE", help="Only memories with this error code.")] = None
    media_type: Annotated[str | None, typer.Option(metavar="TYPE", help="Only this media type, as image/png.")] = None
    status: Annotated[list[str] | None, typer.Option(metavar="STATUS", help=f"{_STATUSES}. Repeatable.")] = None
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="What was true at that time of the world.")] = None
    known_at: Annotated[str | None, typer.Option(metavar="TIME", help="What was on record at that time.")] = None

    def arguments(self) -> dict[str, Any]:
        """Return them by the engine's names, times parsed, absent ones left out."""
        given: dict[str, Any] = {
            "kinds": self.kind,
            "entities": self.entity,
            "tags": self.tag,
            "session_id": self.session,
            "since": parse_time(self.since, "--since"),
            "until": parse_time(self.until, "--until"),
            "task_type": self.task_type,
            "outcome": self.outcome,
            "tool": self.tool,
            "error_code": self.error_code,
            "media_type": self.media_type,
            "statuses": self.status,
            "as_of": parse_time(self.as_of, "--as-of"),
            "known_at": parse_time(self.known_at, "--known-at"),
        }
        return {name: value for name, value in given.items() if value is not None and value != []}


def register(app: typer.Typer, command: Command, name: str | None = None, epilog: str = "") -> None:
    """Add a command whose dataclass parameters are spread out as options; its docstring is the help."""
    title = name or command.__name__.rstrip("_").replace("_", "-")
    text = inspect.getdoc(command) or ""
    app.command(title, help=text, short_help=text.partition("\n")[0], epilog=epilog)(_spread(command))


def group(default: str, title: str) -> typer.Typer:
    """Return a group of commands that runs `default` when its first word names none of them."""

    class DefaultGroup(TyperGroup):
        """Inserts the default command."""

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if args[:1] != ["--help"] and (not args or args[0] not in self.commands):
                args = [default, *args]
            return super().parse_args(ctx, args)

    return typer.Typer(cls=DefaultGroup, help=title, rich_markup_mode=None)


def _spread(command: Command) -> Command:
    """Return `command` with each dataclass parameter replaced by its fields."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[Any], tuple[str, ...]]] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        inner = get_type_hints(hint, include_extras=True)
        shown = [field for field in fields(hint) if field.init]
        groups[parameter.name] = (hint, tuple(field.name for field in shown))  # pyright: ignore[reportArgumentType]
        for field in shown:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=inner[field.name])
            )

    @wraps(command)
    def call(**given: Any) -> int | None:
        for name, (kind, names) in groups.items():
            given[name] = kind(**{field: given.pop(field) for field in names})
        try:
            code = command(**given)
            sys.stdout.flush()
        except BrokenPipeError:
            return BROKEN_PIPE
        return code

    del call.__wrapped__  # signatures are read from here, not from the original
    call.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call
