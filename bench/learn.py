"""Learning: does an agent that follows the engine's strategies do better, and how soon does it stop following a dead rule?

In an invented world (`bench/learn_world.py`) the same agent does the same tasks with the same luck, each time with another
memory: none; a plain list of the last five failures; experiences recalled by the engine, whose success it imitates;
strategies recalled by the engine, which it follows; both; and the hidden rules themselves (oracle). Each task is two tries;
an error by noise is retried once. Nothing but the public face is used: `reflect` worked inline, `recall`, `feedback`.
Strategies are approved by the stated policy for a private agent (`POLICY`). No LLM. Seeds 0 to 9 were not used while
building; 100 and up were.

    python -m bench.learn [--seeds 10] [--first-seed 0] [--tasks 240] [--part world|speed|both] [--experiences 10000] [--json]
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.common import print_table
from bench.learn_agent import Done, LastFailures, Memory, Oracle, Way, content, perform
from bench.learn_speed import speed_figures
from bench.learn_world import CHANGED, CONTENTS, HELPERS, SETTINGS, LearnWorld, Task, make_learn_world
from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.models.enums import Status
from hindsight_graph.models.learning import Experience, Rule, RuleKind, Strategy
from hindsight_graph.testing.patience import patient_settings

POLICY: Mapping[str, Any] = {"auto_approve": True, "auto_supporting": 3, "auto_low": 0.2}
"""Three experiences that support it, and a lower Wilson bound of .2: a call that followed it and worked, and none that failed; no
other rule that does as well."""
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
ARMS = ("no memory", "last 5 failures", "experiences", "strategies", "both", "oracle")
_T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""97.5 % quantiles of Student's t by number of seeds."""


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
    """Remembers by the engine: strategies to follow, experiences to imitate, or both."""

    def __init__(self, memory: HindsightGraph, clock: ManualClock, world: LearnWorld, arm: str, tally: Tally) -> None:
        self._root = memory
        self._memory = memory.acting_for(tenant="bench", agent_id="agent")
        self._clock = clock
        self._world = world
        self._arm = arm
        self._tally = tally
        self._judged: set[str] = set()
        self._changed_seen = 0

    def ideas(self, task: Task) -> list[Way]:
        """Return what strategies tell, then what worked before."""
        found: list[Way] = []
        if self._arm in ("strategies", "both"):
            found.extend(self._followed(task))
        if self._arm in ("experiences", "both"):
            found.extend(self._imitated(task))
        return list({way.core: way for way in reversed(found)}.values())[::-1]

    def _followed(self, task: Task) -> list[Way]:
        hits = self._memory.recall(task.goal, kinds=["strategy"], tool=task.tool, top_k=5).results
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
        return [Way(tool, tuple(helpers), tuple(given.items()), tuple(ids))] if ids else []

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
        self._look(done)

    def _look(self, done: Done) -> None:
        """Judge strategies that became active since, and see whether the old rule is still one of them."""
        if self._arm == "experiences":
            return
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


def said(rule: Rule) -> str:
    """Return a rule in short."""
    return f"{rule.kind} {rule.tool} {rule.other} {rule.value}".strip()


def run_arm(world: LearnWorld, arm: str, folder: Path) -> Tally:
    """Do all tasks of a world with one memory."""
    tally = Tally()

    def go(memory: Memory) -> None:
        for task in world.tasks:
            done = perform(world, task, memory)
            memory.ended(done)
            tally.worked.append(done.worked)
            tally.steps.append(done.steps)

    plain = {"no memory": Memory(), "last 5 failures": LastFailures(), "oracle": Oracle(world)}
    if arm in plain:
        go(plain[arm])
        return tally
    clock = ManualClock(START)
    url = f"sqlite:///{folder / f'{arm}-{world.seed}.db'}"
    with HindsightGraph(
        url, embedder="hashing", extractor="rules", settings=patient_settings(learning=dict(POLICY)), clock=clock
    ) as memory:
        go(Engine(memory, clock, world, arm, tally))
    return tally


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and half of its 95 % confidence interval over seeds, by Student's t."""
    if len(values) < 2:
        return (values[0], math.nan)
    half = _T95.get(len(values), 1.96) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), half


