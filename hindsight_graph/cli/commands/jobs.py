"""`jobs` and `worker`: long work that is kept in the store, and who does it."""

from typing import Annotated

import typer

from hindsight_graph.cli.call import Call
from hindsight_graph.cli.options import group, register

Id = Annotated[str, typer.Argument(metavar="ID", help="The job's id.")]
Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why; kept in the audit trail.")]
_STATES = "queued, running, done, failed (given up), cancelled"


def add_to(app: typer.Typer, epilog: str) -> None:
    """Add the group `jobs`, which lists without a word of its own, and `worker`."""
    jobs = group("list", "Long work kept in the store; `list` when no command is named.")
    for command in (list_, show, cancel, retry):
        register(jobs, command, epilog=epilog)
    app.add_typer(jobs, name="jobs", short_help="Long work kept in the store.")
    register(app, worker, epilog=epilog)


def list_(
    state: Annotated[list[str] | None, typer.Option(metavar="STATE", help=f"Only these: {_STATES}. Repeatable.")] = None,
    kind: Annotated[list[str] | None, typer.Option(metavar="KIND", help="Only this kind, as extract. Repeatable.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", help="Jobs on this page.")] = 50,
    cursor: Annotated[str | None, typer.Option(metavar="TEXT", help="Go on where the last page ended.")] = None,
    *,
    call: Call,
) -> None:
    """List jobs, newest first."""
    from hindsight_graph.cli.render.jobs import jobs_view  # noqa: PLC0415

    with call.engine(resume=False) as memory:
        page = memory.jobs.list(states=state, kinds=kind, cursor=cursor, limit=limit)
    call.show(page, lambda: jobs_view(page))


def show(job_id: Id, *, call: Call) -> None:
    """Show one job: where it stands, what it came to, why it failed."""
    from hindsight_graph.cli.render.jobs import job_view  # noqa: PLC0415

    with call.engine(resume=False) as memory:
        job = memory.jobs.get(job_id)
    call.show(job, lambda: job_view(job))


def cancel(job_id: Id, reason: Reason = "", *, call: Call) -> None:
    """Cancel a queued job, or ask the worker of a running one to stop it."""
    from hindsight_graph.cli.render.jobs import job_view  # noqa: PLC0415

    with call.engine(resume=False) as memory:
        job = memory.jobs.cancel(job_id, reason=reason)
    call.show(job, lambda: job_view(job))


def retry(job_id: Id, reason: Reason = "", *, call: Call) -> None:
    """Queue a job again that was given up or cancelled."""
    from hindsight_graph.cli.render.jobs import job_view  # noqa: PLC0415

    with call.engine(resume=False) as memory:
        job = memory.jobs.retry(job_id, reason=reason)
    call.show(job, lambda: job_view(job))


def worker(
    once: Annotated[bool, typer.Option("--once", help="Do what is due, then leave.")] = False,
    *,
    call: Call,
) -> None:
    """Work on jobs of every tenant until Ctrl-C or SIGTERM; several may run on one store. `serve` has one inside."""
    import asyncio  # noqa: PLC0415

    from hindsight_graph.cli.working import work  # noqa: PLC0415

    loaded = call.settings()
    done = asyncio.run(work(loaded.settings, once=once, say=call.note))
    if once:
        call.show({"done": done}, lambda: f"{done} jobs done")
