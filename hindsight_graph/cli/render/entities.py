"""Entities."""

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import DIM, KEY, details, more, rows
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.record import Page


def entities_view(page: Page[Entity]) -> RenderableType:
    """Return a page of entities, and how to get the next."""
    if not page.rows:
        return Text("no entities", DIM)
    table = rows("left", "body")
    for entity in page.rows:
        table.add_row(Text(entity.type.value, DIM), _line(entity))
    return Group(table, *([more(page.cursor)] if page.cursor else []))


def entity_view(entity: Entity) -> RenderableType:
    """Return one entity with what it is and where it stands."""
    stands = "stands for itself" if entity.is_canonical else f"stands for {entity.canonical_id}"
    return Group(_line(entity), details([entity.type.value, stands, entity.id]))


def _line(entity: Entity) -> Text:
    line = Text(entity.name, KEY)
    return line.append(f"  also {', '.join(entity.aliases)}", DIM) if entity.aliases else line
