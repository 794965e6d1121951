"""The agent of the learning bench: it does a task by the ideas of its memory, then by its own hunches; and the plain memories."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.learn_world import SETTINGS, TRANSIENT, LearnWorld, Move, Task

TRIES = 2
UNKNOWN = 0.5
"""How likely a way is to work that nobody tried: the prior mean of `Precedent.mean`."""
_BARE = 0.5
"""Share of first tries without an idea in which the agent makes the bare call."""


@dataclass(frozen=True)
class Way:
    """How a try is made: helpers before, arguments, the tool called; and the ids of strategies that said so."""

    tool: str
    helpers: tuple[str, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def core(self) -> tuple[object, ...]:
        """What makes two ways the same: content is not compared."""
        return self.tool, self.helpers, tuple((name, value if name in SETTINGS else "") for name, value in self.arguments)


@dataclass
class Done:
    """How one task went."""

    task: Task
    worked: bool
    steps: int
    messages: list[dict[str, Any]]
    failed: list[Way]
    last: Way


def way_of(move: Move, task: Task) -> Way:
    """Return a hunch as a way to do the task; what is content is made up for the task."""
    given = ((move.argument, move.value or content(task)),) if move.argument else ()
    return Way(move.instead or task.tool, (move.before,) if move.before else (), given)


def content(task: Task) -> str:
    """Return an argument's value that belongs to this task alone."""
    return f"A{task.number}-{task.number * 31}"


class Memory:
    """What an agent remembers: nothing, in this one."""

    def ideas(self, task: Task) -> list[Way]:
        """Return ways to try first, best first."""
        del task
        return []

    def outlook(self, task: Task) -> Mapping[tuple[object, ...], float]:
        """Return how often ways worked, 0..1, by their cores; .5 for what is not in it."""
        del task
        return {}

    def ended(self, done: Done) -> None:
        """Take in how a task went."""


class Oracle(Memory):
    """Knows the hidden rules."""

    def __init__(self, world: LearnWorld) -> None:
        self._world = world

    def ideas(self, task: Task) -> list[Way]:
        """Return what is needed, for every try."""
        return [way_of(self._world.need(task.tool, task.number), task)] * TRIES


class LastFailures(Memory):
    """Keeps the last five tries that failed, and does not repeat them."""

    def __init__(self) -> None:
        self._failed: list[Way] = []

    def outlook(self, task: Task) -> Mapping[tuple[object, ...], float]:
        """Return what is on the list, as what never works."""
        del task
        return {way.core: 0.0 for way in self._failed}

    def ended(self, done: Done) -> None:
        """Put what failed on the list."""
        self._failed = [*self._failed, *done.failed][-5:]


def perform(world: LearnWorld, task: Task, memory: Memory) -> Done:
    """Do one task with what the memory offers; chance is the same for every memory."""
    rng = random.Random(f"{world.seed}/{task.number}")
    bare = rng.random() < _BARE
    hunches = [way_of(move, task) for move in rng.sample(world.hunches[task.tool], len(world.hunches[task.tool]))]
    if bare:
        hunches.sort(key=lambda way: way != Way(task.tool))
    ideas = memory.ideas(task)
    outlook = memory.outlook(task)
    hunches.sort(key=lambda way: -outlook.get(way.core, UNKNOWN))
    known = {way.core for way in ideas}
    ways = [*ideas, *(way for way in hunches if way.core not in known)][:TRIES]
    messages: list[dict[str, Any]] = [{"role": "user", "content": task.goal}]
    helped: list[str] = []
    failed: list[Way] = []
    calls = steps = 0

    def call(tool: str, arguments: Mapping[str, str], result: str) -> None:
        nonlocal steps
        function = {"name": tool, "arguments": json.dumps({"id": str(task.number), **arguments})}
        made = {"id": f"c{steps}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": f"c{steps}", "content": result})
        steps += 1

    def help_with(names: Sequence[str]) -> None:
        for name in names:
            if name not in helped:
                helped.append(name)
                call(name, {}, f"{name} found case {task.number}")

    help_with(task.rituals)
    for way in ways:
        help_with(way.helpers)
        result = TRANSIENT
        for _ in range(2):
            result = world.result(task, way.tool, dict(way.arguments), helped, calls)
            calls += 1
            call(way.tool, dict(way.arguments), result)
            if result != TRANSIENT:
                break
        if result.startswith("done"):
            messages.append({"role": "assistant", "content": "The task is done."})
            return Done(task, True, steps, messages, failed, way)
        failed.append(way)
    messages.append({"role": "assistant", "content": "I could not do it."})
    return Done(task, False, steps, messages, failed, ways[-1])
