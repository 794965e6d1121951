"""The arms of the learning bench that remember by the engine: what each of them is shown, and what it makes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from bench.learn_agent import UNKNOWN, Done, Memory, Way, content
from bench.learn_world import CHANGED, CONTENTS, HELPERS, SETTINGS, LearnWorld, Task
from hindsight_graph import HindsightGraph
from hindsight_graph.client import AgentMemory
from hindsight_graph.clock import ManualClock
from hindsight_graph.learning.precedents import Precedent
from hindsight_graph.models.enums import Status
from hindsight_graph.models.learning import Experience, Rule, RuleKind, Strategy
from hindsight_graph.models.result import Hit

EAGER: Mapping[str, Any] = {"auto_approve": True, "auto_supporting": 3, "auto_low": 0.2}
"""Three experiences that support it, and a lower Wilson bound of .2: a call that followed it and worked, and none that failed; no
other rule that does as well."""
DEFAULT: Mapping[str, Any] = {"auto_approve": True}
"""The defaults: five experiences and a bound of .5. Where what was tried helps at once, an approval can wait."""


class Reads(NamedTuple):
    """What an arm reads.

    Attributes:
        strategies: Approved strategies, followed. successes: the three best experiences that worked, imitated.
        tried: What `AgentMemory.before` tells of ways that were tried: what worked is repeated, dead ends come last.
        policy: By which strategies are approved, `EAGER` or `DEFAULT`.
    """

    strategies: bool = False
    successes: bool = False
    tried: bool = False
    policy: Mapping[str, Any] = EAGER


READS: Mapping[str, Reads] = {
    "experiences": Reads(successes=True),
    "tried": Reads(tried=True),
    "strategies alone": Reads(strategies=True),
    "strategies, experiences": Reads(strategies=True, successes=True),
    "strategies": Reads(strategies=True, tried=True, policy=DEFAULT),
}
"""By arm. The last one is what the engine hands to an agent before a task (`AgentMemory.before`), read as its prompt says."""


@dataclass
class Tally:
    """What an arm came to in one seed."""

    worked: list[bool] = field(default_factory=list[bool])
    steps: list[int] = field(default_factory=list[int])
    approved: int = 0
    false: int = 0
    unlearned: int | None = None
    relearned: int | None = None
    wrong: list[str] = field(default_factory=list[str])


class Engine(Memory):
    """Remembers by the engine, and reads of it what its arm reads."""

    def __init__(self, memory: HindsightGraph, clock: ManualClock, world: LearnWorld, reads: Reads, tally: Tally) -> None:
        self._root = memory
        self._memory = memory.acting_for(tenant="bench", agent_id="agent")
        self._agent = AgentMemory(self._memory)
        self._clock = clock
        self._world = world
        self._reads = reads
        self._tally = tally
        self._judged: set[str] = set()
        self._changed_seen = 0
        self._outlook: dict[tuple[object, ...], float] = {}

    def ideas(self, task: Task) -> list[Way]:
        """Return what strategies tell, then what worked before; a strategy whose way fails of late comes after."""
        if self._reads.tried:
            return self._informed(task)
        found: list[Way] = []
        if self._reads.strategies:
            hits = self._memory.recall(task.goal, kinds=["strategy"], tool=task.tool, top_k=5).results
            found.extend(_followed(task, hits))
        if self._reads.successes:
            found.extend(self._imitated(task))
        return _each_once(found)

    def outlook(self, task: Task) -> Mapping[tuple[object, ...], float]:
        """Return how what was tried went, where the arm reads that."""
        del task
        return self._outlook

    def _informed(self, task: Task) -> list[Way]:
        known = self._agent.before(task.goal, tools=[task.tool], task_type=task.type)
        ways = [(_way(task, item), item) for item in known.precedents if item.tool not in HELPERS]
        self._outlook = {way.core: item.mean for way, item in reversed(ways)}
        followed = _followed(task, known.strategies.results) if self._reads.strategies else []
        sound = [way for way in followed if self._outlook.get(way.core, UNKNOWN) >= UNKNOWN]
        return _each_once([*sound, *(way for way, item in ways if item.is_promising)])

    def _imitated(self, task: Task) -> list[Way]:
        hits = self._memory.recall(task.goal, kinds=["experience"], task_type=task.type, outcome="success", top_k=3).results
        found: list[Way] = []
        for hit in hits:
            experience = Experience.of(hit.memory.payload)
            steps = [step for step in experience.steps if step.ok] if experience is not None else []
            if steps and steps[-1].tool not in HELPERS:
                given = tuple((name, value if name in SETTINGS else content(task)) for name, value in steps[-1].arguments.items())
                found.append(Way(steps[-1].tool, tuple(step.tool for step in steps[:-1] if step.tool in HELPERS), given))
        return found

    def ended(self, done: Done) -> None:
        """Reflect on the transcript, report what was used, and look at what is approved."""
        self._clock.advance(timedelta(hours=2))
        task = done.task
        for way, worked in (*((way, False) for way in done.failed), *(((done.last, True),) if done.worked else ())):
            if way.ids:
                self._memory.learning.feedback(
                    way.ids, "success" if worked else "failure", task_id=f"task-{task.number}-{worked}"
                )
        self._memory.learning.reflect(done.messages, session_id=f"s{task.number}", task_type=task.type)
        self._root.jobs.work()
        if self._reads.strategies:
            self._look(done)

    def _look(self, done: Done) -> None:
        """Judge strategies that became active since, and see whether the old rule is still one of them."""
        task, tally = done.task, self._tally
        active = self._memory.list(kinds=["strategy"], statuses=[Status.ACTIVE], limit=100).rows
        rules = [(item.id, strategy.rule) for item in active if (strategy := Strategy.of(item.payload)) is not None]
        for memory_id, rule in rules:
            if memory_id not in self._judged:
                self._judged.add(memory_id)
                tally.approved += 1
                if not self._world.is_true(rule, task.number):
                    tally.false += 1
                    tally.wrong.append(f"seed {self._world.seed} task {task.number}: {said(rule)}")
        if task.number >= self._world.count // 2 and task.type == CHANGED:
            self._changed_seen += 1
            old, new = self._world.needed[task.tool], self._world.later[task.tool]
            held = {rule.other for _, rule in rules if rule.tool == task.tool}
            if old.before not in held and tally.unlearned is None:
                tally.unlearned = self._changed_seen
            if new.before in held and tally.relearned is None:
                tally.relearned = self._changed_seen


def _followed(task: Task, hits: Sequence[Hit]) -> list[Way]:
    """Return the one way that the strategies about the task's tool tell together, or none."""
    helpers: list[str] = []
    given: dict[str, str] = {}
    tool, ids = task.tool, list[str]()
    for hit in hits:
        strategy = Strategy.of(hit.memory.payload)
        if strategy is None or strategy.rule.tool != task.tool:
            continue
        if strategy.conditions.task_types and task.type not in strategy.conditions.task_types:
            continue
        rule = strategy.rule
        if rule.kind is RuleKind.PRECONDITION:
            helpers.append(rule.other)
        elif rule.kind is RuleKind.ARGUMENT and rule.other not in given:
            given[rule.other] = rule.value or (content(task) if rule.other in CONTENTS else SETTINGS[rule.other][0])
        elif rule.kind is RuleKind.ALTERNATIVE and tool == task.tool:
            tool = rule.other
        else:
            continue
        ids.append(hit.memory.id)
    return [Way(tool, tuple(sorted(helpers)), tuple(given.items()), tuple(ids))] if ids else []


def _way(task: Task, item: Precedent) -> Way:
    """Return a way that was tried as one for this task; the case's id goes into every call anyway."""
    given = ((name, value if name in SETTINGS else content(task)) for name, value in item.arguments.items() if name != "id")
    return Way(item.tool, item.before, tuple(given))


def _each_once(ways: Sequence[Way]) -> list[Way]:
    return list({way.core: way for way in reversed(ways)}.values())[::-1]


def said(rule: Rule) -> str:
    """Return a rule in short."""
    return f"{rule.kind} {rule.tool} {rule.other} {rule.value}".strip()
