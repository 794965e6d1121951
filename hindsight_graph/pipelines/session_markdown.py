r"""Working memory as a Markdown list with bold keys, and back. Pure functions.

Every value stands on one line behind its key: line breaks are written `\n`, and `*`, `` ` ``, `\` and the `/` of a closing tag
are escaped the Markdown way. So no text in a value can look like a key, start a list item or close a surrounding tag.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from hindsight_graph.errors import InputError
from hindsight_graph.models.session import Interaction, WorkingMemory
from hindsight_graph.pipelines.messages import explain
from hindsight_graph.text.tokens import estimate_tokens

_BREAKS = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\u2028": "\\u2028", "\u2029": "\\u2029"}
_UNBREAKS = {"n": "\n", "r": "\r", "t": "\t", "u2028": "\u2028", "u2029": "\u2029"}
_ESCAPE = re.compile(r"[\\*`\n\r\t\u2028\u2029]|(?<=<)/")
_ESCAPE_PART = re.compile(r"[\\*`\n\r\t\u2028\u2029;,()]|(?<=<)/")
_UNESCAPE = re.compile(r"\\(u2028|u2029|.)")
_LINE = re.compile(r"( *)- (?:\*\*((?:\\.|[^*\\])+)\*\*(?: \(((?:\\.|[^\\)])*)\))?:(?: (.*))?|(.*))")
_PAIR = re.compile(r"([a-z_]+) ((?:\\.|[^\\,])*)(?:, |$)")
_ENTITY = re.compile(r"((?:\\.|[^\\;])+)(?:; |$)")
_NAMES = {"name": "name", "at": "at", "ref": "raw_ref", "answers": "tool_call_id", "id": "id", "clipped": "clipped"}
_STATE = re.compile(
    r"turns (\d+), digested (\d+), window (\d+), every (\d+), after tool (yes|no), version (\d+), "
    r"updated (\S+?)(?:, ended (\S+))?"
)

_TEXTS = {"Session": "session_id", "Agent": "agent_id", "Goal": "goal", "Current step": "current_step"}
_LISTS = {
    "Constraints": "constraints",
    "Finished steps": "finished_steps",
    "Key actions": "key_actions",
    "Key results": "key_results",
    "Tool failures": "tool_failures",
    "Summary": "summary",
}
_DROP_ORDER = ("Recent", "Summary", "Finished steps", "Key entities", "Key actions", "Key results", "Tool failures")
"""What goes first when tokens are short; session, goal, constraints, current step and state stay."""


@dataclass
class _Section:
    key: str
    text: str
    items: list[str] = field(default_factory=list[str])
    joined: bool = False

    def lines(self) -> list[str]:
        """Return its lines; none when it is a list that lost every item."""
        if self.joined:
            return [f"{self.text} {'; '.join(self.items)}"] if self.items else []
        return [self.text, *self.items] if self.items or not self.text.endswith("**:") else []


def to_markdown(state: WorkingMemory, token_budget: int | None = None) -> str:
    """Return the state as a Markdown list.

    Args:
        state: What to write.
        token_budget: Tokens at most, by `estimate_tokens`. Oldest entries go first: recent interactions, then summary, finished
            steps, entities, actions, results, failures; the list then says how many were left out. None writes everything.

    Raises:
        InputError: Session, goal, constraints and current step alone need more; the hint says how much.
    """
    sections = list(_sections(state))
    if token_budget is not None:
        _fit(sections, token_budget)
    return "\n".join(line for section in sections for line in section.lines()) + "\n"


def from_markdown(text: str) -> WorkingMemory:
    """Read what `to_markdown` wrote; raises InputError naming the line that is not of that form."""
    fields: dict[str, Any] = {}
    turns: list[dict[str, Any]] = []
    section = ""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        try:
            section = _read_line(line.removesuffix("\r"), section, fields, turns)
        except (ValueError, KeyError) as error:
            raise InputError(f"line {number} of the working memory {error}: {line[:80]!r}") from error
    try:
        fields["recent"] = tuple(Interaction.model_validate(turn) for turn in turns)
        return WorkingMemory.model_validate(fields)
    except ValidationError as error:
        raise InputError(f"the Markdown is not a working memory: {explain(error)}") from error


def _sections(state: WorkingMemory) -> Iterator[_Section]:
    yield _Section("Session", f"- **Session**: {_escape(state.session_id)}")
    if state.agent_id:
        yield _Section("Agent", f"- **Agent**: {_escape(state.agent_id)}")
    if state.goal:
        yield _Section("Goal", f"- **Goal**: {_escape(state.goal)}")
    yield from _list("Constraints", state.constraints)
    yield from _list("Finished steps", state.finished_steps)
    if state.current_step:
        yield _Section("Current step", f"- **Current step**: {_escape(state.current_step)}")
    if state.key_entities:
        yield _Section("Key entities", "- **Key entities**:", [_escape_part(name) for name in state.key_entities], joined=True)
    yield from _list("Key actions", state.key_actions)
    yield from _list("Key results", state.key_results)
    yield from _list("Tool failures", state.tool_failures)
    yield from _list("Summary", state.summary)
    if state.recent:
        yield _Section("Recent", "- **Recent**:", [_turn(turn) for turn in state.recent])
    yield _Section("State", f"- **State**: {_bookkeeping(state)}")


def _bookkeeping(state: WorkingMemory) -> str:
    after_tool = "yes" if state.compress_after_tool else "no"
    policy = f"window {state.window_turns}, every {state.compress_every}, after tool {after_tool}"
    ended = f", ended {_time(state.ended_at)}" if state.ended_at else ""
    counts = f"turns {state.turns}, digested {state.digested}"
    return f"{counts}, {policy}, version {state.version}, updated {_time(state.updated_at)}{ended}"


def _list(key: str, items: tuple[str, ...]) -> Iterator[_Section]:
    if items:
        yield _Section(key, f"- **{key}**:", [f"  - {_escape(item)}" for item in items])


def _turn(turn: Interaction) -> str:
    pairs = {"name": turn.name, "at": _time(turn.at), "ref": turn.raw_ref, "answers": turn.tool_call_id}
    shown = [f"{key} {_escape_part(value)}" for key, value in pairs.items() if value is not None]
    shown += ["clipped yes"] if turn.clipped else []
    lines = [f"  - **{_escape(turn.role)}** ({', '.join(shown)}): {_escape(turn.content)}"]
    for call in turn.tool_calls:
        identity = "" if call.id is None else f", id {_escape_part(call.id)}"
        lines.append(f"    - **call** (name {_escape_part(call.name)}{identity}): {_escape(call.arguments)}")
    return "\n".join(lines)


def _fit(sections: list[_Section], budget: int) -> None:
    """Drop oldest entries, in the stated order, until the whole fits, and add a line that says how many."""
    costs: dict[str, int] = {}

    def total() -> int:
        # Line by line: never less than the estimate of the whole, and each line is counted once.
        lines = [line for section in sections for line in section.lines()]
        for line in lines:
            if line not in costs:
                costs[line] = estimate_tokens(line + "\n")
        return sum(costs[line] for line in lines)

    if total() <= budget:
        return
    note = _Section("Omitted", "")
    sections.append(note)
    by_key, omitted = {section.key: section for section in sections}, dict[str, int]()
    for key in _DROP_ORDER:
        section = by_key.get(key)
        while section is not None and section.items and (not omitted or total() > budget):
            section.items.pop(0)
            omitted[key] = omitted.get(key, 0) + 1
            note.text = "- **Omitted**: " + ", ".join(f"{name.lower()} {count}" for name, count in omitted.items())
    needed = total()
    if needed > budget:
        raise InputError(
            f"token budget {budget} is too small: session, goal, constraints and current step take {needed}",
            hint=f"allow at least {needed} tokens",
        )


def _read_line(line: str, section: str, fields: dict[str, Any], turns: list[dict[str, Any]]) -> str:
    """Read one line into `fields` or `turns`; return the section that the next line stands in."""
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError("is not a list item")
    indent, key, attributes, value, item = match.groups()
    depth = len(indent) // 2
    if depth == 0 and key is not None:
        _read_key(key, value or "", fields)
        return key
    if section == "Recent" and key is not None and depth == 1:
        turns.append({"role": _unescape(key), "content": _unescape(value or ""), **_attributes(attributes or "")})
    elif section == "Recent" and key == "call" and depth == 2 and turns:
        call = {"name": "", "arguments": _unescape(value or ""), **_attributes(attributes or "")}
        turns[-1].setdefault("tool_calls", []).append(call)
    elif section in _LISTS and item is not None and depth == 1:
        fields.setdefault(_LISTS[section], []).append(_unescape(item))
    else:
        raise ValueError(f"does not belong under {section or 'nothing'}")
    return section


def _read_key(key: str, value: str, fields: dict[str, Any]) -> None:
    if key in _TEXTS:
        fields[_TEXTS[key]] = _unescape(value)
    elif key == "Key entities":
        fields["key_entities"] = [_unescape(name) for name in _ENTITY.findall(value)]
    elif key == "State":
        match = _STATE.fullmatch(value)
        if match is None:
            raise ValueError("has a state of another form")
        turns, digested, window, every, after_tool, version, updated, ended = match.groups()
        fields |= {"turns": int(turns), "digested": int(digested), "window_turns": int(window), "compress_every": int(every)}
        fields |= {"compress_after_tool": after_tool == "yes", "version": int(version), "updated_at": updated, "ended_at": ended}
    elif key not in _LISTS and key not in ("Recent", "Omitted"):
        raise ValueError(f"has the unknown key {key!r}")


def _attributes(text: str) -> dict[str, str]:
    return {_NAMES[key]: _unescape(value) for key, value in _PAIR.findall(text)}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _escape(text: str) -> str:
    return _ESCAPE.sub(_escaped, text)


def _escape_part(text: str) -> str:
    return _ESCAPE_PART.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return _BREAKS.get(match[0], "\\" + match[0])


def _unescape(text: str) -> str:
    return _UNESCAPE.sub(lambda match: _UNBREAKS.get(match[1], match[1]), text)
