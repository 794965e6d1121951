"""/v1/episodes and /v1/conversations: what happened is kept verbatim, then memories are made of it."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.bodies import OneAgent, RetainConversation, RetainEpisode
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Caller, Reader, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.api.rest.routes.memories import ONCE
from hindsight_graph.models.enums import Origin
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.result import Receipt

router = APIRouter(prefix="/v1", tags=["episodes"])
_LOCATION: dict[str, Any] = {"Location": {"description": "What came of it.", "schema": {"type": "string"}}}
_KEPT: dict[int | str, dict[str, Any]] = {
    201: {"headers": _LOCATION},
    202: {"description": "Kept; extraction is the job that `Location` names.", "model": Receipt, "headers": _LOCATION},
    **problems(*ONCE),
}


async def _retain(
    caller: Caller,
    messages: list[dict[str, Any]],
    *,
    agent_id: str | None,
    session_id: str | None,
    origin: Origin | None,
    defer: bool,
    key: str | None,
) -> Response:
    memory = caller.acting(agent_id)
    with caller.once(key, agent_id):
        receipt = await memory.retain(messages, session_id=session_id, origin=origin, defer=defer, idempotency_key=key)
    if receipt.job_id is not None:
        return reply(receipt, 202, {"location": f"/v1/jobs/{receipt.job_id}"})
    return reply(receipt, 201, {"location": f"/v1/episodes/{receipt.episode_ids[0]}"})


@router.post("/conversations", status_code=201, operation_id="retainConversation", response_model=Receipt, responses=_KEPT)
async def retain_conversation(caller: Writer, body: RetainConversation, idempotency_key: IdempotencyKey = None) -> Response:
    """Keep a conversation and learn from it; with `defer` the learning is a job, and the answer is 202."""
    messages = [message.words() for message in body.messages]
    return await _retain(
        caller,
        messages,
        agent_id=body.agent_id,
        session_id=body.session_id,
        origin=body.origin,
        defer=body.defer,
        key=idempotency_key,
    )


@router.post("/episodes", status_code=201, operation_id="retainEpisode", response_model=Receipt, responses=_KEPT)
async def retain_episode(caller: Writer, body: RetainEpisode, idempotency_key: IdempotencyKey = None) -> Response:
    """Keep one message or document and learn from it."""
    return await _retain(
        caller, [body.words()], agent_id=body.agent_id, session_id=None, origin=body.origin, defer=body.defer, key=idempotency_key
    )


@router.get("/episodes/{episode_id}", operation_id="getEpisode", response_model=Episode, responses=problems("not-found"))
async def get(
    caller: Reader,
    episode_id: Annotated[str, Path(max_length=NAME_LENGTH, description="An episode's id.")],
    asked: Annotated[OneAgent, Query()],
) -> Response:
    """Return one episode, word for word: the evidence that memories name."""
    return reply(await caller.acting(asked.agent_id).episode(episode_id))
