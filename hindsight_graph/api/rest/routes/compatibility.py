"""Plain endpoints for callers that know other memory services: thin over the same engine, without a version in the path."""

from fastapi import APIRouter, Response

from hindsight_graph.api.rest.answers import (
    PlainExperience,
    PlainExperiences,
    PlainLesson,
    PlainReflection,
    PlainResult,
    PlainResults,
    PlainWritten,
    PromisedReflection,
    StoredExperience,
)
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey
from hindsight_graph.api.rest.lessons import PlainReflect
from hindsight_graph.api.rest.plain import PlainSearch, PlainStore, PlainWrite, RetrieveExperiences
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.api.rest.routes.memories import ONCE
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.experience import ExperienceHit
from hindsight_graph.models.result import Hit

router = APIRouter(prefix="/memory", tags=["compatibility"])
plain = APIRouter(tags=["compatibility"])
"""What has no prefix at all."""
_WAIT_S = 5.0


@router.post("/write", status_code=201, operation_id="plainWrite", response_model=PlainWritten, responses=problems(*ONCE))
async def write(caller: Writer, body: PlainWrite, idempotency_key: IdempotencyKey = None) -> Response:
    """Remember one statement; answers its id and where it stands."""
    with caller.once(idempotency_key, body.agent_id):
        receipt = await caller.acting(body.agent_id).remember(
            body.summary,
            kind=body.type,
            entities=body.entities,
            relations=body.relations,
            confidence=body.confidence,
            raw_ref=body.raw_ref,
            ttl_days=body.ttl,
            occurred_at=body.timestamp,
            tags=body.tags,
            session_id=body.session_id,
            idempotency_key=idempotency_key,
        )
    memory = receipt.memories[0]
    return reply(PlainWritten(id=memory.id, status=memory.status), 201)


@router.post("/search", operation_id="plainSearch", response_model=PlainResults, responses=problems())
async def search(caller: Reader, body: PlainSearch) -> Response:
    """Find memories for a question."""
    found = await caller.acting(body.agent_id).recall(
        body.query, top_k=body.top_k, kinds=(body.type,) if body.type else None, entities=body.entities, tags=body.tags
    )
    return reply(PlainResults(results=tuple(map(_result, found.results)), degraded=found.degraded))


@router.post(
    "/store", status_code=201, operation_id="storeExperience", response_model=StoredExperience, responses=problems(*ONCE)
)
async def store(caller: Writer, body: PlainStore, idempotency_key: IdempotencyKey = None) -> Response:
    """Keep an experience: where it was learned, what was done, how it ended, what it teaches."""
    with caller.once(idempotency_key, body.agent_id):
        receipt = await caller.acting(body.agent_id).learning.record(
            context=body.context,
            action=body.action,
            outcome=body.known_outcome,
            ended=body.outcome,
            lesson=body.lesson,
            tags=body.tags,
            tools=body.tools,
            task_type=body.task_type,
            error_code=body.error_code,
            session_id=body.session_id,
            idempotency_key=idempotency_key,
        )
    return reply(StoredExperience(id=receipt.memories[0].id), 201)


@router.post("/retrieve", operation_id="retrieveExperiences", response_model=PlainExperiences, responses=problems())
async def retrieve(caller: Reader, body: RetrieveExperiences) -> Response:
    """Find experiences that fit a task."""
    found = await caller.acting(body.agent_id).recall(
        body.query, top_k=body.top_k, kinds=(Kind.EXPERIENCE,), tags=body.tags, tool=body.tool, task_type=body.task_type,
        outcome=body.outcome,
    )  # fmt: skip
    results = tuple(PlainExperience(**ExperienceHit.of(hit.memory, hit.score).model_dump()) for hit in found.results)
    return reply(PlainExperiences(results=results, degraded=found.degraded))


@plain.post(
    "/reflect",
    status_code=202,
    operation_id="plainReflect",
    response_model=PromisedReflection,
    responses={200: {"description": "What was found, as `wait` asked.", "model": PlainReflection}, **problems("conflict")},
)
async def reflect(caller: Writer, body: PlainReflect) -> Response:
    """Look back on messages. Answers 202 with the job's id; with `wait` the experiences found, if they are within 5 seconds."""
    memory = caller.acting(body.agent_id)
    messages = [message.words() for message in body.messages]
    if not body.extract_experience:
        task_id = (await memory.retain(messages, session_id=body.session_id, defer=True)).job_id or ""
    else:
        task_id = (await memory.learning.reflect(messages, session_id=body.session_id, task_type=body.task_type)).id
        if body.wait and (found := await memory.learning.settle(task_id, _WAIT_S)) is not None:
            kept = [ExperienceHit.of(await memory.get(name)) for name in (*found.memory_ids, *found.known)]
            entries = tuple(PlainLesson(**hit.model_dump(exclude={"weight", "score"})) for hit in kept)
            return reply(PlainReflection(task_id=task_id, entries=entries))
    return reply(PromisedReflection(task_id=task_id), 202, {"location": f"/v1/jobs/{task_id}"})


def _result(hit: Hit) -> PlainResult:
    memory = hit.memory
    return PlainResult(
        id=memory.id,
        type=memory.kind.value,
        summary=memory.summary,
        entities=memory.entity_names,
        confidence=memory.confidence,
        timestamp=memory.valid_from,
        score=hit.score,
    )
