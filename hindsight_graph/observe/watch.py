"""The watch over the engine's verbs: times each call, makes its span, and tells the observer how it ended."""

from collections.abc import Awaitable, Sequence
from time import perf_counter
from typing import TypeVar

from hindsight_graph.models.base import Model
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.result import Answer, Chains, Receipt
from hindsight_graph.observe.events import ChainAnswered, RecallAnswered, StageEnded, Written
from hindsight_graph.observe.observer import Observer
from hindsight_graph.observe.spans import span

__all__ = ["Watch"]

Result = TypeVar("Result", bound=Model | Sequence[Memory])


class Watch:
    """Wraps the calls of the engine's face.

    Args:
        observer: Told about each call when it ends, well or not.
    """

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    async def recall(self, tenant: str, work: Awaitable[Answer]) -> Answer:
        """Await an answer."""
        began = perf_counter()
        with span("hindsight_graph.recall") as current:
            try:
                answer = await work
            except BaseException as error:
                self._observer.observe(RecallAnswered(tenant, perf_counter() - began, failed=type(error).__name__))
                raise
            current.set_attribute("hindsight_graph.results", len(answer.results))
            current.set_attribute("hindsight_graph.degraded", answer.degraded)
        stages = tuple(
            StageEnded(stage.name, stage.milliseconds / 1000, stage.counts, bool(stage.degraded)) for stage in answer.trace.stages
        )
        self._observer.observe(
            RecallAnswered(
                tenant,
                perf_counter() - began,
                results=len(answer.results),
                degraded=answer.degraded,
                truncated=answer.truncated,
                conflicts=len(answer.conflicts),
                stages=stages,
                memory_ids=tuple(hit.id for hit in answer.results),
            )
        )
        return answer

    async def chain(self, tenant: str, verb: str, work: Awaitable[Chains]) -> Chains:
        """Await the answer of a chain question."""
        began = perf_counter()
        with span(f"hindsight_graph.{verb}") as current:
            try:
                answer = await work
            except BaseException as error:
                self._observer.observe(ChainAnswered(tenant, verb, perf_counter() - began, failed=type(error).__name__))
                raise
            current.set_attribute("hindsight_graph.paths", len(answer.paths))
            current.set_attribute("hindsight_graph.degraded", answer.degraded)
        self._observer.observe(
            ChainAnswered(
                tenant, verb, perf_counter() - began, len(answer.paths), degraded=answer.degraded, truncated=answer.truncated
            )
        )
        return answer

    async def write(self, tenant: str, verb: str, work: Awaitable[Result]) -> Result:
        """Await a write: a receipt, a changed thing, or several."""
        began = perf_counter()
        with span(f"hindsight_graph.{verb}") as current:
            try:
                result = await work
            except BaseException as error:
                self._observer.observe(Written(tenant, verb, perf_counter() - began, failed=type(error).__name__))
                raise
            actions, ids, job = _outcome(verb, result)
            current.set_attribute("hindsight_graph.memories", len(ids))
        self._observer.observe(Written(tenant, verb, perf_counter() - began, actions, ids, job))
        return result


_ACTIONS: dict[str, str] = {"update": "superseded", "revert": "superseded", "forget": "archived"}
"""What became of the memories of a write that gives no receipt."""


def _outcome(verb: str, result: Model | Sequence[Memory]) -> tuple[dict[str, int], tuple[str, ...], str | None]:
    if isinstance(result, Receipt):
        actions: dict[str, int] = {}
        for item in result.items:
            actions[item.action.value] = actions.get(item.action.value, 0) + 1
        return actions, tuple(memory.id for memory in result.memories), result.job_id
    if isinstance(result, Memory):
        return {_ACTIONS.get(verb, verb): 1}, (result.id,), None
    if isinstance(result, Model):
        return {verb: 1}, (), None
    return {_ACTIONS.get(verb, verb): len(result)}, tuple(memory.id for memory in result), None
