"""/v1/strategies and /v1/review: what was learned, on what evidence, and the decisions about it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from hindsight_graph.api.rest.answers import ReviewQueue, Versions
from hindsight_graph.api.rest.bodies import OneAgent, given
from hindsight_graph.api.rest.bounds import NAME_LENGTH
from hindsight_graph.api.rest.caller import Caller, Reader, Reviewer
from hindsight_graph.api.rest.lessons import Decision, EditStrategy, ListStrategies
from hindsight_graph.api.rest.reply import memory_reply, problems, reply
from hindsight_graph.models.enums import Kind, Status
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.record import Page
from hindsight_graph.pipelines.learn.review import ReviewItem

router = APIRouter(prefix="/v1", tags=["learning"])
Id = Annotated[str, Path(max_length=NAME_LENGTH, description="A strategy's id.")]
_LIVE = (Status.ACTIVE, Status.PENDING, Status.STALE)
_DECIDED = problems("not-found", "conflict")


@router.get("/strategies", operation_id="listStrategies", response_model=Page[Memory], responses=problems("cursor-invalid"))
async def list_(caller: Reader, asked: Annotated[ListStrategies, Query()]) -> Response:
    """List strategies in any state of review, newest first; their payload has guidance, conditions and support."""
    memory = caller.acting(asked.agent_id)
    page = await memory.list(
        kinds=(Kind.STRATEGY,),
        statuses=asked.statuses or _LIVE,
        cursor=caller.unsign(asked.cursor),
        **given(asked, "agent_id", "cursor", "statuses"),
    )
    return reply(page.model_copy(update={"cursor": caller.sign(page.cursor)}))


@router.get("/strategies/{strategy_id}", operation_id="getStrategy", response_model=ReviewItem, responses=problems("not-found"))
async def show(caller: Reader, strategy_id: Id, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return a strategy with its evidence, its counter-evidence, and what approving it would change."""
    return reply(await caller.acting(asked.agent_id).learning.show(strategy_id))


@router.get(
    "/strategies/{strategy_id}/history",
    operation_id="getStrategyHistory",
    response_model=Versions,
    responses=problems("not-found"),
)
async def history(caller: Reader, strategy_id: Id, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return every version of a strategy, oldest first."""
    memory = caller.acting(asked.agent_id)
    await memory.learning.show(strategy_id)
    return reply(Versions(versions=await memory.history(strategy_id)))


@router.get("/review", operation_id="getReviewQueue", response_model=ReviewQueue, responses=problems())
async def queue(caller: Reviewer, asked: Annotated[OneAgent, Query()]) -> Response:
    """Return what awaits a decision, the best supported first."""
    return reply(ReviewQueue(items=await caller.acting(asked.agent_id).learning.queue()))


@router.post("/review/{strategy_id}/approve", operation_id="approveStrategy", response_model=Memory, responses=_DECIDED)
async def approve(caller: Reviewer, strategy_id: Id, body: Decision) -> Response:
    """Approve a strategy: from now on it is recalled. 409 when its evidence fell since it was proposed."""
    learning = caller.acting(body.agent_id).learning
    return memory_reply(await learning.approve(strategy_id, reviewer=_who(caller, body), reason=body.reason))


@router.post("/review/{strategy_id}/edit", operation_id="editStrategy", response_model=Memory, responses=_DECIDED)
async def edit(caller: Reviewer, strategy_id: Id, body: EditStrategy) -> Response:
    """Approve a strategy in other words, as a new version; its evidence stays."""
    learning = caller.acting(body.agent_id).learning
    return memory_reply(await learning.edit(strategy_id, body.guidance, reviewer=_who(caller, body), reason=body.reason))


@router.post("/review/{strategy_id}/reject", operation_id="rejectStrategy", response_model=Memory, responses=_DECIDED)
async def reject(caller: Reviewer, strategy_id: Id, body: Decision) -> Response:
    """Reject a strategy: it is not recalled."""
    learning = caller.acting(body.agent_id).learning
    return memory_reply(await learning.reject(strategy_id, reviewer=_who(caller, body), reason=body.reason))


@router.post("/review/{strategy_id}/retire", operation_id="retireStrategy", response_model=Memory, responses=_DECIDED)
async def retire(caller: Reviewer, strategy_id: Id, body: Decision) -> Response:
    """Archive an approved strategy."""
    learning = caller.acting(body.agent_id).learning
    return memory_reply(await learning.retire(strategy_id, reviewer=_who(caller, body), reason=body.reason))


def _who(caller: Caller, body: Decision) -> str:
    """Return who decides, for the audit trail: the name the request gives, and the key it came with, which it cannot choose."""
    key = caller.principal.key_id
    return " ".join(part for part in (body.reviewer.strip(), f"(key {key})" if key else "") if part)
