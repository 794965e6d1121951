"""What a service does under many callers: 50 clients ask one `hindsight-graph serve` at once, and its memory is watched.

    python -m bench.serve [--size 10000] [--clients 50] [--seconds 60] [--workers N] [--json]
    python -m bench.serve --seconds 300                # the soak: `make soak`

Every client asks one question after the other, without a pause. The questions are 1,000 different ones about things that are
chosen by a power law (the most frequent one in every tenth), so that in a minute each is asked a few times. An answer counts as
equal when it names the same memories in the same order as the idle server's answer to the same question. The clients are one
process that speaks HTTP over plain sockets; its own processor time is told. Growth compares the resident memory of the serving
processes after a fifth of the time with that at the end.
"""

import argparse
import asyncio
import json
import os
import random
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

from bench.embedded import World
from bench.mcp import COMMAND, fill

P95_LIMIT_MS = 500.0
DEGRADED_LIMIT = 1.0
GROWTH_LIMIT = 5.0
_STARTED = re.compile(r"Server started on port (\d+)")
_QUESTIONS = 1_000
_IDS = re.compile(rb'\{"memory":\{"id":"([^"]+)"')
_HEAD = b"POST /v1/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
_DEGRADED = b'"degraded":true'
_PAGE_KB = 4
_TRIES = 5
"""How often an idle server may be asked until its answer is whole: something else may run on the machine."""


@dataclass
class Tally:
    """What the clients saw."""

    milliseconds: list[float] = field(default_factory=list[float])
    errors: int = 0
    degraded: int = 0
    different: int = 0


def start(store: Path, workers: int | None) -> tuple[subprocess.Popen[bytes], int]:
    """Start the service on a free port; return it with its port once it is ready."""
    command = [COMMAND, "serve", "--port", "0", "--no-mcp", "--store", f"sqlite:///{store}"]
    command += [] if workers is None else ["--workers", str(workers)]
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
    return process, int(found.group(1))


def processes(pid: int) -> list[Path]:
    """Return the folders in /proc of a process and of those it started."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path(f"/proc/{pid}"), *(folder for child in started for folder in processes(int(child)))]


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process and of those it started, in MB."""
    pages = sum(int((folder / "statm").read_text().split()[1]) for folder in processes(pid))
    return pages * _PAGE_KB / 1024


def processor_s(pid: int) -> float:
    """Return the processor time that a process and those it started have used, in seconds."""
    ticks = [(folder / "stat").read_text().rpartition(")")[2].split()[11:13] for folder in processes(pid)]
    return sum(int(number) for pair in ticks for number in pair) / os.sysconf("SC_CLK_TCK")


class Caller:
    """One connection that is kept, and one request at a time on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, port: int) -> "Caller":
        """Open a connection."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, question: str) -> tuple[int, bytes]:
        """Search once; return the status and the body."""
        body = json.dumps({"query": question, "top_k": 10}).encode()
        self._writer.write(_HEAD % len(body) + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = answer.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        return int(answer[9:12]), await self._reader.readexactly(int(length))

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


def names(body: bytes) -> list[bytes]:
    """Return the ids of an answer's memories in order."""
    return _IDS.findall(body)


async def whole(caller: Caller, question: str) -> list[bytes]:
    """Return the ids that an idle server answers with."""
    for _ in range(_TRIES):
        status, body = await caller.ask(question)
        answer = json.loads(body)
        if status == 200 and not answer["degraded"]:
            found = names(body)
            assert [hit["memory"]["id"].encode() for hit in answer["results"]] == found
            return found
    raise SystemExit(f"the idle service fell short of {question!r} {_TRIES} times")


async def client(port: int, place: int, idle: dict[str, list[bytes]], until: float, tally: Tally) -> None:
    """Ask until the time is over."""
    caller = await Caller.connect(port)
    questions = list(idle)
    random.Random(place).shuffle(questions)
    step = 0
    while time.monotonic() < until:
        question = questions[step % len(questions)]
        step += 1
        began = time.perf_counter()
        status, body = await caller.ask(question)
        tally.milliseconds.append(1000 * (time.perf_counter() - began))
        if status != 200:
            tally.errors += 1
        elif _DEGRADED in body:
            tally.degraded += 1
        elif names(body) != idle[question]:
            tally.different += 1
    caller.close()


async def measure(port: int, pid: int, questions: list[str], clients: int, seconds: float) -> dict[str, Any]:
    """Return the figures of one run."""
    idle: dict[str, list[bytes]] = {}
    caller = await Caller.connect(port)
    for question in questions:
        idle[question] = await whole(caller, question)
    caller.close()
    tally, until = Tally(), time.monotonic() + seconds
    spent, own = processor_s(pid), time.process_time()
    tasks = [asyncio.create_task(client(port, place, idle, until, tally)) for place in range(clients)]
    await asyncio.sleep(seconds / 5)
    early = resident_mb(pid)
    await asyncio.gather(*tasks)
    late, spent, own = resident_mb(pid), processor_s(pid) - spent, time.process_time() - own
    number = len(tally.milliseconds)
    cuts = statistics.quantiles(tally.milliseconds, n=100)
    return {
        "clients": clients,
        "seconds": seconds,
        "questions": len(idle),
        "requests": number,
        "requests_per_s": round(number / seconds, 1),
        "p50_ms": round(cuts[49], 1),
        "p95_ms": round(cuts[94], 1),
        "max_ms": round(max(tally.milliseconds), 1),
        "errors": tally.errors,
        "degraded_percent": round(100 * tally.degraded / number, 2),
        "different_percent": round(100 * tally.different / number, 2),
        "service_cpu_ms": round(1000 * spent / number, 2),
        "clients_cpu_ms": round(1000 * own / number, 2),
        "rss_mb": round(late, 1),
        "rss_growth_percent": round(100 * (late / early - 1), 2),
        "limits": {"p95_ms": P95_LIMIT_MS, "degraded_percent": DEGRADED_LIMIT, "rss_growth_percent": GROWTH_LIMIT},
    }


def asked(size: int) -> list[str]:
    """Return different questions about the world of that size, in its words and in others."""
    world = World(size)
    forms = ("what does {} depend on?", "what breaks if {} changes?", "{}依赖什么？")
    found: dict[str, None] = {}
    while len(found) < _QUESTIONS:
        found[world.question()] = None
        found[random.Random(len(found)).choice(forms).format(world.service())] = None
    return list(found)[:_QUESTIONS]


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=10_000, help="memories in the store")
    parser.add_argument("--clients", type=int, default=50, help="callers at once")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they ask")
    parser.add_argument("--workers", type=int, help="processes of the service; default: as configured")
    parser.add_argument("--json", action="store_true", help="print one JSON line last")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "memory.db"
        asyncio.run(fill(store, given.size))
        process, port = start(store, given.workers)
        try:
            figures = asyncio.run(measure(port, process.pid, asked(given.size), given.clients, given.seconds))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    for name, value in figures.items():
        print(f"{name:<20} {value}")
    if given.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    sys.exit(main())
