"""What the plain endpoints take: the words other memory services use."""

from typing import Annotated

from pydantic import Field

from hindsight_graph.api.rest.bodies import Names, Relations
from hindsight_graph.api.rest.bounds import MAX_RESULTS, AnyText, Body, LongText, Name, example
from hindsight_graph.models.base import UtcDatetime
from hindsight_graph.models.enums import Kind, Outcome

_OUTCOMES = {
    "success": Outcome.SUCCESS, "succeeded": Outcome.SUCCESS, "ok": Outcome.SUCCESS, "成功": Outcome.SUCCESS,
    "failure": Outcome.FAILURE, "failed": Outcome.FAILURE, "fail": Outcome.FAILURE, "error": Outcome.FAILURE,
    "失败": Outcome.FAILURE, "partial": Outcome.PARTIAL, "部分成功": Outcome.PARTIAL,
}  # fmt: skip


class PlainWrite(Body):
    """One statement. `type` is its kind, `ttl` days to live, `timestamp` when it happened or began to hold."""

    model_config = example(
        type="fact", entities=["Redis", "主从"], summary="Redis主从配置中master端口6379，slave端口6380", confidence=0.95
    )

    summary: LongText
    type: Kind | None = None
    entities: Names | None = None
    relations: Relations | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    raw_ref: Name | None = None
    ttl: float | None = Field(default=None, ge=0, le=36_500)
    timestamp: UtcDatetime | None = None
    tags: Names = ()
    session_id: Name | None = None
    agent_id: Name | None = None


class PlainSearch(Body):
    """A question."""

    model_config = example(query="Redis主从端口配置", top_k=3)

    query: LongText
    top_k: int = Field(default=10, ge=1, le=MAX_RESULTS)
    type: Kind | None = None
    entities: Annotated[Names, Field(min_length=1)] | None = None
    tags: Annotated[Names, Field(min_length=1)] | None = None
    agent_id: Name | None = None


class PlainStore(Body):
    """An experience. `outcome` is a word (success, failure, partial) or a sentence."""

    model_config = example(
        context="refund of order 1042",
        action="called refund",
        outcome="failed: it was shipped",
        lesson="Check the order status before a refund.",
    )

    context: LongText
    action: AnyText = ""
    outcome: AnyText = ""
    lesson: LongText
    tags: Names = ()
    tools: Names = ()
    task_type: Name | None = None
    error_code: Name | None = None
    session_id: Name | None = None
    agent_id: Name | None = None

    @property
    def known_outcome(self) -> Outcome | None:
        """The outcome where its first word names one."""
        first = self.outcome.strip().casefold().split(maxsplit=1)[:1]
        return _OUTCOMES.get(first[0].strip(".:,;!。：，；！")) if first else None


class RetrieveExperiences(Body):
    """A task, in words."""

    model_config = example(query="refund an order", top_k=3)

    query: LongText
    top_k: int = Field(default=5, ge=1, le=MAX_RESULTS)
    tags: Annotated[Names, Field(min_length=1)] | None = None
    tool: Name | None = None
    task_type: Name | None = None
    outcome: Outcome | None = None
    agent_id: Name | None = None
