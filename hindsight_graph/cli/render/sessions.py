"""Sessions."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import DIM, KEY, details, rows
from hindsight_graph.models.session import WorkingMemory


def sessions_view(states: Sequence[WorkingMemory]) -> RenderableType:
    """Return a line per session: its id and goal, when it was changed, how many turns, whether it ended."""
    if not states:
        return Text("no sessions", DIM)
    table = rows("left", "body")
    for state in states:
        ended = "ended" if state.ended_at is not None else ""
        turns = f"{state.turns} turn{'' if state.turns == 1 else 's'}"
        table.add_row(Text(state.session_id, KEY), Text(state.goal or "no goal", "" if state.goal else DIM))
        table.add_row("", details([state.updated_at.strftime("%Y-%m-%d %H:%M"), turns, ended, state.agent_id or ""]))
    return table
