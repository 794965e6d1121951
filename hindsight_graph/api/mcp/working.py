"""Working memory through the tools: the kind `working` with a session id.

What is written says by its first word which part of the session it changes; anything else is a turn of the conversation.
"""

import re
from typing import TYPE_CHECKING

from hindsight_graph.api.mcp.arguments import Write
from hindsight_graph.api.mcp.learning import WAIT_S
from hindsight_graph.api.mcp.render import Reply, plural
from hindsight_graph.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from hindsight_graph.engine import AsyncHindsightGraph
    from hindsight_graph.models.session import WorkingMemory
    from hindsight_graph.pipelines.session import SessionHandle

_PARTS = {
    "goal": "goal", "目标": "goal",
    "step": "step", "步骤": "step",
    "constraint": "constraint", "约束": "constraint",
    "user": "user", "用户": "user",
    "assistant": "assistant", "助手": "assistant",
    "tool": "tool", "工具": "tool",
}  # fmt: skip
_PART = re.compile(rf"({'|'.join(_PARTS)})\s*[:：]\s*(\S.*)", re.DOTALL | re.IGNORECASE)
_WORDS = {"done": "done", "step done": "done", "完成": "done", "end session": "end", "结束会话": "end"}
_USED = frozenset({"content", "kind", "session_id", "occurred_at", "raw_ref"})


def needed_session(session_id: str | None) -> str:
    """Return the session's id; raises InputError when there is none."""
    if session_id is None:
        raise InputError("kind working needs a session_id", hint="any short text that stays the same for the whole session")
    return session_id


async def write_working(memory: "AsyncHindsightGraph", given: Write) -> Reply:
    """Change the working memory of a session; raises InputError for arguments that a turn cannot carry."""
    idle = sorted(given.model_fields_set - _USED)
    if idle:
        raise InputError(f"kind working takes no {', '.join(idle)}", hint="give content and session_id, occurred_at and raw_ref")
    handle = memory.session(needed_session(given.session_id))
    return await told(memory, await apply(handle, given.content, given.occurred_at, given.raw_ref))


async def told(memory: "AsyncHindsightGraph", state: "WorkingMemory") -> Reply:
    """Return the answer to a change; of an ended session also what looking back on it came to, if that is soon."""
    reply = changed(state)
    if state.reflection_id is None:
        return reply
    found = await memory.learning.settle(state.reflection_id, WAIT_S)  # where no worker runs, this lends a hand
    if found is None:
        also = f"job {state.reflection_id} looks back on it"
    else:
        also = f"looked back on it: {plural(len(found.memory_ids), 'experience')} kept"
    return Reply(f"{reply.text}\n{also}", reply.data)


async def apply(
    handle: "SessionHandle", content: str, occurred_at: "datetime | None" = None, raw_ref: str | None = None
) -> "WorkingMemory":
    """Do what a written text says to do with a session."""
    text = content.strip()
    word = _WORDS.get(text.lower().rstrip(".。!！"))
    if word is not None:
        return await (handle.end() if word == "end" else handle.step())
    found = _PART.fullmatch(text)
    part, rest = (_PARTS[found[1].lower()], found[2].strip()) if found else ("assistant", text)
    if part == "goal":
        return await handle.goal(rest)
    if part == "step":
        return await handle.step(rest)
    if part == "constraint":
        return await handle.constraint(rest)
    message = {"role": part, "content": rest, "occurred_at": occurred_at, "raw_ref": raw_ref}
    return await handle.append({name: value for name, value in message.items() if value is not None})


def changed(state: "WorkingMemory") -> Reply:
    """Return the answer to a change."""
    data = {"session_id": state.session_id, "version": state.version, "turns": state.turns}
    words = [f"session {state.session_id}: saved (version {state.version}, {state.turns} turns)"]
    if state.current_step:
        data["current_step"] = state.current_step
        words.append(f"current step: {state.current_step}")
    if state.ended_at is not None:
        data["ended"] = True
        words.append("ended; what it said at key points is in long-term memory")
        if state.reflection_id is not None:
            data["job_id"] = state.reflection_id
    return Reply("\n".join(words), {"status": "saved", **data})


async def read_working(memory: "AsyncHindsightGraph", session_id: str | None, max_tokens: int) -> Reply:
    """Return the working memory of a session as a Markdown list, within the budget."""
    from hindsight_graph.pipelines.session_markdown import to_markdown  # noqa: PLC0415 - reads the engine's models

    name = needed_session(session_id)
    state = await memory.session(name).state()
    if state.version == 0:
        text = f"session {name} has no working memory yet; memory_write with kind working and this session_id starts it"
        return Reply(text, {"working": None, "session_id": name})
    text = to_markdown(state, max_tokens // 2)
    return Reply(text, {"working": text, "session_id": name, "version": state.version, "ended": state.ended_at is not None})
