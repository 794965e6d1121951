"""Embedding models."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, KEY, WARN, bar, details, rows
from hindsight_graph.models.embedding import ModelCheck, ModelEntry

_STYLES = {"ready": GOOD, "installable": WARN, "missing": BAD}


def entries_view(entries: Sequence[ModelEntry]) -> RenderableType:
    """Return each model: its state, its name and what it is good for, and what it takes to use it."""
    table = rows("left", "body")
    for entry in entries:
        name = Text(entry.name, KEY)
        marks = ("this store", entry.is_used), ("auto for a new store", entry.is_default)
        for mark, is_so in marks:
            if is_so:
                name.append(f"  {mark}", "cyan")
        table.add_row(Text(entry.state, _STYLES[entry.state]), name)
        dimension = f"{entry.dimension} dimensions" if entry.dimension else ""
        table.add_row("", details([entry.about, dimension, entry.licence]))
        if entry.detail:
            table.add_row("", Text(f"-> {entry.detail}", DIM))
    return table


def check_view(found: ModelCheck) -> RenderableType:
    """Return how fast a model is, and its two cosines as bars."""
    table = rows("left", "left", "body")
    table.add_row("an answer", bar(found.similar), Text(f"{found.similar:.3f}"))
    table.add_row("no answer", bar(found.different), Text(f"{found.different:.3f}"))
    speed = f"{found.milliseconds:.1f} ms for a question, {found.per_second:.0f} short passages a second"
    return Group(Text(f"{found.name}, {found.dimension} dimensions", KEY), details([speed]), table)
