"""`recall`: a question, its answer, and why."""

import json
from typing import Annotated, Any

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import Filters
from hindsight_graph.errors import InputError


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The question.")],
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", metavar="N", help="Results at most. Default: setting recall.top_k.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every component of each score, and what each stage did.")
    ] = False,
    expect: Annotated[
        str | None, typer.Option(metavar="ID", help="Say where this memory stands in the answer, or where it was lost.")
    ] = None,
    graph: Annotated[bool, typer.Option("--graph/--no-graph", help="Follow relations from what was found.")] = True,
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="Scoring profile: balanced, additive, multiplicative, experience.")
    ] = None,
    weight: Annotated[
        list[str] | None, typer.Option(metavar="NAME=NUMBER", help="Change a weight of the profile. Repeatable.")
    ] = None,
    token_budget: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens of all results together. Default: setting recall.token_budget.")
    ] = None,
    cursor: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Go on where the last answer of this question ended.")
    ] = None,
    context: Annotated[
        bool, typer.Option("--context", help="Print the results as a prompt-ready <memory_context> block.")
    ] = False,
    filters: Filters = Filters(),  # noqa: B008 - frozen, and replaced by the options
    *,
    call: Call,
) -> None:
    """Find memories for a question."""
    given: dict[str, Any] = {"graph": graph, **filters.arguments()}
    given.update(top_k=top_k, token_budget=token_budget, profile=profile, weights=_weights(weight), cursor=cursor)
    if context and (call.json or expect):
        raise InputError("--context prints text; it goes with neither --json nor --expect", hint="choose one")
    with call.engine() as memory:
        if expect is not None:
            from hindsight_graph.cli.render.hits import expectation_view  # noqa: PLC0415

            expectation = memory.expect(expect, query, **given)
            call.show(expectation, lambda: expectation_view(expectation))
            return
        answer = memory.recall(query, **given)
    if context:
        from hindsight_graph.pipelines.context import format_memory_context  # noqa: PLC0415

        print(format_memory_context(answer.results))
        return
    from hindsight_graph.cli.render.hits import answer_view  # noqa: PLC0415

    call.show(answer, lambda: answer_view(answer, explain=explain))


def _weights(given: list[str] | None) -> dict[str, float] | None:
    weights: dict[str, float] = {}
    for item in given or ():
        name, _, number = item.partition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise InputError(
                f"--weight {json.dumps(item)} is not of the form NAME=NUMBER", hint="as --weight keyword=0.5"
            ) from None
    return weights or None
