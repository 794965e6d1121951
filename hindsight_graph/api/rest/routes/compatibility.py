"""Plain endpoints for callers that know other memory services: thin over the same engine, without a version in the path."""

from typing import Any

from fastapi import APIRouter, Response

from hindsight_graph.api.rest.answers import (
    PlainExperience,
    PlainExperiences,
    PlainResult,
    PlainResults,
    PlainWritten,
    StoredExperience,
)
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey
from hindsight_graph.api.rest.plain import PlainSearch, PlainStore, PlainWrite, RetrieveExperiences
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.api.rest.routes.memories import ONCE
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.experience import EXPERIENCE
from hindsight_graph.models.result import Hit

router = APIRouter(prefix="/memory", tags=["compatibility"])


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
        receipt = await caller.acting(body.agent_id).remember(
            body.lesson,
            kind=Kind.EXPERIENCE,
            outcome=body.known_outcome,
            tags=body.tags,
            tools=body.tools,
            task_type=body.task_type,
            error_code=body.error_code,
            session_id=body.session_id,
            context=f"{body.context} {body.action}"[:1_000],
            payload={EXPERIENCE: body.model_dump(mode="json", include={"context", "action", "outcome", "lesson"})},
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
    whole: dict[tuple[str, ...], PlainExperience] = {}
    for hit in found.results:
        whole.setdefault(hit.memory.episode_ids[:1] or (hit.id,), _experience(hit))
    return reply(PlainExperiences(results=tuple(whole.values()), degraded=found.degraded))


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


def _experience(hit: Hit) -> PlainExperience:
    """Return an experience in its own words; one that was written in another way has its summary as the lesson."""
    memory = hit.memory
    kept: dict[str, Any] = memory.payload.get(EXPERIENCE) or {}
    outcome = memory.outcome.value if memory.outcome else ""
    return PlainExperience(
        id=memory.id,
        context=_text(kept.get("context"), memory.context),
        action=_text(kept.get("action"), ""),
        outcome=_text(kept.get("outcome"), outcome),
        lesson=_text(kept.get("lesson"), memory.summary),
        tags=memory.tags,
        weight=memory.weight,
        score=hit.score,
    )


def _text(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) else otherwise
