"""Learning: does an agent that follows the engine's strategies do better, and how soon does it stop following a dead rule?

In an invented world (`bench/learn_world.py`) the same agent does the same tasks with the same luck, each time with another
memory: none; a plain list of the last five failures; what the engine recalls (`READS`: experiences that worked, imitated; the
lines of what was tried; approved strategies alone; those, then experiences; and strategies with what was tried, which is what
`AgentMemory.before` hands to an agent); and the hidden rules themselves (oracle). Each task is two tries; an error by noise is
retried once. Nothing but the public face is used: `reflect` worked inline, `recall` and `before`, `feedback`. Strategies are
approved by a stated policy for a private agent (`EAGER`, `DEFAULT`). No LLM. docs/learning.md says which seeds were used while
building.

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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.common import print_table
from bench.learn_agent import LastFailures, Memory, Oracle, perform
from bench.learn_engine import READS, Engine, Tally
from bench.learn_speed import speed_figures
from bench.learn_world import LearnWorld, make_learn_world
from hindsight_graph import HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.testing.patience import patient_settings

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
ARMS = ("no memory", "last 5 failures", *READS, "oracle")
_T95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""97.5 % quantiles of Student's t by number of seeds."""


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
    reads = READS[arm]
    clock = ManualClock(START)
    url = f"sqlite:///{folder / f'{arm}-{world.seed}.db'}"
    with HindsightGraph(
        url, embedder="hashing", extractor="rules", settings=patient_settings(learning=dict(reads.policy)), clock=clock
    ) as memory:
        go(Engine(memory, clock, world, reads, tally))
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
            **_ahead(rates, arm),
            "steps": round(statistics.mean(step for one in found for step in one.steps), 2),
        }
        if arm in READS and READS[arm].strategies:
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


def _ahead(rates: Mapping[str, Sequence[float]], arm: str) -> dict[str, Any]:
    """Return by how many tasks of 100 an arm is ahead of the experiences' arm, seed by seed, with half of the 95 % interval."""
    if "experiences" not in rates or arm not in READS or arm == "experiences":
        return {}
    mean, half = interval([own - other for own, other in zip(rates[arm], rates["experiences"], strict=True)])
    return {"ahead": round(mean, 1), "ahead_ci95": round(half, 1)}


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
