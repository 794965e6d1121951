"""/v1/experiences, /v1/reflections, /v1/feedback, /v1/consolidations: looking back, and what follows from it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.answers import Undone
from hindsight_graph.api.rest.bodies import OneAgent, given
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Reader, Reviewer, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey
from hindsight_graph.api.rest.lessons import (
    ConfirmReflection,
    GiveFeedback,
    ListExperiences,
    StartConsolidation,
    StartReflection,
    UndoConsolidation,
    WriteExperience,
)
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.api.rest.routes.memories import ONCE, written
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Job, Page
from hindsight_graph.models.result import Receipt
from hindsight_graph.pipelines.learn.consolidate import Consolidation
from hindsight_graph.pipelines.learn.feedback import FeedbackReceipt
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.pipelines.learn.support import CONSOLIDATE

router = APIRouter(prefix="/v1", tags=["learning"])
JobId = Annotated[str, Path(max_length=NAME_LENGTH, description="The id of the job that was promised.")]
_PLACE: dict[str, Any] = {"headers": {"Location": {"description": "The first memory written.", "schema": {"type": "string"}}}}
_JOB: dict[str, Any] = {"headers": {"Location": {"description": "The job.", "schema": {"type": "string"}}}}


def promised(job: Job) -> Response:
    """Answer 202 with the job and its place."""
    return reply(job, 202, {"location": f"/v1/jobs/{job.id}"})


@router.post(
    "/experiences",
    status_code=201,
    operation_id="writeExperience",
    response_model=Receipt,
    responses={201: _PLACE, **problems(*ONCE)},
)
async def write(caller: Writer, body: WriteExperience, idempotency_key: IdempotencyKey = None) -> Response:
    """Keep an experience as told; strategies follow it."""
    learning = caller.acting(body.agent_id).learning
    with caller.once(idempotency_key, body.agent_id):
        receipt = await learning.record(**given(body, "agent_id"), idempotency_key=idempotency_key)
        return written(receipt)


@router.get("/experiences", operation_id="listExperiences", response_model=Page[Memory], responses=problems("cursor-invalid"))
async def list_(caller: Reader, asked: Annotated[ListExperiences, Query()]) -> Response:
    """List experiences by exact filters, newest first."""
    memory = caller.acting(asked.agent_id)
    filters = given(asked, "agent_id", "cursor")
    page = await memory.list(kinds=(Kind.EXPERIENCE,), **filters, cursor=caller.unsign(asked.cursor))
    return reply(page.model_copy(update={"cursor": caller.sign(page.cursor)}))


@router.post(
    "/reflections", status_code=202, operation_id="startReflection", response_model=Job, responses={202: _JOB, **problems()}
)
async def reflect(caller: Writer, body: StartReflection) -> Response:
    """Keep a transcript and promise to look back on it; the result comes under the job's id at `/v1/reflections`."""
    learning = caller.acting(body.agent_id).learning
    messages = [message.words() for message in body.messages]
    return promised(
        await learning.reflect(messages, session_id=body.session_id, task_type=body.task_type, store=body.store, asked=body.asked)
    )


@router.get(
    "/reflections/{job_id}", operation_id="getReflection", response_model=Reflection, responses=problems("not-found", "conflict")
)
async def reflection(caller: Reader, job_id: JobId, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return what a reflection came to: experiences, what was left out and why, what followed. 409 while it is not done."""
    return reply(await caller.acting(asked.agent_id).learning.reflection(job_id))


@router.post(
    "/reflections/{job_id}/confirm",
    operation_id="confirmReflection",
    response_model=Reflection,
    responses=problems("not-found", "conflict"),
)
async def confirm(caller: Reviewer, job_id: JobId, body: ConfirmReflection) -> Response:
    """Keep what a reflection proposed, as confirmed by a person."""
    return reply(await caller.acting(body.agent_id).learning.confirm(job_id, body.keep))


@router.post(
    "/feedback",
    operation_id="giveFeedback",
    response_model=FeedbackReceipt,
    responses=problems("conflict", "idempotency-key-reused"),
)
async def feedback(caller: Writer, body: GiveFeedback) -> Response:
    """Report how a task ended that used these memories: weights and counts move, once per task."""
    learning = caller.acting(body.agent_id).learning
    return reply(await learning.feedback(body.ids, body.outcome, task_id=body.task_id, importance=body.importance))


@router.post(
    "/consolidations",
    operation_id="consolidate",
    response_model=Consolidation,
    responses={202: {"description": "The job that does it; its result is the report.", "model": Job, **_JOB}, **problems()},
)
async def consolidate(caller: Reviewer, body: StartConsolidation) -> Response:
    """Weigh every experience anew and make, revise and drop strategies, as a job; with `dry_run` say at once what it would do."""
    memory = caller.acting(body.agent_id)
    if body.dry_run:
        return reply(await memory.learning.consolidate(dry_run=True))
    return promised(await memory.jobs.enqueue(CONSOLIDATE))


@router.post(
    "/consolidations/{report_id}/undo",
    operation_id="undoConsolidation",
    response_model=Undone,
    responses=problems("not-found", "conflict"),
)
async def undo(
    caller: Reviewer,
    report_id: Annotated[str, Path(max_length=NAME_LENGTH, description="`report_id` of the report.")],
    body: UndoConsolidation,
) -> Response:
    """Take a consolidation back."""
    return reply(Undone(strategies=await caller.acting(body.agent_id).learning.undo(report_id)))
