"""`reflect`, `review`, `feedback`, `maintain`: looking back, deciding what was learned, and reporting how it went."""

from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import group, register
from hindsight_graph.errors import InputError

if TYPE_CHECKING:
    from hindsight_graph.models.memory import Memory
    from hindsight_graph.sync import HindsightGraph

Id = Annotated[str, typer.Argument(metavar="ID", help="The strategy's id, or its beginning as `review` shows it.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the audit trail.")]
Reviewer = Annotated[str, typer.Option(metavar="NAME", help="Who decides; kept in the audit trail.")]


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the commands to the app; `review` without a word of its own lists."""
    register(app, reflect, epilog=epilog)
    review = group("list", "What was learned and awaits a decision; `list` when no command is named.")
    register(review, list_, "list", epilog=epilog)
    for command in (show, approve, edit, reject, retire):
        register(review, command, epilog=epilog)
    app.add_typer(review, name="review", short_help="Decide about what was learned.")
    register(app, feedback, epilog=epilog)
    maintain = typer.Typer(help="Work on the whole memory.", rich_markup_mode=None)
    register(maintain, consolidate, epilog=epilog)
    app.add_typer(maintain, name="maintain", short_help="Work on the whole memory.")


def reflect(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Messages of one or more tasks: JSON or JSONL; - reads stdin.")],
    session: Annotated[str | None, typer.Option(metavar="ID", help="The session of messages that name none.")] = None,
    task_type: Annotated[str | None, typer.Option(metavar="WORD", help="Your name for this sort of task.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be kept; keep only the messages.")] = False,
    *,
    call: Call,
) -> None:
    """Look back on a transcript: keep what is reusable as experiences, and let strategies follow."""
    from hindsight_graph.cli.reading import read_messages  # noqa: PLC0415
    from hindsight_graph.cli.render.learn import reflection_view  # noqa: PLC0415

    source = read_messages(file)
    with call.engine() as memory, source.named_errors():
        job = memory.learning.reflect(source.messages, session_id=session, task_type=task_type, store=not dry_run)
        memory.jobs.work(kinds=("reflect",))
        found = memory.learning.reflection(job.id)
    call.show(found, lambda: reflection_view(found))


def list_(*, call: Call) -> None:
    """List strategies that await a decision, the best supported first."""
    from hindsight_graph.cli.render.learn import queue_view  # noqa: PLC0415

    with call.engine() as memory:
        waiting = memory.learning.queue()
    call.show(waiting, lambda: queue_view(waiting))


def show(strategy_id: Id, *, call: Call) -> None:
    """Show one strategy with its evidence, its counter-evidence, and what approving it would change."""
    from hindsight_graph.cli.render.learn import item_view  # noqa: PLC0415

    with call.engine() as memory:
        item = memory.learning.show(_whole(memory, strategy_id))
    call.show(item, lambda: item_view(item))


def approve(strategy_id: Id, reviewer: Reviewer = "", reason: Reason = "", *, call: Call) -> None:
    """Approve a strategy: from now on it is recalled."""
    with call.engine() as memory:
        done = memory.learning.approve(_whole(memory, strategy_id), reviewer=reviewer, reason=reason)
    _say(call, done, "approved: recalled from now on")


def edit(
    strategy_id: Id,
    guidance: Annotated[str, typer.Argument(metavar="TEXT", help="What to do, in one sentence.")],
    reviewer: Reviewer = "",
    reason: Reason = "",
    *,
    call: Call,
) -> None:
    """Approve a strategy in other words, as a new version; its evidence stays."""
    with call.engine() as memory:
        done = memory.learning.edit(_whole(memory, strategy_id), guidance, reviewer=reviewer, reason=reason)
    _say(call, done, "approved in these words")


def reject(strategy_id: Id, reviewer: Reviewer = "", reason: Reason = "", *, call: Call) -> None:
    """Reject a strategy: it is not recalled."""
    with call.engine() as memory:
        done = memory.learning.reject(_whole(memory, strategy_id), reviewer=reviewer, reason=reason)
    _say(call, done, "rejected")


def retire(strategy_id: Id, reviewer: Reviewer = "", reason: Reason = "", *, call: Call) -> None:
    """Archive an approved strategy."""
    with call.engine() as memory:
        done = memory.learning.retire(strategy_id, reviewer=reviewer, reason=reason)
    _say(call, done, "retired")


def feedback(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="The memories that the task used.")],
    outcome: Annotated[str, typer.Option(metavar="OUTCOME", help="success, failure or partial.")],
    task: Annotated[str | None, typer.Option(metavar="ID", help="Your name for the task: it counts once.")] = None,
    importance: Annotated[float, typer.Option(metavar="NUMBER", help="Of the task: 1 is ordinary, 10 the most.")] = 1.0,
    *,
    call: Call,
) -> None:
    """Report how a task ended that used these memories: their weights and counts move."""
    from hindsight_graph.cli.render.learn import feedback_view  # noqa: PLC0415

    with call.engine() as memory:
        receipt = memory.learning.feedback(ids, outcome, task_id=task, importance=importance)
    call.show(receipt, lambda: feedback_view(receipt))


def consolidate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    undo: Annotated[str | None, typer.Option(metavar="REPORT", help="Take that consolidation back.")] = None,
    *,
    call: Call,
) -> None:
    """Weigh every experience anew: make, revise and drop strategies."""
    from hindsight_graph.cli.render.learn import consolidation_view, undone_view  # noqa: PLC0415

    if undo is not None and dry_run:
        raise InputError("--undo and --dry-run exclude each other", hint="choose one")
    with call.engine() as memory:
        if undo is not None:
            ids = memory.learning.undo(undo)
            call.show(ids, lambda: undone_view(ids))
            return
        report = memory.learning.consolidate(dry_run=dry_run)
    call.show(report, lambda: consolidation_view(report))


def _whole(memory: "HindsightGraph", part: str) -> str:
    """Return the one id among those that await a decision which ends or begins so; the text itself when none or several do."""
    ids = [item.memory.id for item in memory.learning.queue()]
    found = [one for one in ids if one.startswith(part) or one.endswith(part)]
    return found[0] if len(found) == 1 else part


def _say(call: Call, memory: "Memory", what: str) -> None:
    from hindsight_graph.cli.render.memories import memories_view  # noqa: PLC0415

    call.show(memory, lambda: memories_view((memory,), what))
