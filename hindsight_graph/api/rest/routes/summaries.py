"""/v1/summaries: a time window, a session or a thing in sentences that were written, each with its sources."""

from fastapi import APIRouter, Response

from hindsight_graph.api.rest.bodies import Summarize, given
from hindsight_graph.api.rest.caller import Reader
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.summary import Summary

router = APIRouter(prefix="/v1", tags=["search"])


@router.post("/summaries", operation_id="summarize", response_model=Summary, responses=problems("not-found"))
async def summarize(caller: Reader, body: Summarize) -> Response:
    """Sum up a time window, a session or a thing. Writes nothing."""
    return reply(await caller.acting(body.agent_id).summarize(**given(body, "agent_id")))
