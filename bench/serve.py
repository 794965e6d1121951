"""What a service does under many callers: 50 clients ask one `hindsight-graph serve` at once, and its memory is watched.

    python -m bench.serve [--size 10000] [--clients 50] [--seconds 60] [--json]
    python -m bench.serve --seconds 300                # the soak: `make soak`

Every client asks one question after the other, without a pause. An answer counts as equal when it names the same memories in the
same order as the idle server's answer to the same question. Growth compares the resident memory of the serving process after a
fifth of the time with that at the end.
"""

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.mcp import COMMAND, fill

P95_LIMIT_MS = 500.0
DEGRADED_LIMIT = 1.0
GROWTH_LIMIT = 5.0
_STARTED = re.compile(r"Server started on port (\d+)")
_QUESTIONS = 200
_PAGE_KB = 4


@dataclass
class Tally:
    """What the clients saw."""

    milliseconds: list[float] = field(default_factory=list[float])
    errors: int = 0
    degraded: int = 0
    different: int = 0


def start(store: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start the service on a free port; return it with its address once it is ready."""
    command = [COMMAND, "serve", "--port", "0", "--no-mcp", "--store", f"sqlite:///{store}"]
    environment = {"HINDSIGHT_GRAPH_ACCESS_REQUESTS_PER_MINUTE": "0", "HINDSIGHT_GRAPH_RECALL_DEADLINE_MS": "500"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("HINDSIGHT_GRAPH_")}
    log = store.with_suffix(".log")  # a file: a pipe that nobody reads fills up and stops the service
    with log.open("w") as written:
        process = subprocess.Popen(command, stderr=written, env={**inherited, **environment})
    while "Memory service ready" not in log.read_text():
        if process.poll() is not None:
            raise SystemExit(f"the service did not start: {log.read_text()}")
        time.sleep(0.05)
    found = _STARTED.search(log.read_text())
    assert found is not None, "the service says its port before it is ready"
    return process, f"http://127.0.0.1:{found.group(1)}"


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KB / 1024


async def ask(http: httpx.AsyncClient, question: str) -> tuple[int, Any]:
    """Search once; return the status and the answer."""
    answer = await http.post("/v1/search", json={"query": question, "top_k": 10})
    return answer.status_code, answer.json()


def names(answer: Any) -> list[str]:
    """Return the ids of an answer's memories in order."""
    return [hit["memory"]["id"] for hit in answer["results"]]


async def client(http: httpx.AsyncClient, place: int, idle: dict[str, list[str]], until: float, tally: Tally) -> None:
    """Ask until the time is over."""
    questions = list(idle)
    step = place
    while time.monotonic() < until:
        question = questions[step % len(questions)]
        step += 7
        began = time.perf_counter()
        status, answer = await ask(http, question)
        tally.milliseconds.append(1000 * (time.perf_counter() - began))
        if status != 200:
            tally.errors += 1
        elif answer["degraded"]:
            tally.degraded += 1
        elif names(answer) != idle[question]:
            tally.different += 1


async def measure(url: str, pid: int, questions: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """Return the figures of one run."""
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30) as http:
        idle = {question: names((await ask(http, question))[1]) for question in dict.fromkeys(questions)}
        tally, until = Tally(), time.monotonic() + seconds
        tasks = [asyncio.create_task(client(http, place, idle, until, tally)) for place in range(clients)]
        await asyncio.sleep(seconds / 5)
        early = resident_mb(pid)
        await asyncio.gather(*tasks)
        late = resident_mb(pid)
    number = len(tally.milliseconds)
    cuts = statistics.quantiles(tally.milliseconds, n=100)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests": number,
        "requests_per_s": round(number / seconds, 1),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "max_ms": round(max(tally.milliseconds), 1),
        "errors": tally.errors,
        "degraded_percent": round(100 * tally.degraded / number, 2),
        "different_percent": round(100 * tally.different / number, 2),
        "rss_mb": round(late, 1),
        "rss_growth_percent": round(100 * (late / early - 1), 2),
        "limits": {"p95_ms": P95_LIMIT_MS, "degraded_percent": DEGRADED_LIMIT, "rss_growth_percent": GROWTH_LIMIT},
    }


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=10_000, help="memories in the store")
    parser.add_argument("--clients", type=int, default=50, help="callers at once")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they ask")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        questions = asyncio.run(fill(store, given.size))[:_QUESTIONS]
        process, url = start(store)
        try:
            figures = asyncio.run(measure(url, process.pid, questions, given.clients, given.seconds))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    for name, value in figures.items():
        print(f"{name:<20} {value}")
    if given.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    sys.exit(main())
