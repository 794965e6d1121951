"""Status, checks and settings."""

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, KEY, rows
from hindsight_graph.config import SettingRow
from hindsight_graph.models.status import Check, EngineStatus


def status_view(status: EngineStatus) -> RenderableType:
    """Return what the memory holds and what it runs on."""
    stats = status.stats
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(stats.memories_by_kind.items()))
    states = ", ".join(f"{number} {state}" for state, number in sorted(stats.memories_by_status.items()))
    table = rows("left", "body")
    for name, value in (
        ("version", status.version),
        (
            "store",
            f"{status.store.kind} at {status.store.location}, {_size(stats.size_bytes)}, schema {status.store.schema_version}",
        ),
        ("scope", f"tenant {status.tenant}" + (f", agent {status.agent_id}" if status.agent_id else "")),
        ("memories", f"{stats.memories}" + (f": {kinds}" if kinds else "")),
        ("", states),
        ("entities", f"{stats.entities}"),
        ("relations", f"{stats.edges} edges"),
        ("episodes", f"{stats.episodes}"),
        ("sessions", f"{stats.sessions}"),
        ("jobs", f"{stats.open_jobs} open"),
        ("embedder", f"{status.embedder.name}, {status.embedder.dimension} dimensions"),
        ("extractor", status.extractor),
    ):
        if value:
            table.add_row(Text(name, DIM), Text(value))
    return table


def checks_view(checks: Iterable[Check]) -> RenderableType:
    """Return each finding, with what mends it below."""
    table = rows("left", "left", "body")
    for check in checks:
        mark = Text("ok", GOOD) if check.ok else Text("FAIL", f"bold {BAD}")
        table.add_row(mark, Text(check.name, KEY), Text(check.detail))
        if check.fix:
            table.add_row("", "", Text(f"-> {check.fix}", DIM))
    return table


def settings_view(settings: Sequence[SettingRow]) -> RenderableType:
    """Return name, value and origin of each setting."""
    table = rows("left", "body")
    for row in settings:
        value = "unset" if row.value is None else str(row.value)
        line = Text(value, DIM if row.value is None else KEY)
        table.add_row(Text(row.name), line if row.origin == "default" else line.append(f"  ({row.origin})", "cyan"))
    return table


def _size(number: float) -> str:
    for unit in ("bytes", "KB", "MB"):
        if number < 1024:
            return f"{number:.0f} {unit}"
        number /= 1024
    return f"{number:.1f} GB"
