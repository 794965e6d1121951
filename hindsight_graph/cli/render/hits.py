"""Answers of recall, and why."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, WARN, bar, memory_details, more, rows
from hindsight_graph.models.result import Answer, Component, Expectation, GraphPath, Hit


def answer_view(answer: Answer, *, explain: bool = False, ids: bool = True) -> RenderableType:
    """Return the results, best first; with `explain` every component of each score and every stage."""
    return Group(*_answer(answer, explain, ids))


def expectation_view(expectation: Expectation) -> RenderableType:
    """Return where an expected memory stands."""
    good = expectation.verdict == "returned"
    parts: list[RenderableType] = [
        Text.assemble((expectation.verdict.replace("_", " "), GOOD if good else WARN), ": ", expectation.explanation)
    ]
    if expectation.hit is not None:
        parts.append(Text(expectation.hit.summary))
        parts.append(memory_details(expectation.hit.memory, expectation.hit.evidence))
        parts.append(_components(expectation.hit.components))
    if expectation.gaps:
        table = _table("component", "this one", "last returned", "gap")
        for name, (mine, last) in sorted(expectation.gaps.items(), key=lambda item: item[1][0] - item[1][1]):
            table.add_row(name, f"{mine:.3f}", f"{last:.3f}", Text(f"{mine - last:+.3f}", BAD if mine < last else GOOD))
        parts.append(table)
    return Group(*parts)


def path_text(path: GraphPath) -> Text:
    """Return a path as one line: names and the relations between."""
    line = Text(path.nodes[0] if path.nodes else "")
    for hop, name in zip(path.hops, path.nodes[1:], strict=False):
        line.append(f" <-{hop.relation}- " if hop.against else f" -{hop.relation}-> ", DIM).append(name)
    return line


def _answer(answer: Answer, explain: bool, ids: bool) -> Iterator[RenderableType]:
    if not answer.results:
        yield Text("nothing found", DIM)
    best = max((hit.score for hit in answer.results), default=0.0)
    table = rows("right", "right", "left", "body")
    for number, hit in enumerate(answer.results, start=1):
        share = hit.score / best if best > 0 else 0.0
        table.add_row(Text(str(number), DIM), Text(f"{hit.score:.3f}"), bar(share), Text(hit.summary, "bold"))
        table.add_row("", "", "", memory_details(hit.memory, hit.evidence, ids=ids))
        if hit.path is not None and hit.path.hops:
            table.add_row("", "", "", Text.assemble(("via ", DIM), path_text(hit.path)))
        if explain:
            table.add_row("", "", "", _explained(hit))
    if answer.results:
        yield table
    for conflict in answer.conflicts:
        yield Text(f"conflict: {conflict.preferred} is preferred to {conflict.other}: {conflict.reason}", WARN)
    if answer.degraded:
        yield Text(f"degraded: {'; '.join(answer.reasons)}", WARN)
    if answer.truncated:
        yield more(answer.cursor if ids else None)
    if explain:
        yield from _trace(answer)


def _explained(hit: Hit) -> RenderableType:
    found = Text(f"found by {', '.join(hit.sources)}", DIM) if hit.sources else Text("")
    return Group(_components(hit.components), found)


def _components(components: dict[str, Component]) -> Table:
    table = _table("component", "measured", "value", "weight", "adds")
    table.add_column("")
    largest = max((abs(part.contribution) for part in components.values()), default=0.0)
    for name, part in components.items():
        share = abs(part.contribution) / largest if largest > 0 else 0.0
        table.add_row(
            name,
            f"{part.raw:.3f}",
            f"{part.value:.3f}",
            f"{part.weight:.2f}",
            f"{part.contribution:.3f}",
            bar(share, 6, "magenta"),
        )
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=DIM, pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left", no_wrap=True)
    return table


def _trace(answer: Answer) -> Iterator[RenderableType]:
    trace = answer.trace
    yield Text("")
    yield Text.assemble(
        ("profile ", DIM), trace.profile, ("  language ", DIM), trace.language, ("  tokens ", DIM), str(answer.tokens)
    )
    if trace.entities:
        yield Text.assemble(("entities ", DIM), ", ".join(trace.entities))
    if trace.terms:
        yield Text.assemble(("terms ", DIM), " ".join(trace.terms))
    table = _table("stage", "ms")
    table.add_column("")
    for stage in trace.stages:
        notes = [*(f"{name} {number}" for name, number in stage.counts.items()), *stage.notes]
        notes += [f"degraded: {stage.degraded}"] if stage.degraded else []
        table.add_row(stage.name, f"{stage.milliseconds:.1f}", Text(", ".join(notes), DIM))
    yield table
