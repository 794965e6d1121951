"""How long the command takes to answer --help, --version and an import: process time and wall time, medians.

    python -m bench.startup [--rounds N] [--json]

The limit for --help is 0.5 s of process time (user and system of the child).
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

LIMIT_S = 0.5
SCRIPT = str(Path(sys.executable).with_name("hindsight-graph"))
COMMANDS: dict[str, Sequence[str]] = {
    "help": (SCRIPT, "--help"),
    "version": (SCRIPT, "--version"),
    "import": (sys.executable, "-c", "import hindsight_graph"),
    "bare_python": (sys.executable, "-c", "pass"),
}


def measure(arguments: Sequence[str]) -> tuple[float, float]:
    """Run one child; return its process time and wall time in seconds."""
    before, began = os.times(), time.perf_counter()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, os.times()
    process = (after.children_user - before.children_user) + (after.children_system - before.children_system)
    return process, wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    options = parser.parse_args()
    os.chdir(Path(__file__).resolve().parent.parent)
    figures: dict[str, float] = {}
    for name, arguments in COMMANDS.items():
        measure(arguments)  # writes the bytecode cache, so that it is not what is measured
        rounds = [measure(arguments) for _ in range(options.rounds)]
        figures[f"{name}_process_s"] = round(statistics.median(process for process, _ in rounds), 3)
        figures[f"{name}_wall_s"] = round(statistics.median(wall for _, wall in rounds), 3)
        if not options.json:
            print(f"{name:12} process {figures[f'{name}_process_s']:.3f} s   wall {figures[f'{name}_wall_s']:.3f} s")
    figures["help_limit_s"] = LIMIT_S
    if options.json:
        print(json.dumps({"bench": "startup", **figures}))
    if figures["help_process_s"] >= LIMIT_S:
        raise SystemExit(f"startup: --help took {figures['help_process_s']} s of process time, the limit is {LIMIT_S} s")


if __name__ == "__main__":
    main()
