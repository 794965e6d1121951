"""/v1/search: recall over HTTP, each result with the parts of its score, and the trace of the answer."""

from fastapi import APIRouter, Response

from hindsight_graph.api.rest.bodies import Search, given
from hindsight_graph.api.rest.bounds import MAX_RESULTS
from hindsight_graph.api.rest.caller import Caller, Reader
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.result import Answer

router = APIRouter(prefix="/v1", tags=["search"])


async def answer(caller: Caller, asked: Search) -> Answer:
    """Return what recall finds for a request."""
    memory = caller.acting(asked.agent_id)
    top_k = asked.top_k or min(memory.settings.recall.top_k, MAX_RESULTS)
    return await memory.recall(**given(asked, "agent_id", "cursor", "top_k"), top_k=top_k, cursor=caller.unsign(asked.cursor))


@router.post("/search", operation_id="search", response_model=Answer, responses=problems("cursor-invalid"))
async def search(caller: Reader, body: Search) -> Response:
    """Find memories for a question; an answer that fell short says so in `degraded` and `reasons`, with status 200."""
    found = await answer(caller, body)
    return reply(found.model_copy(update={"cursor": caller.sign(found.cursor)}))
