"""An invented world of tasks whose rules are hidden: what an agent may try, what works, and what only seems to.

Eight task types are done with seven main tools; six helpers and two newer tools stand beside them. Seven of the types have a
hidden rule, drawn anew for each seed: a helper that must be called before, an argument that must be given (a setting's value,
or any), another tool that must take the place. Two types share a tool, so what is learned in one holds in the other. One rule
changes half way. Calls fail by noise; helpers are called for no reason; in an outage a tool fails whatever is done, and then
works again.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from hindsight_graph.models.learning import Rule, RuleKind

HELPERS = ("get_order", "verify_identity", "run_checks", "list_files", "open_ticket", "read_policy")
SETTINGS = {"mode": ("strict", "fast", "safe"), "region": ("north", "south", "west"), "format": ("plain", "signed", "sealed")}
CONTENTS = ("approval_code", "contact", "reason_text")
NOISE = 0.06
"""Share of calls of a main tool that fail for no reason of the agent's."""
RITUAL = 0.35
"""Share of tasks in which the agent calls a helper that has nothing to do with it."""
OUTAGE = 5
"""Tasks of one type in a row that fail whatever is done, once in each run."""
TRANSIENT = "Error: timed out after 30 s"


class Sort(StrEnum):
    """What a type's hidden rule is."""

    NONE = "none"
    HELPER = "helper"
    SETTING = "setting"
    CONTENT = "content"
    OTHER_TOOL = "other tool"


TYPES: tuple[tuple[str, str, Sort, str], ...] = (
    ("refund", "process_refund", Sort.HELPER, "Refund order {n} for {who}"),
    ("chargeback", "process_refund", Sort.HELPER, "Settle the chargeback {n} of {who}"),
    ("deploy", "deploy_service", Sort.SETTING, "Deploy the {who} service, build {n}"),
    ("invoice", "send_invoice", Sort.CONTENT, "Send invoice {n} to {who}"),
    ("flight", "search_flights", Sort.OTHER_TOOL, "Find a flight for {who}, row {n}"),
    ("report", "export_report", Sort.HELPER, "Export report {n} for {who}"),
    ("reset", "reset_account", Sort.NONE, "Reset the account of {who}, case {n}"),
    ("shipment", "book_shipment", Sort.HELPER, "Book shipment {n} to {who}"),
)
"""Name, main tool, sort of the hidden rule, and how a task is asked for."""
CHANGED = "report"
_NEWER = {"search_flights": ("search_flights_v2", "ask_agency")}
_NAMES = ("Ann", "Bo", "Chen", "Dora", "Emil", "Fatma", "Goran", "Hana", "Ivo", "Jun")


@dataclass(frozen=True)
class Move:
    """One way to make the call: a helper before it, an argument with it, another tool in its place; all empty: the bare call."""

    before: str = ""
    argument: str = ""
    value: str = ""
    instead: str = ""


@dataclass(frozen=True)
class Task:
    """One task as it is put to every agent, with its chances drawn beforehand so that all agents meet the same.

    Attributes:
        rituals: Helpers that the agent happens to call. noise: for each call of a main tool, whether it fails by noise.
        is_down: It falls into an outage. number: place in the run.
    """

    number: int
    type: str
    tool: str
    goal: str
    rituals: tuple[str, ...]
    noise: tuple[bool, ...]
    is_down: bool


