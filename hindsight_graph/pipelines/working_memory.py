"""How working memory changes: append, advance, compress. Pure functions; each returns a new state, bounded in every part."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from hindsight_graph.errors import ConflictError, InputError
from hindsight_graph.extraction.base import Extraction, Source, Statement
from hindsight_graph.models.base import check_text, is_visible
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.episode import Message, ToolCall
from hindsight_graph.models.session import (
    CONSTRAINTS_KEPT,
    CONTENT_LIMIT,
    ENTITIES_KEPT,
    GOAL_LIMIT,
    LINE_LIMIT,
    LINES_KEPT,
    STEP_LIMIT,
    STEPS_KEPT,
    SUMMARY_KEPT,
    Interaction,
    SessionPolicy,
    WorkingMemory,
)
from hindsight_graph.pipelines.messages import describe_call
from hindsight_graph.text.names import normal_name

_FAILURE = re.compile(r"\s*(error|traceback|exception|错误|失败|異常|异常)", re.IGNORECASE)
"""What a failed tool result begins with; promise X-02 fixes "Error"."""


def new_state(session_id: str, agent_id: str | None, policy: SessionPolicy, now: datetime) -> WorkingMemory:
    """Return the empty state of a session under a policy."""
    return WorkingMemory(session_id=session_id, agent_id=agent_id, updated_at=now, **policy.model_dump())


def set_goal(state: WorkingMemory, goal: str, now: datetime) -> WorkingMemory:
    """Set what the session is for; raises InputError for an empty or too long goal."""
    _check_open(state)
    return state.model_copy(update={"goal": _bounded("goal", goal, GOAL_LIMIT), "updated_at": now})


def add_constraint(state: WorkingMemory, text: str, now: datetime) -> WorkingMemory:
    """Add a constraint by hand; those that interactions state are found by `compress`."""
    _check_open(state)
    kept, dropped = _merge(state.constraints, [_bounded("constraint", text, LINE_LIMIT)], CONSTRAINTS_KEPT)
    return state.model_copy(
        update={"constraints": kept, "summary": _merge(state.summary, dropped, SUMMARY_KEPT)[0], "updated_at": now}
    )


def advance(state: WorkingMemory, next_step: str | None, now: datetime) -> WorkingMemory:
    """Finish the current step, if there is one, and start the next (None: no next step yet)."""
    _check_open(state)
    step = "" if next_step is None else _bounded("step", next_step, STEP_LIMIT)
    if step and step == state.current_step:
        return state
    done = [state.current_step] if state.current_step else []
    finished = (*state.finished_steps, *done)[-STEPS_KEPT:]
    return state.model_copy(update={"finished_steps": finished, "current_step": step, "updated_at": now})


def append(state: WorkingMemory, message: Message, now: datetime) -> WorkingMemory:
    """Add one interaction to the window; `needs_compression` says whether `compress` should follow.

    Raises InputError when the message has neither words nor a tool call, ConflictError when the session has ended.
    """
    _check_open(state)
    if not is_visible(message.content) and not message.tool_calls:
        raise InputError(f"message of session {state.session_id!r} is empty", hint="give it content or a tool call")
    return state.model_copy(
        update={"recent": (*state.recent, _interaction(message, now)), "turns": state.turns + 1, "updated_at": now}
    )


def is_clipped(message: Message) -> bool:
    """Whether the window cannot hold the whole message."""
    return len(message.content) + sum(len(call.arguments) for call in message.tool_calls) > CONTENT_LIMIT


def needs_compression(state: WorkingMemory) -> bool:
    """Whether N turns came in since the last compression, or a tool result did."""
    waiting = state.undigested
    if len(waiting) >= state.compress_every:
        return True
    return state.compress_after_tool and any(turn.role == "tool" for turn in waiting)


def sources(state: WorkingMemory) -> tuple[Source, ...]:
    """Return what an extractor has to read before `compress`: one source per undigested interaction."""
    return tuple(
        Source(text=turn.content, role=turn.role, name=turn.name, occurred_at=turn.at, keep_all=turn.role == "tool")
        for turn in state.undigested
    )


def compress(
    state: WorkingMemory, extractions: Sequence[Extraction], now: datetime
) -> tuple[WorkingMemory, tuple[Interaction, ...]]:
    """Fold the undigested interactions into key lines and summary, and let those older than the window go.

    Args:
        state: The state as it is.
        extractions: One per entry of `sources(state)`.
        now: The time of the change.

    Returns:
        The new state, and the interactions that left the window, oldest first.
    """
    waiting = state.undigested
    if len(extractions) != len(waiting):
        raise ValueError(f"{len(extractions)} extractions for {len(waiting)} interactions")
    names: list[str] = []
    lines: dict[str, list[str]] = {"constraints": [], "key_actions": [], "key_results": [], "tool_failures": [], "summary": []}
    for turn, extraction in zip(waiting, extractions, strict=True):
        for statement in extraction.statements:
            names += [mention.name for mention in statement.mentions]
            names += [name for relation in statement.relations for name in (relation.source, relation.target)]
            _sort_statement(turn, statement, lines)
        lines["key_actions"] += [describe_call(call, LINE_LIMIT) for call in turn.tool_calls]
        if turn.role == "tool":
            target = "tool_failures" if _FAILURE.match(turn.content) else "key_results"
            lines[target].append(_clip(f"{turn.name or 'tool'}: {_one_line(turn.content)}"))
    constraints, retired = _merge(state.constraints, lines["constraints"], CONSTRAINTS_KEPT)
    leaving = max(0, len(state.recent) - state.window_turns)
    changed = state.model_copy(
        update={
            "constraints": constraints,
            "key_entities": _merge_names(state.key_entities, names),
            "key_actions": _merge(state.key_actions, lines["key_actions"], LINES_KEPT)[0],
            "key_results": _merge(state.key_results, lines["key_results"], LINES_KEPT)[0],
            "tool_failures": _merge(state.tool_failures, lines["tool_failures"], LINES_KEPT)[0],
            "summary": _merge(state.summary, [*retired, *lines["summary"]], SUMMARY_KEPT)[0],
            "recent": state.recent[leaving:],
            "digested": state.turns,
            "updated_at": now,
        }
    )
    return changed, state.recent[:leaving]


def end(state: WorkingMemory, now: datetime, reflection_id: str | None = None) -> WorkingMemory:
    """Mark the session as ended; a step still open counts as unfinished and stays the current one."""
    _check_open(state)
    return state.model_copy(update={"ended_at": now, "updated_at": now, "reflection_id": reflection_id})


def _check_open(state: WorkingMemory) -> None:
    if state.ended_at is not None:
        raise ConflictError(
            f"session {state.session_id!r} ended at {state.ended_at.isoformat()}", hint="go on under another session id"
        )


def _sort_statement(turn: Interaction, statement: Statement, lines: dict[str, list[str]]) -> None:
    if turn.role == "tool":
        return  # its line is made from the result itself; the extractor only tells the entities
    speaker = turn.name or turn.role
    match statement.kind:
        case Kind.CONSTRAINT | Kind.PREFERENCE:
            lines["constraints"].append(_clip(statement.summary))
        case Kind.ACTION:
            lines["key_actions"].append(_clip(statement.summary))
        case Kind.RESULT:
            lines["key_results"].append(_clip(statement.summary))
        case _:
            lines["summary"].append(_clip(f"{speaker}: {statement.summary}"))


def _interaction(message: Message, now: datetime) -> Interaction:
    clipped = is_clipped(message)
    content, room = message.content, CONTENT_LIMIT
    calls = message.tool_calls
    if clipped:
        content = _clip(content, CONTENT_LIMIT)
        room -= len(content)
        shorter: list[ToolCall] = []
        for call in calls:
            arguments = _clip(call.arguments, room) if room > 0 else ""
            room -= len(arguments)
            shorter.append(call.model_copy(update={"arguments": arguments}))
        calls = tuple(shorter)
    return Interaction(
        role=message.role,
        name=message.name,
        content=content,
        at=message.occurred_at or now,
        raw_ref=message.raw_ref,
        tool_calls=calls,
        tool_call_id=message.tool_call_id or None,
        clipped=clipped,
    )


def _merge(old: tuple[str, ...], new: Iterable[str], limit: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Append `new` to `old`, a repeated line moving to the end; return what is kept and what fell off the front."""
    ordered = dict.fromkeys(old)
    for line in new:
        ordered.pop(line, None)
        ordered[line] = None
    lines = tuple(ordered)
    cut = max(0, len(lines) - limit)
    return lines[cut:], lines[:cut]


def _merge_names(old: tuple[str, ...], new: Iterable[str]) -> tuple[str, ...]:
    """Append names, each spelling of one thing once: as first written, where it was mentioned last."""
    ordered = {_normal(name): name for name in old}
    for name in new:
        normal = _normal(name)
        ordered[normal] = ordered.pop(normal, name)
    return tuple(ordered.values())[-ENTITIES_KEPT:]


def _normal(name: str) -> str:
    try:
        return normal_name(name)
    except ValueError:  # signs alone: such a name has no other spellings
        return name


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clip(text: str, limit: int = LINE_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _bounded(what: str, text: str, limit: int) -> str:
    clean = text.strip()
    if not clean:
        raise InputError(f"the {what} is empty", hint=f"say the {what} in words")
    if len(clean) > limit:
        raise InputError(
            f"the {what} has {len(clean)} characters, more than {limit}", hint="say it shorter; details belong in messages"
        )
    try:
        return check_text(clean)
    except ValueError as error:
        raise InputError(f"the {what} holds a {error}") from error