def run_seed(seed: int, count: int, arms: Sequence[str]) -> dict[str, Tally]:
    """Run every arm on one seed."""
    world = make_learn_world(seed, count)
    with tempfile.TemporaryDirectory() as folder:
        found = {arm: run_arm(world, arm, Path(folder)) for arm in arms}
    rates = ", ".join(f"{arm} {100 * statistics.mean(tally.worked):.1f}" for arm, tally in found.items())
    print(f"seed {seed}: {rates}; {time.process_time():.0f} s of processor time", file=sys.stderr, flush=True)
    return found


def world_figures(
    seeds: Sequence[int], count: int, arms: Sequence[str], processes: int
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Run every arm on every seed; returns figures by arm, and the false strategies in words."""
    tallies: dict[str, list[Tally]] = {arm: [] for arm in arms}
    with ProcessPoolExecutor(max_workers=processes) as pool:
        for row in pool.map(run_seed, seeds, [count] * len(seeds), [tuple(arms)] * len(seeds)):
            for arm, tally in row.items():
                tallies[arm].append(tally)
    rates = {arm: [100 * statistics.mean(one.worked) for one in found] for arm, found in tallies.items()}
    figures: dict[str, dict[str, Any]] = {}
    for arm, found in tallies.items():
        mean, half = interval(rates[arm])
        gains = [
            100 * (own - none) / (best - none)
            for own, none, best in zip(rates[arm], rates["no memory"], rates["oracle"], strict=True)
        ]
        gain, gain_half = interval(gains)
        late = [100 * statistics.mean(one.worked[len(one.worked) // 4 : len(one.worked) // 2]) for one in found]
        row: dict[str, Any] = {
            "per_100": round(mean, 1),
            "ci95": round(half, 1),
            "gain_%": round(gain, 1),
            "gain_ci95": round(gain_half, 1),
            "2nd_quarter": round(statistics.mean(late), 1),
            "steps": round(statistics.mean(step for one in found for step in one.steps), 2),
        }
        if arm in ("strategies", "both"):
            approved = sum(one.approved for one in found)
            forgot = [one.unlearned for one in found]
            row |= {
                "approved": approved,
                "false_%": round(100 * sum(one.false for one in found) / max(1, approved), 1),
                "unlearn_max": max((value if value is not None else 999 for value in forgot), default=0),
                "unlearn_mean": round(statistics.mean(value if value is not None else 999 for value in forgot), 1),
                "relearned": sum(one.relearned is not None for one in found),
            }
        figures[arm] = row
    return figures, [line for found in tallies.values() for one in found for line in one.wrong]


def main() -> None:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--tasks", type=int, default=240)
    parser.add_argument("--arms", nargs="*", default=list(ARMS), choices=ARMS)
    parser.add_argument("--processes", type=int, default=2, help="seeds at once")
    parser.add_argument("--part", choices=("world", "speed", "both"), default="both")
    parser.add_argument("--experiences", type=int, default=10_000)
    parser.add_argument("--wrong", action="store_true", help="print each false strategy that was approved")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    options = parser.parse_args()
    result: dict[str, Any] = {"bench": "learn"}
    if options.part in ("world", "both"):
        seeds = range(options.first_seed, options.first_seed + options.seeds)
        arms = [arm for arm in ARMS if arm in {*options.arms, "no memory", "oracle"}]
        figures, wrong = world_figures(seeds, options.tasks, arms, options.processes)
        if options.wrong:
            sys.stdout.writelines(f"{line}\n" for line in wrong)
        result |= {"seeds": list(seeds), "tasks": options.tasks, **figures}
        print_table(f"{len(seeds)} seeds of {options.tasks} tasks", figures)
    if options.part in ("speed", "both"):
        with tempfile.TemporaryDirectory() as folder:
            speed = speed_figures(options.experiences, Path(folder))
        result |= {"speed": speed}
        print_table("speed, milliseconds", speed)
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