@dataclass
class LearnWorld:
    """A seed's rules and tasks.

    Attributes:
        needed: What each main tool needs before the change; later: what it needs after it.
        hunches: For each main tool the moves that come to mind, the needed ones among them.
    """

    seed: int
    count: int
    needed: dict[str, Move] = field(default_factory=dict[str, Move])
    later: dict[str, Move] = field(default_factory=dict[str, Move])
    hunches: dict[str, tuple[Move, ...]] = field(default_factory=dict[str, tuple[Move, ...]])
    tasks: tuple[Task, ...] = ()

    def need(self, tool: str, number: int) -> Move:
        """Return the move that works with a tool in the task of that number."""
        return (self.later if number >= self.count // 2 else self.needed)[tool]

    def result(self, task: Task, called: str, arguments: Mapping[str, str], helped: Sequence[str], call: int) -> str:
        """Return what the call of a main tool, or of one in its place, answers.

        Args:
            task: Which.
            called: The tool. arguments: what it was given.
            helped: Helpers called so far in this task.
            call: How many such calls were made before in this task.
        """
        if task.noise[min(call, len(task.noise) - 1)]:
            return TRANSIENT
        if task.is_down:
            return f"Error: {task.tool} is closed for case {task.number}"
        need = self.need(task.tool, task.number)
        if called != (need.instead or task.tool):
            return f"Error: {called} was refused for case {task.number}"
        met = need.before in ("", *helped)
        met = met and (not need.argument or (need.argument in arguments and need.value in ("", arguments[need.argument])))
        return f"done, receipt {task.number * 7 + 1000}" if met else f"Error: {called} was refused for case {task.number}"

    def is_true(self, rule: Rule, number: int) -> bool:
        """Whether a rule is the hidden one at that time; half of it (a setting without its value) is not."""
        need = (self.later if number >= self.count // 2 else self.needed).get(rule.tool)
        if need is None or need == Move():
            return False
        if rule.kind is RuleKind.PRECONDITION:
            return rule.other == need.before
        if rule.kind is RuleKind.ARGUMENT:
            return rule.other == need.argument and need.value in ("", rule.value) and (bool(need.value) or not rule.value)
        return rule.kind is RuleKind.ALTERNATIVE and rule.other == need.instead


def make_learn_world(seed: int, count: int) -> LearnWorld:
    """Return the world of a seed with that many tasks; all types equally often, in a shuffled order."""
    rng = random.Random(seed)
    world = LearnWorld(seed, count)
    for _, tool, sort, _ in TYPES:
        if tool not in world.needed:
            world.needed[tool] = _drawn(rng, tool, sort)
            world.later[tool] = world.needed[tool]
    old = world.needed["export_report"]
    new = Move(before=rng.choice([name for name in HELPERS if name != old.before]))
    world.later["export_report"] = new
    for tool, need in world.needed.items():
        world.hunches[tool] = _hunches(rng, tool, [need, world.later[tool]])
    world.tasks = _tasks(rng, count)
    return world


def _drawn(rng: random.Random, tool: str, sort: Sort) -> Move:
    if sort is Sort.HELPER:
        return Move(before=rng.choice(HELPERS))
    if sort is Sort.SETTING:
        name = rng.choice(sorted(SETTINGS))
        return Move(argument=name, value=rng.choice(SETTINGS[name]))
    if sort is Sort.CONTENT:
        return Move(argument=rng.choice(CONTENTS))
    return Move(instead=rng.choice(_NEWER[tool])) if sort is Sort.OTHER_TOOL else Move()


def _hunches(rng: random.Random, tool: str, needs: Sequence[Move]) -> tuple[Move, ...]:
    """Return the bare call, what is needed, and others that are as plausible: six in all."""
    moves = dict.fromkeys([Move(), *needs])
    others = [Move(before=name) for name in rng.sample(HELPERS, 3)]
    argument = next((need.argument for need in needs if need.argument in SETTINGS), rng.choice(sorted(SETTINGS)))
    others += [Move(argument=argument, value=value) for value in SETTINGS[argument]]
    others += [Move(argument=rng.choice(CONTENTS))]
    others += [Move(instead=name) for name in _NEWER.get(tool, ())]
    rng.shuffle(others)
    for move in others:
        if len(moves) < 6:
            moves.setdefault(move)
    return tuple(moves)


def _tasks(rng: random.Random, count: int) -> tuple[Task, ...]:
    kinds = [TYPES[number % len(TYPES)] for number in range(count)]
    half = count // 2
    first, second = kinds[:half], kinds[half:]
    rng.shuffle(first)
    rng.shuffle(second)
    down_type, down_from = rng.choice([name for name, *_ in TYPES if name != CHANGED]), rng.randrange(count // 5, count // 2)
    down = 0
    made: list[Task] = []
    for number, (name, tool, _, goal) in enumerate([*first, *second]):
        is_down = name == down_type and number >= down_from and down < OUTAGE
        down += is_down
        made.append(
            Task(
                number=number,
                type=name,
                tool=tool,
                goal=goal.format(n=rng.randrange(100, 9999), who=rng.choice(_NAMES)),
                rituals=(rng.choice(HELPERS),) if rng.random() < RITUAL else (),
                noise=tuple(rng.random() < NOISE for _ in range(4)),
                is_down=is_down,
            )
        )
    return tuple(made)
