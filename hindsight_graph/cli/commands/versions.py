"""`update`, `history`, `revert`, `forget`, `list`, `get`: single memories and their versions."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import Filters
from hindsight_graph.cli.times import parse_time

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hindsight_graph.models.memory import Memory

Id = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the audit trail.")]


def update(
    memory_id: Id,
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="What holds now; - reads it from stdin.")] = None,
    mode: Annotated[
        str, typer.Option(metavar="WORD", help="change: the world changed; correct: it was wrong from the start.")
    ] = "change",
    confidence: Annotated[float | None, typer.Option(metavar="0..1", help="Set the confidence.")] = None,
    invalidate: Annotated[bool, typer.Option("--invalidate", help="It holds no more, and nothing takes its place.")] = False,
    occurred_at: Annotated[str | None, typer.Option(metavar="TIME", help="When it changed; now when absent.")] = None,
    reason: Reason = "",
    *,
    call: Call,
) -> None:
    """Give a memory a new version; the old one is kept, linked and no longer recalled."""
    if text == "-":
        from hindsight_graph.cli.reading import read_text  # noqa: PLC0415

        text = read_text("-")
    changed = parse_time(occurred_at, "--occurred-at")
    with call.engine() as memory:
        now = memory.update(
            memory_id, text, mode=mode, confidence=confidence, invalidate=invalidate, occurred_at=changed, reason=reason
        )
    call.show(now, lambda: _one(now))


def history(memory_id: Id, *, call: Call) -> None:
    """Show all versions of a memory, oldest first; the id of any version will do."""
    from hindsight_graph.cli.render.memories import history_view  # noqa: PLC0415

    with call.engine() as memory:
        versions = memory.history(memory_id)
    call.show(versions, lambda: history_view(versions))


def revert(memory_id: Id, reason: Reason = "", *, call: Call) -> None:
    """Make an earlier version current again, as a new version."""
    with call.engine() as memory:
        now = memory.revert(memory_id, reason=reason)
    call.show(now, lambda: _one(now))


def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories' ids.")], reason: Reason = "", *, call: Call
) -> None:
    """Archive memories: kept, and recalled only when asked for with --status archived."""
    from hindsight_graph.cli.render.memories import memories_view  # noqa: PLC0415

    with call.engine() as memory:
        archived = memory.forget(ids, reason=reason)
    call.show(archived, lambda: memories_view(archived, f"archived {len(archived)}"))


def list_(
    limit: Annotated[int, typer.Option(metavar="N", help="Memories on this page: 1 to 1000.")] = 50,
    order: Annotated[
        str, typer.Option(metavar="WORD", help="recorded_newest, recorded_oldest, event_newest or event_oldest.")
    ] = "recorded_newest",
    cursor: Annotated[str | None, typer.Option(metavar="TEXT", help="Go on where the last page ended.")] = None,
    filters: Filters = Filters(),  # noqa: B008 - frozen, and replaced by the options
    *,
    call: Call,
) -> None:
    """List memories."""
    from hindsight_graph.cli.render.memories import page_view  # noqa: PLC0415

    given: dict[str, Any] = filters.arguments()
    with call.engine() as memory:
        page = memory.list(limit=limit, order=order, cursor=cursor, **given)
    call.show(page, lambda: page_view(page))


def get(memory_id: Id, *, call: Call) -> None:
    """Show everything about one memory, in any state."""
    with call.engine() as memory:
        found = memory.get(memory_id)
    call.show(found, lambda: _one(found))


def _one(memory: "Memory") -> "RenderableType":
    from hindsight_graph.cli.render.memories import memory_view  # noqa: PLC0415

    return memory_view(memory)
