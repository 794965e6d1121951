"""`entities`: what memories are about; merging and splitting names."""

from typing import Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import group, register

Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the audit trail.")]


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group to the app; without a word of its own it lists."""
    entities = group("list", "List, merge and split entities; `list` when no command is named.")
    register(entities, list_, epilog=epilog)
    register(entities, merge, epilog=epilog)
    register(entities, split, epilog=epilog)
    app.add_typer(entities, name="entities", short_help="List, merge and split entities.")


def list_(
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="Only names that begin so.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", help="Entities on this page.")] = 100,
    cursor: Annotated[str | None, typer.Option(metavar="TEXT", help="Go on where the last page ended.")] = None,
    *,
    call: Call,
) -> None:
    """List entities by name."""
    from hindsight_graph.cli.render.entities import entities_view  # noqa: PLC0415

    with call.engine() as memory:
        page = memory.entities(prefix=prefix, cursor=cursor, limit=limit)
    call.show(page, lambda: entities_view(page))


def merge(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The name that will stand for the other.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The entity that stays.")],
    reason: Reason = "",
    force: Annotated[bool, typer.Option("--force", help="Merge although digits or types speak against it.")] = False,
    *,
    call: Call,
) -> None:
    """Make SOURCE stand for TARGET; undone by `entities split SOURCE`."""
    from hindsight_graph.cli.render.entities import entity_view  # noqa: PLC0415

    with call.engine() as memory:
        entity = memory.merge_entities(source, target, reason=reason, force=force)
    call.show(entity, lambda: entity_view(entity))


def split(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that was merged into another.")],
    reason: Reason = "",
    *,
    call: Call,
) -> None:
    """Undo a merge: the name stands for itself again."""
    from hindsight_graph.cli.render.entities import entity_view  # noqa: PLC0415

    with call.engine() as memory:
        entity = memory.split_entity(name, reason=reason)
    call.show(entity, lambda: entity_view(entity))
