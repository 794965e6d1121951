"""The end of the demo: a task fails, the same task is done right, a person approves what follows, and the next task is told."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from hindsight_graph.cli.render.hits import answer_view
from hindsight_graph.cli.render.learn import item_view, reflection_view
from hindsight_graph.pipelines.learn.reflect import Reflection
from hindsight_graph.sync import HindsightGraph

NEXT = "Refund order 93"
"""The task for which the lesson is there."""
_TASKS: tuple[tuple[str, tuple[tuple[str, str], ...], str], ...] = (
    ("Refund order 88", (("process_refund", "Error: status of order 88 not checked"),), "I could not refund it."),
    ("Refund order 88", (("get_order_status", "delivered"), ("process_refund", "ok")), "The refund is done."),
)


def lessons(memory: HindsightGraph, now: datetime, *, ids: bool) -> Iterator[tuple[str, str, object, RenderableType]]:
    """Look back on two tasks, approve what follows, and ask for the next: yields as the demo's other answers."""
    failed, worked = (_look_back(memory, number, now - timedelta(hours=2 - number), task) for number, task in enumerate(_TASKS))
    yield "failed", "reflect refund-1.jsonl --task-type refund", failed, reflection_view(failed)
    yield "worked", "reflect refund-2.jsonl --task-type refund", worked, reflection_view(_shown(worked, ids=ids))
    for item in memory.learning.queue():
        name = item.memory.id if ids else "ID"
        yield "review", f"review show {name}", item, item_view(item, ids=ids)
        approved = memory.learning.approve(item.memory.id, reviewer="Marta", reason="so it is")
        yield "approved", f"review approve {name} --reviewer Marta", approved, Text("approved: recalled from now on")
    answer = memory.recall(NEXT, kinds=["strategy"])
    yield "learned", f'recall "{NEXT}" --kind strategy', answer, answer_view(answer, ids=ids)


def _look_back(
    memory: HindsightGraph, number: int, at: datetime, task: tuple[str, tuple[tuple[str, str], ...], str]
) -> Reflection:
    request, steps, end = task
    said = [{"role": "user", "content": request}, *({"role": "tool", "name": tool, "content": text} for tool, text in steps)]
    said.append({"role": "assistant", "content": end})
    messages: list[dict[str, Any]] = [
        {**message, "occurred_at": at + timedelta(seconds=place)} for place, message in enumerate(said)
    ]
    job = memory.learning.reflect(messages, session_id=f"refund-{number + 1}", task_type="refund")
    memory.jobs.work(kinds=("reflect",))
    return memory.learning.reflection(job.id)


def _shown(found: Reflection, *, ids: bool) -> Reflection:
    """Return a reflection without the name of its report where that cannot be used."""
    followed = found.consolidation
    if ids or followed is None:
        return found
    return found.model_copy(update={"consolidation": followed.model_copy(update={"report_id": ""})})
