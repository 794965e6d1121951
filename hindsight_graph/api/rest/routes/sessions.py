"""/v1/sessions: the working memory of one running session."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.bodies import AppendMessages, AskMarkdown, EndSession, OneAgent, PutSession
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Reader, Writer
from hindsight_graph.api.rest.headers import IdempotencyKey
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.errors import NotFoundError
from hindsight_graph.models.session import WorkingMemory

router = APIRouter(prefix="/v1/sessions", tags=["sessions"])
Id = Annotated[str, Path(min_length=1, max_length=NAME_LENGTH, description="A session's id, of the caller's choice.")]


@router.get(
    "/{session_id:path}/markdown",
    operation_id="getSessionMarkdown",
    response_class=Response,
    responses={
        200: {
            "description": "The working memory as a Markdown list.",
            "content": {"text/markdown": {"schema": {"type": "string"}}},
        },
        **problems("not-found"),
    },
)
async def markdown(caller: Reader, session_id: Id, asked: Annotated[AskMarkdown, Query()]) -> Response:
    """Return the working memory as a Markdown list with bold keys, ready for a prompt."""
    session = caller.acting(asked.agent_id).session(session_id)
    if (await session.state()).version == 0:
        raise NotFoundError(f"no session {session_id!r}", hint="a session begins with its first goal, step or message")
    return Response(await session.markdown(asked.token_budget), media_type="text/markdown")


@router.put("/{session_id:path}", operation_id="putSession", response_model=WorkingMemory, responses=problems("conflict"))
async def put(caller: Writer, session_id: Id, body: PutSession) -> Response:
    """Say what the session is for and where it stands; begins the session when there is none."""
    session = caller.acting(body.agent_id).session(session_id)
    if body.goal is not None:
        await session.goal(body.goal)
    for constraint in body.constraints:
        await session.constraint(constraint)
    if body.current_step is not None:
        await session.step(body.current_step or None)
    return reply(await session.state())


@router.post(
    "/{session_id:path}/messages",
    operation_id="appendToSession",
    response_model=WorkingMemory,
    responses=problems("conflict", "idempotency-in-flight", "idempotency-key-reused"),
)
async def append(caller: Writer, session_id: Id, body: AppendMessages, idempotency_key: IdempotencyKey = None) -> Response:
    """Add interactions; what leaves the window goes to long-term memory."""
    session = caller.acting(body.agent_id).session(session_id)
    messages = [message.words() for message in body.messages]
    with caller.once(idempotency_key, body.agent_id):
        return reply(await session.extend(messages, idempotency_key=idempotency_key))


@router.post("/{session_id:path}/end", operation_id="endSession", response_model=WorkingMemory, responses=problems("conflict"))
async def end(caller: Writer, session_id: Id, body: EndSession) -> Response:
    """End the session; what its window holds goes to long-term memory first, unless `extract` is false.

    The answer's `reflection_id` names the job that looks back on it, where the policy or `reflect` asks for one.
    """
    return reply(await caller.acting(body.agent_id).session(session_id).end(extract=body.extract, reflect=body.reflect))


@router.get("/{session_id:path}", operation_id="getSession", response_model=WorkingMemory, responses=problems("not-found"))
async def get(caller: Reader, session_id: Id, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return the working memory of a session."""
    state = await caller.acting(asked.agent_id).session(session_id).state()
    if state.version == 0:
        raise NotFoundError(f"no session {session_id!r}", hint="a session begins with its first goal, step or message")
    return reply(state)
