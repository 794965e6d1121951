"""Read a conversation as tasks: what was asked for, which tools were called, how it ended, what mended it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from hindsight_graph.learning.cues import confirms, corrects, decides, gives_up, rejects, says_done
from hindsight_graph.learning.signatures import is_error, signature
from hindsight_graph.models.enums import Outcome
from hindsight_graph.models.episode import Message, ToolCall
from hindsight_graph.models.learning import STEPS_KEPT, Step
from hindsight_graph.text.language import split_sentences
from hindsight_graph.text.recalled import is_memory_tool, without_recalled

__all__ = ["Attempt", "Repair", "read_attempts", "repairs_of"]

_VALUE_LIMIT = 120
_DECISIONS_KEPT = 5
_DECISION_LIMIT = 200
_REACTION_LIMIT = 40
"""A user's message of more characters that only thanks is rare; longer ones are read as requests."""


@dataclass
class Attempt:
    """One task as it went.

    Attributes:
        request: The user's words that began it; empty when the transcript begins in the middle.
        steps: Tool calls in order. decisions: sentences in which the agent stated a choice.
        corrections: The user's words that put it right. verdict: what the user said of the end; None when nothing.
        last_words: The agent's last message.
        positions: Of its messages, in the order of the transcript.
        started, ended: Event times as seconds; None when no message has one.
    """

    request: str = ""
    steps: list[Step] = field(default_factory=list[Step])
    decisions: list[str] = field(default_factory=list[str])
    corrections: list[str] = field(default_factory=list[str])
    verdict: Outcome | None = None
    last_words: str = ""
    positions: list[int] = field(default_factory=list[int])
    started: float | None = None
    ended: float | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended: by the user's verdict, else the last tool result and the agent's words; None when nothing tells.

        Partial: the agent says that it is done although its last call failed, or that it failed although its last call did not.
        """
        if self.verdict is not None:
            return self.verdict
        lost, done = gives_up(self.last_words), says_done(self.last_words)
        if self.steps:
            if self.steps[-1].ok:
                return Outcome.PARTIAL if lost else Outcome.SUCCESS
            return Outcome.PARTIAL if done else Outcome.FAILURE
        if lost:
            return Outcome.FAILURE
        return Outcome.SUCCESS if done and self.corrections else None

    @property
    def duration_s(self) -> float | None:
        """Seconds from its first to its last message."""
        return None if self.started is None or self.ended is None else max(0.0, self.ended - self.started)


@dataclass(frozen=True, slots=True)
class Repair:
    """What was different when a call that failed worked.

    Attributes:
        failed: The failing step. worked: the later step that did; None when another tool took its place (`instead`).
        between: Tools that were called with success in between and not before the failure, in order, each once.
        added: Arguments that only the working call had. changed: arguments with another value then.
        instead: The other tool.
    """

    failed: Step
    worked: Step | None
    between: tuple[str, ...] = ()
    added: Mapping[str, str] = field(default_factory=dict[str, str])
    changed: Mapping[str, str] = field(default_factory=dict[str, str])
    instead: str = ""


def read_attempts(messages: Sequence[Message], episode_ids: Sequence[str] = ()) -> tuple[Attempt, ...]:
    """Return the tasks of a transcript, in order; what was recalled from memory and system messages are left out.

    A user's message begins a task when the one before has used tools and ended, and the message neither corrects nor judges it.
    Tool results are matched to calls by id, else by the tool's name, oldest call first. A tool message without a call is taken
    as call and result alike (promise X-02).

    Args:
        messages: In order.
        episode_ids: Of the same length, or empty.
    """
    reader = _Reader()
    for position, message in enumerate(messages):
        if message.recalled or message.role == "system":
            continue
        own = _own(message)
        if own.content.strip() or own.tool_calls:
            reader.take(position, own, episode_ids[position] if episode_ids else "")
    return reader.finish()


def _own(message: Message) -> Message:
    """Return a message without what was recalled: blocks of memories in its words, and calls of the memory's own tools."""
    words = without_recalled(message.content)
    calls = tuple(call for call in message.tool_calls if not is_memory_tool(call.name))
    if words == message.content and len(calls) == len(message.tool_calls):
        return message
    return message.model_copy(update={"content": words, "tool_calls": calls})


def repairs_of(steps: Sequence[Step]) -> tuple[Repair, ...]:
    """Return how failures were mended inside one task: for each tool that failed, its first failure against its next success."""
    found: list[Repair] = []
    for tool in dict.fromkeys(step.tool for step in steps if not step.ok):
        at = next(index for index, step in enumerate(steps) if step.tool == tool and not step.ok)
        later = next((index for index in range(at + 1, len(steps)) if steps[index].tool == tool and steps[index].ok), None)
        if later is not None:
            found.append(_retried(steps, at, later))
        elif steps[-1].ok:
            before = {step.tool for step in steps[:at] if step.ok}
            others = [step.tool for step in steps[at + 1 :] if step.ok and step.tool not in before]
            if others:
                found.append(Repair(failed=steps[at], worked=None, instead=others[-1]))
    return tuple(found)


