"""`chain`, `impact`, `causes`: whole paths through the graph."""

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.times import parse_time

if TYPE_CHECKING:
    from hindsight_graph.models.result import Chains

Name = Annotated[str, typer.Argument(metavar="NAME", help="An entity, or the id of a memory.")]
Hops = Annotated[int | None, typer.Option(metavar="N", help="1 to 6. Default: setting chain.max_hops.")]
Limit = Annotated[int | None, typer.Option(metavar="N", help="Paths at most. Default: setting chain.limit.")]


def chain(
    name: Name,
    direction: Annotated[
        str, typer.Option(metavar="WORD", help="out: what it depends on; in: what depends on it; both.")
    ] = "out",
    to: Annotated[str | None, typer.Option(metavar="NAME", help="Only paths that end there.")] = None,
    relation: Annotated[
        list[str] | None, typer.Option(metavar="TYPE", help="Only this relation, as DEPENDS_ON. Repeatable; all when absent.")
    ] = None,
    max_hops: Hops = None,
    limit: Limit = None,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="As it was at that time of the world.")] = None,
    known_at: Annotated[str | None, typer.Option(metavar="TIME", help="As it was on record at that time.")] = None,
    *,
    call: Call,
) -> None:
    """Follow relations from a thing: whole paths, with the memory that states each step.

    Relations: DEPENDS_ON, CAUSES, FIXES, USES, AVOIDS, PREFERS, REPLACES, PART_OF, PRODUCES, PRECEDES, OWNS, LOCATED_IN,
    RELATED_TO.
    """
    as_of_time, known_time = parse_time(as_of, "--as-of"), parse_time(known_at, "--known-at")
    with call.engine() as memory:
        chains = memory.chain(
            name,
            end=to,
            direction=direction,
            relations=relation or None,
            max_hops=max_hops,
            limit=limit,
            as_of=as_of_time,
            known_at=known_time,
        )
    _show(call, chains, f"no path leads {'against' if direction == 'in' else 'on'} from {chains.start}")


def impact(name: Name, max_hops: Hops = None, limit: Limit = None, *, call: Call) -> None:
    """What breaks if this changes: what depends on it or uses it, and what it causes, produces or is part of."""
    with call.engine() as memory:
        chains = memory.impact(name, max_hops=max_hops, limit=limit)
    _show(call, chains, f"nothing on record would break if {chains.start} changed")


def causes(name: Name, max_hops: Hops = None, limit: Limit = None, *, call: Call) -> None:
    """Why this happened: what caused it, and what caused that."""
    with call.engine() as memory:
        chains = memory.causes(name, max_hops=max_hops, limit=limit)
    _show(call, chains, f"no cause of {chains.start} is on record")


def _show(call: Call, chains: "Chains", nothing: str) -> None:
    from hindsight_graph.cli.render.chains import chains_view  # noqa: PLC0415

    call.show(chains, lambda: chains_view(chains, nothing))
    if not call.json:
        for text in chains.notes:
            call.note(text)
