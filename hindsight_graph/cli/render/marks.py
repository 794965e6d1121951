"""The small pieces every view is made of: bars, detail lines, two-line rows."""

from collections.abc import Iterable

from rich.table import Table
from rich.text import Text

from hindsight_graph.cli.times import show_date, show_time
from hindsight_graph.learning.standing import standing_of
from hindsight_graph.models.enums import Status
from hindsight_graph.models.memory import Memory

DIM = "dim"
GOOD = "green"
BAD = "red"
WARN = "yellow"
KEY = "bold"
BAR_WIDTH = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: float, width: int = BAR_WIDTH, style: str = "cyan") -> Text:
    """Return a bar that fills `share` (0..1) of `width` columns, to the eighth of a column."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    whole, rest = divmod(eighths, 8)
    drawn = "█" * whole + (_EIGHTHS[rest] if rest else "")
    return Text(drawn.ljust(width), style=style)


def details(parts: Iterable[str]) -> Text:
    """Return the dim line under a statement; empty parts are left out."""
    return Text(" · ".join(part for part in parts if part), style=DIM)


def memory_details(memory: Memory, evidence: Iterable[str] = (), *, ids: bool = True) -> Text:
    """Return kind, time, state, evidence and id of a memory on one line."""
    status = "" if memory.status is Status.ACTIVE else memory.status.value
    refs = sources(evidence or memory.raw_refs)
    told = (text if name in ("outcome", "support") else f"{name} {text}" for name, text in standing_of(memory).items())
    return details([memory.kind.value, show_date(memory.valid_from), status, *told, refs, memory.id if ids else ""])


def more(cursor: str | None) -> Text:
    """Return how to get what did not fit; unbroken, so that it can be copied."""
    return Text(f"more: --cursor {cursor}" if cursor else "there is more", style=DIM, no_wrap=True, overflow="ignore")


def sources(raw_refs: Iterable[str], shown: int = 3) -> str:
    """Return the first evidence names, and how many more there are."""
    refs = list(raw_refs)
    more = f" +{len(refs) - shown}" if len(refs) > shown else ""
    return ", ".join(refs[:shown]) + more


def interval(memory: Memory) -> str:
    """Return the event time in which a memory holds."""
    return (
        f"{show_time(memory.valid_from)} to {show_time(memory.valid_to)}"
        if memory.valid_to
        else f"since {show_time(memory.valid_from)}"
    )


def rows(*columns: str) -> Table:
    """Return a table without lines whose last column takes the width; a column is `left` or `right`."""
    table = Table.grid(padding=(0, 1), expand=True)
    for column in columns[:-1]:
        table.add_column(justify="right" if column == "right" else "left", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    return table