def _retried(steps: Sequence[Step], at: int, later: int) -> Repair:
    failed, worked = steps[at], steps[later]
    before = {step.tool for step in steps[:at] if step.ok}
    between = dict.fromkeys(
        step.tool for step in steps[at + 1 : later] if step.ok and step.tool not in before and step.tool != failed.tool
    )
    added = {name: value for name, value in worked.arguments.items() if name not in failed.arguments}
    changed = {
        name: value for name, value in worked.arguments.items() if name in failed.arguments and failed.arguments[name] != value
    }
    return Repair(failed, worked, tuple(between), added, changed)


class _Reader:
    """Walks over the messages once."""

    def __init__(self) -> None:
        self._done: list[Attempt] = []
        self._now = Attempt()
        self._open: list[tuple[int, ToolCall]] = []
        self._asked = False

    def take(self, position: int, message: Message, episode_id: str) -> None:
        text = message.content.strip()
        if message.role == "user":
            self._user(text)
        elif message.role == "tool":
            self._result(message, episode_id)
        else:
            self._agent(message, text, episode_id)
        self._now.positions.append(position)
        if message.occurred_at is not None:
            moment = message.occurred_at.timestamp()
            self._now.started = moment if self._now.started is None else self._now.started
            self._now.ended = moment

    def finish(self) -> tuple[Attempt, ...]:
        self._close()
        return tuple(self._done)

    def _close(self) -> None:
        kept = self._now
        if len(kept.steps) > STEPS_KEPT:
            kept.steps = [*kept.steps[: STEPS_KEPT // 2], *kept.steps[-STEPS_KEPT // 2 :]]
        if kept.positions:
            self._done.append(kept)
        self._now, self._open, self._asked = Attempt(), [], False

    def _user(self, text: str) -> None:
        now = self._now
        begun = bool(now.steps or now.last_words)
        if begun and rejects(text):
            now.verdict = Outcome.FAILURE
            if corrects(text):
                now.corrections.append(text)
        elif begun and corrects(text):
            now.corrections.append(text)
            now.verdict = None
        elif begun and confirms(text) and len(text) <= _REACTION_LIMIT:
            now.verdict = Outcome.SUCCESS
        elif now.steps and not self._asked:
            if confirms(text):
                now.verdict = Outcome.SUCCESS
            self._close()
            self._now.request = text
        elif not now.request:
            now.request = text

    def _agent(self, message: Message, text: str, episode_id: str) -> None:
        now = self._now
        if text:
            now.last_words = text
            self._asked = text.rstrip().endswith(("?", "？"))
            for span in split_sentences(text[:4_000]):
                sentence = " ".join(text[span.start : span.end].split())
                if decides(sentence) and len(now.decisions) < _DECISIONS_KEPT and sentence not in now.decisions:
                    now.decisions.append(sentence[:_DECISION_LIMIT])
        for call in message.tool_calls:
            self._open.append((len(now.steps), call))
            now.steps.append(Step(tool=call.name, arguments=_arguments(call.arguments), episode_id=episode_id))
            now.verdict = None

    def _result(self, message: Message, episode_id: str) -> None:
        content = message.content.strip()
        failed = is_error(content)
        error = signature(content) if failed else ""
        now = self._now
        now.verdict = None
        for call in message.tool_calls:
            now.steps.append(Step(tool=call.name, arguments=_arguments(call.arguments), episode_id=episode_id))
        match = self._match(message)
        if match is not None:
            step = now.steps[match]
            now.steps[match] = step.model_copy(update={"ok": not failed, "error": error})
        elif not message.tool_calls:
            tool = message.name or "tool"
            arguments = _arguments(content)
            if arguments and not failed:
                self._open.append((len(now.steps), ToolCall(name=tool)))
            now.steps.append(
                Step(tool=tool, arguments={} if failed else arguments, ok=not failed, error=error, episode_id=episode_id)
            )

    def _match(self, message: Message) -> int | None:
        """Return the place of the step that a result answers, and take its call off the open ones."""
        for index, (place, call) in enumerate(self._open):
            by_id = message.tool_call_id is not None and call.id == message.tool_call_id
            by_name = (message.tool_call_id is None or call.id is None) and (message.name or call.name) == call.name
            if by_id or by_name:
                del self._open[index]
                return place
        return None


def _arguments(text: str) -> dict[str, str]:
    """Return the top-level arguments of a call's JSON text as short text; empty when it is not a JSON object."""
    opened = text.find("{")
    if opened < 0:
        return {}
    try:
        values = json.loads(text[opened:])
    except (ValueError, RecursionError):
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(name): _short(value) for name, value in cast("dict[str, object]", values).items()}


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _VALUE_LIMIT else text[: _VALUE_LIMIT - 1] + "…"
