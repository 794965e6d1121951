"""Multi-hop questions: chains, impact, causes, what connects two things, cycles."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from hindsight_graph.api.rest.bodies import AskAbout, AskChain, AskCycles, AskPaths, given
from hindsight_graph.api.rest.caller import Reader
from hindsight_graph.api.rest.reply import problems, reply
from hindsight_graph.models.result import Chains

router = APIRouter(prefix="/v1", tags=["graph"])
_PROBLEMS = problems("not-found")


@router.get("/chains", operation_id="followChains", response_model=Chains, responses=_PROBLEMS)
async def chains(caller: Reader, asked: Annotated[AskChain, Query()]) -> Response:
    """Return whole paths from a thing, or from it to `end`; every hop has its relation, source memory, validity and score."""
    return reply(await caller.acting(asked.agent_id).chain(asked.start, **given(asked, "start", "agent_id")))


@router.get("/impact", operation_id="findImpact", response_model=Chains, responses=_PROBLEMS)
async def impact(caller: Reader, asked: Annotated[AskAbout, Query()]) -> Response:
    """What breaks if this changes: against DEPENDS_ON and USES, along CAUSES, PRODUCES and PART_OF."""
    return reply(await caller.acting(asked.agent_id).impact(**given(asked, "agent_id")))


@router.get("/causes", operation_id="findCauses", response_model=Chains, responses=_PROBLEMS)
async def causes(caller: Reader, asked: Annotated[AskAbout, Query()]) -> Response:
    """Why this happened: against CAUSES."""
    return reply(await caller.acting(asked.agent_id).causes(**given(asked, "agent_id")))


@router.get("/paths", operation_id="findPaths", response_model=Chains, responses=_PROBLEMS)
async def paths(caller: Reader, asked: Annotated[AskPaths, Query()]) -> Response:
    """What connects two things, whichever way the arrows point."""
    return reply(await caller.acting(asked.agent_id).paths(**given(asked, "agent_id")))


@router.get("/cycles", operation_id="findCycles", response_model=Chains, responses=problems())
async def cycles(caller: Reader, asked: Annotated[AskCycles, Query()]) -> Response:
    """Whether relations go round; DEPENDS_ON unless others are named. Each cycle comes as one path."""
    return reply(await caller.acting(asked.agent_id).cycles(**given(asked, "agent_id")))
