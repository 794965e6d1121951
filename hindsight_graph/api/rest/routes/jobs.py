"""/v1/jobs: long work that was promised with 202."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.bodies import ChangeJob, ListJobs, OneAgent
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.record import Job, Page

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])
Id = Annotated[str, Path(max_length=NAME_LENGTH, description="A job's id.")]


@router.get("", operation_id="listJobs", response_model=Page[Job], responses=problems("cursor-invalid"))
async def list_(caller: Reader, asked: Annotated[ListJobs, Query()]) -> Response:
    """List jobs, newest first; the dead letters are those in state `failed`."""
    page = await caller.acting(asked.agent_id).jobs.list(
        states=asked.states, kinds=asked.kinds, cursor=caller.unsign(asked.cursor), limit=asked.limit
    )
    shown = tuple(caller.shown(job) for job in page.rows)
    return reply(page.model_copy(update={"rows": shown, "cursor": caller.sign(page.cursor)}))


@router.get("/{job_id}", operation_id="getJob", response_model=Job, responses=problems("not-found"))
async def get(caller: Reader, job_id: Id, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return a job: where it stands, how often it was tried, why it failed; to administrators a model's raw words."""
    return reply(caller.shown(await caller.acting(asked.agent_id).jobs.get(job_id)))


@router.post("/{job_id}/cancel", operation_id="cancelJob", response_model=Job, responses=problems("not-found", "conflict"))
async def cancel(caller: Writer, job_id: Id, body: ChangeJob) -> Response:
    """End a queued job; ask the worker of a running one to stop."""
    return reply(caller.shown(await caller.acting(body.agent_id).jobs.cancel(job_id, reason=body.reason)))


@router.post("/{job_id}/retry", operation_id="retryJob", response_model=Job, responses=problems("not-found", "conflict"))
async def retry(caller: Writer, job_id: Id, body: ChangeJob) -> Response:
    """Queue a failed or cancelled job again."""
    return reply(caller.shown(await caller.acting(body.agent_id).jobs.retry(job_id, reason=body.reason)))
