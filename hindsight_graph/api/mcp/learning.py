"""The tools that look back: memory_reflect and memory_feedback, and `reflect` of the other profiles."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from hindsight_graph.api.mcp.arguments import Arguments, Id, Ids, OutcomeName, Word, as_list
from hindsight_graph.api.mcp.render import Data, Reply, Row, assemble, number, plural, quoted
from hindsight_graph.errors import InputError
from hindsight_graph.models.enums import Outcome

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.pipelines.learn.reflect import Reflection

WAIT_S = 5.0
"""Seconds that a call waits for a reflection; after them it answers with the job alone."""
MAX_MESSAGES = 200
_TEXT = {"type": "string", "maxLength": 32_000}
_NAME = {"type": "string", "maxLength": 200}
_CALL = {"type": "object", "properties": {"id": _NAME, "name": _NAME, "arguments": _TEXT}}
_MESSAGE = {
    "type": "object",
    "properties": {
        "role": _NAME,
        "content": _TEXT,
        "name": _NAME,
        "tool_calls": {"type": "array", "maxItems": 50, "items": _CALL},
        "tool_call_id": _NAME,
    },
}


def _messages(value: object) -> Any:
    found: Any = as_list(value, commas=False)
    return (found,) if isinstance(found, dict) else found


Messages = Annotated[
    tuple[dict[str, Any], ...],
    Field(max_length=MAX_MESSAGES),
    BeforeValidator(_messages),
    WithJsonSchema({"type": "array", "maxItems": MAX_MESSAGES, "items": _MESSAGE}),
]
_MESSAGES = "The task from request to result, tool calls and results included (role tool: name and content)."


class Reflect(Arguments):
    """Arguments of memory_reflect."""

    messages: Messages = Field(min_length=1, description=_MESSAGES)
    session_id: Word | None = Field(default=None, description="The session they belong to.")
    task_type: Word | None = Field(default=None, description="Your name for this sort of task; the same next time.")
    store: bool = Field(default=True, description="false: only show what would be kept.")


class ReflectPlain(Arguments):
    """Arguments of reflect in the profile `experience`."""

    messages: Messages = Field(min_length=1, description=_MESSAGES)
    extract_experience: bool = Field(default=True, description="false: keep the messages only.")
    task_type: Word | None = Field(default=None, description="Your name for this sort of task; the same next time.")


class ReflectLayer(Arguments):
    """Arguments of memory_reflect in the profile `layers`."""

    episodic_id: Id | None = Field(default=None, description="An episodic memory to look back on; or give messages.")
    messages: Messages = Field(default=(), description=_MESSAGES)
    task_type: Word | None = Field(default=None, description="Your name for this sort of task; the same next time.")


class Feedback(Arguments):
    """Arguments of memory_feedback."""

    ids: Ids = Field(description="Memories that the task used, from answers of this server.")
    outcome: OutcomeName = Field(description="How the task ended.")
    task_id: Word | None = Field(default=None, description="Your name for the task: repeated, it counts once.")


async def reflect(memory: "AsyncHindsightGraph", given: Reflect) -> Reply:
    """Look back on a transcript."""
    job = await memory.learning.reflect(given.messages, session_id=given.session_id, task_type=given.task_type, store=given.store)
    return await _settled(memory, job.id)


async def reflect_plain(memory: "AsyncHindsightGraph", given: ReflectPlain) -> Reply:
    """Look back on a transcript, or only keep it."""
    if given.extract_experience:
        return await reflect(memory, Reflect(messages=given.messages, task_type=given.task_type))
    ids = list((await memory.retain(given.messages)).episode_ids)
    return Reply(f"kept {plural(len(ids), 'message')}", {"status": "kept", "episode_ids": ids})


async def reflect_layer(memory: "AsyncHindsightGraph", given: ReflectLayer) -> Reply:
    """Look back on what an episodic memory came from, or on a transcript."""
    if (given.episodic_id is None) is not bool(given.messages):
        raise InputError("memory_reflect takes an episodic_id or messages, one of the two", hint="leave the other out")
    if given.episodic_id is None:
        return await reflect(memory, Reflect(messages=given.messages, task_type=given.task_type))
    job = await memory.learning.reflect_on(given.episodic_id, task_type=given.task_type)
    return await _settled(memory, job.id)


async def _settled(memory: "AsyncHindsightGraph", job_id: str) -> Reply:
    found = await memory.learning.settle(job_id, WAIT_S)
    if found is None:
        text = f"job {job_id} goes on with it; memory_status with this job_id tells what was found"
        return Reply(text, {"job_id": job_id, "status": "working"})
    return _reflected(job_id, found)


def _reflected(job_id: str, found: "Reflection") -> Reply:
    ids = found.memory_ids if len(found.memory_ids) == len(found.drafts) else ()
    rows: list[Row] = []
    for at, draft in enumerate(found.drafts):
        experience = draft.experience
        data: Data = {"summary": draft.summary, "outcome": experience.outcome.value, "action": experience.action}
        more = {"id": ids[at] if ids else "", "lesson": experience.lesson, "repair": experience.repair}
        data |= {name: text for name, text in more.items() if text}
        details = "; ".join(f"{name} {data[name]}" for name in ("id", "action", "lesson", "repair") if name in data)
        rows.append(Row(f"- experience ({data['outcome']}) {quoted(draft.summary)} [{quoted(details)}]", data))
    lines = [f"left out: {quoted(item.request)}: {quoted(item.reason)}" for item in found.left]
    more = {"job_id": job_id, "status": "stored" if found.stored else "proposed" if found.drafts else "nothing"}
    data = {**more, "ids": [*found.memory_ids, *found.known], "left_out": [item.model_dump() for item in found.left]}
    if found.known:
        lines.append(f"known already: {', '.join(found.known)}")
    followed = found.consolidation
    if followed is not None and followed.proposed:
        named = {item.id: item.summary for item in followed.strategies}
        data["proposed"] = [{"id": one, "guidance": named.get(one, "")} for one in followed.proposed]
        lines += [f"proposed, for a person to approve: {quoted(named.get(one, one))} [id {one}]" for one in followed.proposed]
    if found.drafts and not found.stored:
        lines.append("not stored; call again with store true to keep it")
    head = f"found {plural(len(rows), 'experience')}" if rows else "nothing reusable in these messages"
    return assemble(head, rows, "experiences", Row("\n".join(lines), data))


async def feedback(memory: "AsyncHindsightGraph", given: Feedback) -> Reply:
    """Report how a task ended that used memories."""
    receipt = await memory.learning.feedback(given.ids, Outcome(given.outcome), task_id=given.task_id)
    rows: list[Row] = []
    for item in receipt.items:
        data: Data = {"id": item.memory_id}
        words = f"- {quoted(item.memory_id)}"
        if item.weight is not None and item.weight_before is not None:
            data |= {"weight_before": number(item.weight_before), "weight": number(item.weight)}
            words += f" weight {data['weight_before']:g} to {data['weight']:g}"
        if item.note:
            data["note"] = item.note
            words += f": {quoted(item.note)}"
        rows.append(Row(words, data))
    head = f"task {quoted(receipt.task_id)} ended in {receipt.outcome.value}"
    return assemble(head, rows, "items", task_id=receipt.task_id, outcome=receipt.outcome.value)
