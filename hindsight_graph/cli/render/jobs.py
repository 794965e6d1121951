"""Jobs."""

import json

from rich.console import Group, RenderableType
from rich.text import Text

from hindsight_graph.cli.render.marks import BAD, DIM, GOOD, KEY, WARN, more, rows
from hindsight_graph.cli.times import show_time
from hindsight_graph.models.record import Job, JobState, Page

_STYLES = {JobState.DONE: GOOD, JobState.FAILED: BAD, JobState.RUNNING: KEY, JobState.CANCELLED: DIM, JobState.QUEUED: WARN}


def jobs_view(page: Page[Job]) -> RenderableType:
    """Return a page of jobs, and how to get the next."""
    if not page.rows:
        return Text("no jobs", DIM)
    table = rows("left", "left", "left", "body")
    for job in page.rows:
        error = f"  {job.error}" if job.error and job.state is not JobState.DONE else ""
        table.add_row(_state(job), Text(job.kind), Text(show_time(job.created_at), DIM), Text(job.id).append(error, DIM))
    return Group(table, *([more(page.cursor)] if page.cursor else []))


def job_view(job: Job) -> RenderableType:
    """Return one job with everything that is known of it."""
    table = rows("left", "body")
    result = json.dumps(job.result, ensure_ascii=False) if job.result else ""
    for name, value in (
        ("id", job.id),
        ("kind", job.kind),
        ("attempts", f"{job.attempts} of {job.max_attempts}"),
        ("created", show_time(job.created_at)),
        ("not before", show_time(job.not_before) if job.not_before else ""),
        ("lease until", show_time(job.lease_until) if job.lease_until else ""),
        ("worker", job.owner or ""),
        ("finished", show_time(job.finished_at) if job.finished_at else ""),
        ("error", job.error),
        ("result", result),
    ):
        if value:
            table.add_row(Text(name, DIM), Text(value))
    stopping = Text("  its worker was asked to stop", DIM) if job.cancel_requested and not job.state.is_end else Text("")
    return Group(_state(job).append_text(stopping), table)


def _state(job: Job) -> Text:
    return Text(job.state.value, _STYLES[job.state])
