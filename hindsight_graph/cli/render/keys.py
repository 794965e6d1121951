"""API keys."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, KEY, details, rows
from hindsight_graph.cli.times import show_time
from hindsight_graph.models.access import ApiKey, NewKey


def new_key_view(made: NewKey) -> RenderableType:
    """Return a new key's token on a line of its own, so that it can be copied."""
    return Group(Text(made.token, KEY, no_wrap=True, overflow="ignore"), _details(made.key))


def keys_view(keys: Sequence[ApiKey], now: datetime) -> RenderableType:
    """Return each key with its state."""
    if not keys:
        return Text("no keys: callers on this machine need none", DIM)
    table = rows("left", "left", "body")
    for key in keys:
        state = "valid" if key.is_valid(now) else "revoked" if key.revoked_at else "expired"
        table.add_row(Text(state, GOOD if state == "valid" else BAD), Text(key.id), Text(key.name, KEY))
        table.add_row("", "", _details(key))
    return table


def _details(key: ApiKey) -> Text:
    ends = f"until {show_time(key.expires_at)}" if key.expires_at else ""
    agent = f"agent {key.agent_id}" if key.agent_id else ""
    return details([f"tenant {key.tenant}", agent, ", ".join(sorted(key.scopes)), ends])
