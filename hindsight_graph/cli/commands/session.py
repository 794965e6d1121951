"""`session`: the working memory of one session."""

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call, to_json
from hindsight_graph.cli.options import group, register
from hindsight_graph.cli.times import parse_time
from hindsight_graph.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from hindsight_graph.models.session import WorkingMemory

Id = Annotated[str, typer.Argument(metavar="ID", help="The session's id: any short text.")]


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group to the app; without a word of its own it shows."""
    session = group("show", "The working memory of a session; `show` when no command is named.")
    for command in (list_, show, append, goal, constraint, step, end):
        register(session, command, epilog=epilog)
    app.add_typer(session, name="session", short_help="The working memory of a session.")


def list_(
    limit: Annotated[int, typer.Option(metavar="N", help="Sessions at most, 1 to 1000.")] = 50,
    *,
    call: Call,
) -> None:
    """List the sessions, last changed first."""
    with call.engine() as memory:
        states = memory.sessions(limit=limit)
    from hindsight_graph.cli.render.sessions import sessions_view  # noqa: PLC0415

    call.show(states, lambda: sessions_view(states))


def show(
    session_id: Id,
    token_budget: Annotated[int | None, typer.Option(metavar="N", help="Drop the oldest content to fit into N tokens.")] = None,
    *,
    call: Call,
) -> None:
    """Print the working memory as a Markdown list, ready for a prompt."""
    from hindsight_graph.pipelines.session_markdown import to_markdown  # noqa: PLC0415

    if call.json and token_budget is not None:
        raise InputError("--token-budget shortens the Markdown form; --json prints everything", hint="choose one")
    with call.engine() as memory:
        state = memory.session(session_id).state()
    if state.version == 0:
        raise NotFoundError(
            f"there is no session {session_id!r}", hint=f"`hindsight-graph session append {session_id} TEXT` starts one"
        )
    # Printed as it is: a wrapped line would no longer read back.
    print(to_json(state) if call.json else to_markdown(state, token_budget), end="\n" if call.json else "")


def append(
    session_id: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The words; - reads them from stdin.")],
    role: Annotated[str, typer.Option(metavar="WORD", help="user, assistant, tool, system, or another word.")] = "user",
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Who spoke, or the tool.")] = None,
    occurred_at: Annotated[str | None, typer.Option(metavar="TIME", help="When; now when absent.")] = None,
    raw_ref: Annotated[str | None, typer.Option(metavar="REF", help="Your name for the message.")] = None,
    *,
    call: Call,
) -> None:
    """Add one interaction; older ones are compressed when it is due."""
    if text == "-":
        from hindsight_graph.cli.reading import read_text  # noqa: PLC0415

        text = read_text("-")
    message = {
        "role": role,
        "name": name,
        "content": text,
        "raw_ref": raw_ref,
        "occurred_at": parse_time(occurred_at, "--occurred-at"),
    }
    with call.engine() as memory:
        state = memory.session(session_id).append(message)
    _done(call, state, f"{state.turns} turns, {len(state.recent)} of them verbatim")


def goal(
    session_id: Id, text: Annotated[str, typer.Argument(metavar="TEXT", help="At most 500 characters.")], *, call: Call
) -> None:
    """Say what the session is for."""
    with call.engine() as memory:
        state = memory.session(session_id).goal(text)
    _done(call, state, f"goal: {state.goal}")


def constraint(
    session_id: Id, text: Annotated[str, typer.Argument(metavar="TEXT", help="At most 200 characters.")], *, call: Call
) -> None:
    """Add a constraint by hand; those that messages state are found without this."""
    with call.engine() as memory:
        state = memory.session(session_id).constraint(text)
    _done(call, state, f"{len(state.constraints)} constraints")


def step(
    session_id: Id,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="The next step; none only finishes the current one.")
    ] = None,
    *,
    call: Call,
) -> None:
    """Finish the current step and start the next."""
    with call.engine() as memory:
        state = memory.session(session_id).step(text)
    now = f"now: {state.current_step}" if state.current_step else "no current step"
    _done(call, state, f"{len(state.finished_steps)} steps finished, {now}")


def end(
    session_id: Id,
    extract: Annotated[
        bool, typer.Option("--extract/--no-extract", help="Keep what the window holds in long-term memory first.")
    ] = True,
    reflect: Annotated[
        bool | None, typer.Option("--reflect/--no-reflect", help="Look back on it; the policy decides when not said.")
    ] = None,
    *,
    call: Call,
) -> None:
    """End the session; `worker` does the job that looks back on it."""
    with call.engine() as memory:
        state = memory.session(session_id).end(extract=extract, reflect=reflect)
    also = f"; job {state.reflection_id} looks back on it" if state.reflection_id else ""
    _done(call, state, f"ended after {state.turns} turns{also}")


def _done(call: Call, state: "WorkingMemory", what: str) -> None:
    call.show(state, lambda: f"session {state.session_id}: {what}")
