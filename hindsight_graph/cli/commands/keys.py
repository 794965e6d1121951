"""`keys`: who may call a service."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hindsight_graph.cli.call import Call

if TYPE_CHECKING:
    from hindsight_graph.models.access import ApiKey
from hindsight_graph.cli.options import group, register

_SCOPES = "read, write, review, admin (all of them)"


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group to the app; without a word of its own it lists."""
    keys = group("list", "Keys for callers of a service; `list` when no command is named.")
    for command in (create, list_, revoke):
        register(keys, command, epilog=epilog)
    app.add_typer(keys, name="keys", short_help="Keys for callers of a service.")


def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who or what will use it.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help=f"What it allows: {_SCOPES}. Repeatable; read and write when absent."),
    ] = None,
    days: Annotated[float | None, typer.Option(metavar="N", min=0, help="Days until it ends; never when absent.")] = None,
    *,
    call: Call,
) -> None:
    """Make a key for the tenant and agent of --tenant and --agent. Its token is shown this once and kept nowhere."""
    from hindsight_graph.cli.render.keys import new_key_view  # noqa: PLC0415
    from hindsight_graph.pipelines.keys import DEFAULT_SCOPES  # noqa: PLC0415

    ends = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with call.engine(resume=False) as memory:
        made = memory.keys.create(name, scopes=scope or DEFAULT_SCOPES, expires_at=ends)
    call.show({"key": _shown(made.key), "token": made.token}, lambda: new_key_view(made))
    call.note("the token is shown this once; from the first key on, every caller of a service needs one")


def _shown(key: "ApiKey") -> dict[str, Any]:
    """Return what is shown of a key: not what its secret is recognised by."""
    return key.model_dump(mode="json", exclude={"secret_hash"})


def list_(
    everywhere: Annotated[bool, typer.Option("--all-tenants", help="Those of every tenant.")] = False, *, call: Call
) -> None:
    """List keys, oldest first."""
    from hindsight_graph.cli.render.keys import keys_view  # noqa: PLC0415

    with call.engine(resume=False) as memory:
        found = memory.keys.list(everywhere=everywhere)
    now = datetime.now(UTC)
    call.show([_shown(key) for key in found], lambda: keys_view(found, now))


def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The part of the token between hg_ and the next _.")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the audit trail.")] = "",
    *,
    call: Call,
) -> None:
    """End a key at once and for ever."""
    with call.engine(resume=False) as memory:
        key = memory.keys.revoke(key_id, reason=reason)
    call.show(
        {"id": key.id, "revoked_at": key.revoked_at and key.revoked_at.isoformat()}, lambda: f"revoked {key.id} ({key.name})"
    )
