"""/v1/memories: write, read, list, supersede, revert, archive."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.answers import Memories, Versions
from hindsight_graph.api.rest.bodies import (
    ForgetMemories,
    ForgetOne,
    ListMemories,
    OneAgent,
    RevertMemory,
    UpdateMemory,
    WriteMemories,
    WriteMemory,
    given,
)
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey, IfMatch, IfNoneMatch
from hindsight_graph.api.rest.reply import etag_of, matching, memory_reply, problems, reply
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Page
from hindsight_graph.models.result import Receipt

router = APIRouter(prefix="/v1/memories", tags=["memories"])
Id = Annotated[str, Path(max_length=NAME_LENGTH, description="A memory's id.")]
ONCE = ("idempotency-in-flight", "idempotency-key-reused", "conflict")
"""Problems of a write that takes an idempotency key."""
_ETAG: dict[str, Any] = {"headers": {"ETag": {"description": "Tag of the memory's state.", "schema": {"type": "string"}}}}
_PLACE: dict[str, Any] = {"headers": {"Location": {"description": "The first memory written.", "schema": {"type": "string"}}}}
_CHANGE = problems("not-found", "conflict", "precondition-failed")


def written(receipt: Receipt) -> Response:
    """Answer a receipt with 201, and the place of the first memory it names."""
    return reply(receipt, 201, {"location": f"/v1/memories/{receipt.memories[0].id}"} if receipt.memories else {})


@router.post("", status_code=201, operation_id="writeMemory", response_model=Receipt, responses={201: _PLACE, **problems(*ONCE)})
async def write(caller: Writer, body: WriteMemory, idempotency_key: IdempotencyKey = None) -> Response:
    """Remember one statement; entities and relations are extracted from it unless they are given."""
    memory = caller.acting(body.agent_id)
    with caller.once(idempotency_key, body.agent_id):
        return written(await memory.remember(**given(body, "agent_id"), idempotency_key=idempotency_key))


@router.post(
    "/batch", status_code=201, operation_id="writeMemories", response_model=Receipt, responses={201: _PLACE, **problems(*ONCE)}
)
async def write_many(caller: Writer, body: WriteMemories, idempotency_key: IdempotencyKey = None) -> Response:
    """Remember many statements, in order, all or none."""
    memory = caller.acting(body.agent_id)
    for unit in body.memories:
        caller.acting(unit.agent_id)
    with caller.once(idempotency_key, body.agent_id):
        units = [given(unit) for unit in body.memories]
        return written(await memory.remember_many(units, idempotency_key=idempotency_key))


@router.get("", operation_id="listMemories", response_model=Page[Memory], responses=problems("not-found", "cursor-invalid"))
async def list_(caller: Reader, asked: Annotated[ListMemories, Query()]) -> Response:
    """List memories by the filters of search, newest first unless asked otherwise."""
    memory = caller.acting(asked.agent_id)
    page = await memory.list(**given(asked, "agent_id", "cursor"), cursor=caller.unsign(asked.cursor))
    return reply(page.model_copy(update={"cursor": caller.sign(page.cursor)}))


@router.post("/forget", operation_id="forgetMemories", response_model=Memories, responses=problems("not-found", "conflict"))
async def forget_many(caller: Writer, body: ForgetMemories) -> Response:
    """Archive memories, all or none: kept, not recalled unless asked for. Archived ones are left as they are."""
    memory = caller.acting(body.agent_id)
    return reply(Memories(memories=await memory.forget(body.ids, reason=body.reason)))


@router.get(
    "/{memory_id}",
    operation_id="getMemory",
    response_model=Memory,
    responses={200: _ETAG, 304: {"description": "It is in the state the caller has.", **_ETAG}, **problems("not-found")},
)
async def get(caller: Reader, memory_id: Id, asked: Annotated[OneAgent, Query()], if_none_match: IfNoneMatch = None) -> Response:
    """Return a memory in any state."""
    memory = await caller.acting(asked.agent_id).get(memory_id)
    tag = etag_of(memory)
    if if_none_match is not None and tag in [part.strip().removeprefix("W/") for part in if_none_match.split(",")]:
        return Response(status_code=304, headers={"etag": tag})
    return memory_reply(memory)


@router.patch(
    "/{memory_id}",
    operation_id="updateMemory",
    response_model=Memory,
    responses={200: _ETAG, **_CHANGE, **problems("not-found", "precondition-failed", *ONCE)},
)
async def update(
    caller: Writer, memory_id: Id, body: UpdateMemory, if_match: IfMatch = None, idempotency_key: IdempotencyKey = None
) -> Response:
    """Supersede a memory by a new version, end it, or change its confidence; the old version is kept."""
    memory = caller.acting(body.agent_id)
    with caller.once(idempotency_key, body.agent_id):
        changed = await memory.update(
            memory_id, **given(body, "agent_id"), expected=matching(if_match), idempotency_key=idempotency_key
        )
        return memory_reply(changed)


@router.get("/{memory_id}/history", operation_id="getHistory", response_model=Versions, responses=problems("not-found"))
async def history(caller: Reader, memory_id: Id, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return every version of a memory, oldest first; any version's id will do."""
    return reply(Versions(versions=await caller.acting(asked.agent_id).history(memory_id)))


@router.post(
    "/{memory_id}/revert",
    operation_id="revertMemory",
    status_code=201,
    response_model=Memory,
    responses={
        201: {"headers": {**_ETAG["headers"], **_PLACE["headers"]}},
        **problems("not-found", "precondition-failed", *ONCE),
    },
)
async def revert(
    caller: Writer, memory_id: Id, body: RevertMemory, if_match: IfMatch = None, idempotency_key: IdempotencyKey = None
) -> Response:
    """Make an earlier version current again, as a new version."""
    memory = caller.acting(body.agent_id)
    with caller.once(idempotency_key, body.agent_id):
        new = await memory.revert(
            memory_id, mode=body.mode, reason=body.reason, expected=matching(if_match), idempotency_key=idempotency_key
        )
        return memory_reply(new, 201, {"location": f"/v1/memories/{new.id}"})


@router.delete(
    "/{memory_id}",
    operation_id="forgetMemory",
    response_model=Memory,
    responses={200: _ETAG, **_CHANGE},
)
async def forget(caller: Writer, memory_id: Id, asked: Annotated[ForgetOne, Query()], if_match: IfMatch = None) -> Response:
    """Archive a memory: kept, not recalled unless asked for."""
    memory = caller.acting(asked.agent_id)
    if if_match is not None:
        matching(if_match)(await memory.get(memory_id))
    (archived,) = await memory.forget(memory_id, reason=asked.reason)
    return memory_reply(archived)
