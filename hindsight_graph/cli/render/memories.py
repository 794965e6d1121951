"""Memories: one, a page of them, and the versions of one."""

import json
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import DIM, GOOD, KEY, details, interval, memory_details, more, rows, sources
from hindsight_graph.cli.times import show_time
from hindsight_graph.models.enums import Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Page


def memory_view(memory: Memory) -> RenderableType:
    """Return every field of a memory that says something."""
    table = rows("left", "body")
    for name, value in _fields(memory):
        if value:
            table.add_row(Text(name, DIM), Text(value, KEY if name == "summary" else ""))
    return table


def memories_view(memories: Iterable[Memory], title: str = "") -> RenderableType:
    """Return memories one under the other, each with its details."""
    table = rows("body")
    for memory in memories:
        table.add_row(Text(memory.summary, KEY))
        table.add_row(memory_details(memory))
    return Group(Text(title), table) if title else table


def page_view(page: Page[Memory]) -> RenderableType:
    """Return a page, and how to get the next."""
    if not page.rows:
        return Text("no memories", DIM)
    return Group(memories_view(page.rows), *([more(page.cursor)] if page.cursor else []))


def history_view(versions: Sequence[Memory], *, ids: bool = True) -> RenderableType:
    """Return the versions of a memory, oldest first, each with its state and the time it holds."""
    table = rows("left", "left", "body")
    unsure = len({memory.confidence for memory in versions}) > 1
    for memory in versions:
        style = GOOD if memory.is_current and memory.status is Status.ACTIVE else DIM
        table.add_row(Text(f"v{memory.version}", KEY), Text(memory.status.value, style), Text(memory.summary))
        retired = f"retired {show_time(memory.retired_at)}" if memory.retired_at else ""
        confidence = f"confidence {memory.confidence:.2f}" if unsure else ""
        table.add_row("", "", details([interval(memory), retired, confidence, sources(memory.raw_refs)]))
        if ids:
            table.add_row("", "", details([memory.id]))
    return table


def _fields(memory: Memory) -> Iterable[tuple[str, str]]:
    slot = memory.slot
    return (
        ("summary", memory.summary),
        ("id", memory.id),
        ("kind", memory.kind.value + (" (negated)" if memory.negated else "")),
        ("status", memory.status.value + ("" if memory.is_current else " (not current)")),
        ("version", f"{memory.version}" + (f" of {memory.root_id}" if memory.root_id != memory.id else "")),
        ("holds", interval(memory)),
        ("recorded", show_time(memory.recorded_at)),
        ("confirmed", show_time(memory.confirmed_at) if memory.confirmed_at else ""),
        ("retired", show_time(memory.retired_at) if memory.retired_at else ""),
        ("expires", show_time(memory.expires_at) if memory.expires_at else "never"),
        ("entities", ", ".join(memory.entity_names)),
        ("relations", "; ".join(f"{relation.source} {relation.type} {relation.target}" for relation in memory.relations)),
        ("slot", f"{slot.subject} / {slot.attribute} = {slot.value}" if slot else ""),
        ("evidence", ", ".join(memory.raw_refs)),
        ("episodes", ", ".join(memory.episode_ids)),
        ("tags", ", ".join(memory.tags)),
        ("confidence", f"{memory.confidence:.2f}"),
        ("trust", f"{memory.trust:.2f} (origin {memory.origin.value})"),
        ("importance", f"{memory.importance:g}" if memory.importance != 1 else ""),
        ("priority", f"{memory.priority}" if memory.priority else ""),
        ("agent", f"{memory.agent_id} ({memory.visibility.value})" if memory.agent_id else ""),
        ("session", memory.session_id or ""),
        ("task type", memory.task_type or ""),
        ("outcome", memory.outcome.value if memory.outcome else ""),
        ("tools", ", ".join(memory.tools)),
        ("error code", memory.error_code or ""),
        ("media type", memory.media_type or ""),
        ("payload", json.dumps(memory.payload, ensure_ascii=False) if memory.payload else ""),
    )
