"""How fast learning is on the embedded store: one reflection, a consolidation from scratch, one more experience.

Part of `python -m bench.learn`. Times are processor time of the whole process in milliseconds, beside the clock on the wall.
"""

import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.learn_agent import Memory, perform
from bench.learn_world import make_learn_world
from hindsight_graph import HindsightGraph
from hindsight_graph.learning.attempts import read_attempts
from hindsight_graph.learning.drafting import ReflectPolicy, draft
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.learning import EXPERIENCE_KEY
from hindsight_graph.pipelines.messages import parse_messages
from hindsight_graph.testing.patience import patient_settings

_CHUNK = 500
_REPEATS = 7


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return processor and wall milliseconds of a piece of work."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


def experiences(count: int, seed: int = 200) -> list[dict[str, Any]]:
    """Return that many experiences of the invented world as units."""
    world = make_learn_world(seed, count)
    found: list[dict[str, Any]] = []
    for task in world.tasks:
        done = perform(world, task, Memory())
        (attempt,) = read_attempts(parse_messages(done.messages))
        made = draft(attempt, ReflectPolicy(), asked=True, task_type=task.type).draft
        if made is None:
            raise AssertionError(f"task {task.number} gave no experience")
        experience = made.experience
        found.append(
            {
                "summary": made.summary,
                "kind": Kind.EXPERIENCE,
                "task_type": task.type,
                "outcome": experience.outcome,
                "tools": experience.tools,
                "error_code": made.error_code,
                "session_id": f"s{task.number}",
                "payload": {EXPERIENCE_KEY: experience.model_dump(mode="json")},
            }
        )
    return found


def transcript(seed: int, length: int) -> list[dict[str, Any]]:
    """Return the first messages of the invented world's tasks, one after the other."""
    world = make_learn_world(seed, length)
    messages: list[dict[str, Any]] = []
    for task in world.tasks:
        messages.extend(perform(world, task, Memory()).messages)
    return messages[:length]


def speed_figures(count: int, folder: Path) -> dict[str, dict[str, Any]]:
    """Measure on a new embedded store; returns rows of figures."""
    rows: dict[str, dict[str, Any]] = {}
    with HindsightGraph(
        f"sqlite:///{folder / 'speed.db'}", embedder="hashing", extractor="rules", settings=patient_settings()
    ) as memory:

        def reflect(seed: int, length: int) -> None:
            memory.learning.reflect(transcript(seed, length), session_id=f"r{seed}-{length}", task_type="mixed")
            memory.jobs.work()

        few = [timed(lambda seed=seed: reflect(seed, 50)) for seed in range(300, 300 + _REPEATS)]
        rows["reflect, 50 messages"] = _row(few)
        units = experiences(count)
        filled = timed(lambda: [memory.remember_many(units[at : at + _CHUNK]) for at in range(0, count, _CHUNK)])
        rows[f"write {count} experiences"] = _row([filled])
        rows[f"consolidate {count} from scratch"] = _row([timed(memory.learning.consolidate)])
        rows["consolidate again"] = _row([timed(memory.learning.consolidate)])
        one = [timed(lambda seed=seed: reflect(seed, 4)) for seed in range(400, 400 + _REPEATS)]
        rows[f"one more, beside {count}"] = _row(one)
        more = [timed(lambda seed=seed: reflect(seed, 50)) for seed in range(500, 500 + _REPEATS)]
        rows[f"reflect, 50 messages, beside {count}"] = _row(more)
    rows["peak memory, MB"] = {"median": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}
    return rows


def _row(times: list[tuple[float, float]]) -> dict[str, Any]:
    cpu = [one for one, _ in times]
    wall = [one for _, one in times]
    return {
        "cpu_min": round(min(cpu), 1),
        "median": round(statistics.median(cpu), 1),
        "max": round(max(cpu), 1),
        "wall_min": round(min(wall), 1),
    }
