"""`summarize`: what was remembered in a time window, in a session, about a thing."""

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.times import TIME_HELP, parse_time, show_time

if TYPE_CHECKING:
    from hindsight_graph.models.summary import Summary


def summarize(
    since: Annotated[str | None, typer.Option(metavar="TIME", help=f"From then on. {TIME_HELP}")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before then.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Of this session.")] = None,
    entity: Annotated[str | None, typer.Option(metavar="NAME", help="About this thing.")] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens at most. Default: setting summary_max_tokens.")
    ] = None,
    *,
    call: Call,
) -> None:
    """Sum up a time window, a session or a thing in sentences that were written, each with its sources."""
    begin, end = parse_time(since, "--since"), parse_time(until, "--until")
    with call.engine() as memory:
        found = memory.summarize(since=begin, until=end, session_id=session, entity=entity, max_tokens=max_tokens)
    call.show(found, lambda: "\n".join(_lines(found)))
    if not call.json and found.truncated:
        call.note("not every statement is in it; --max-tokens gives more")


def _lines(found: "Summary") -> list[str]:
    lines = [f"{len(found.sentences)} sentences for {found.memories} memories"]
    lines += [f"mostly about {', '.join(found.entities)}"] if found.entities else []
    for sentence in found.sentences:
        refs = f" ({', '.join(sentence.raw_refs)})" if sentence.raw_refs else ""
        lines.append(f"- {show_time(sentence.at)}  {sentence.text}  [{', '.join(sentence.memory_ids)}]{refs}")
    return lines
