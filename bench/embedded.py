"""The embedded store under load: recall, chains, writes, opening and memory, beside a bare numpy scan of the same vectors.

A world of invented services is written through `remember_many` as ready-made units, 30 % of them in Chinese; which services a
statement names follows a power law, so a few hubs have thousands of edges. Each size is built by one process and served by
another. Recall counts without the time of embedding the question. The scan and what is compared with it take turns. Beside the
time of a durable write stands that of a bare SQLite commit, its floor on this disk; beside the rate of a bulk write that per
second of processor time, which other work on the machine disturbs less.

    python -m bench.embedded [--sizes 10000 100000] [--json]
"""

import argparse
import asyncio
import json
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

from hindsight_graph import AsyncHindsightGraph

SEED = 7
CHINESE = 0.3
DIMENSION = 384
CHUNK = 5_000
ROUNDS = 40
START = datetime(2026, 1, 1, tzinfo=UTC)
_CONSONANTS, _VOWELS = "bcdfghklmnprstvz", "aeiou"
_HANZI = (
    "服务依赖支付订单库存缓存数据结算用户登录网关日志监控告警部署版本回滚接口超时重试队列消息存储备份恢复证书域名流量限流熔断扩容"
)
TARGETS = {
    "recall_scans": 4.0, "chain_p95_scans": 2.0, "single_write_ms": 3.0, "bulk_per_s": 2_000, "open_s": 1.5, "rss_mb": 700,
}  # fmt: skip
"""What 100,000 memories must reach: at most, except `bulk_per_s`."""


class World:
    """Statements about invented services, the same for the same size."""

    def __init__(self, size: int) -> None:
        self.random = random.Random(SEED)
        self.size = size
        self.words = ["".join(self._syllable() for _ in range(self.random.randint(2, 4))) for _ in range(8_000)]
        self.services = [f"{self.words[n % 8_000]} service {n}" for n in range(max(10, size // 5))]

    def _syllable(self) -> str:
        return self.random.choice(_CONSONANTS) + self.random.choice(_VOWELS)

    def ranked(self, count: int) -> int:
        """Return a rank below `count` by a power law: rank 0 is named by about one statement in ten."""
        return min(count - 1, int(1.2 * (self.random.paretovariate(0.9) - 1)))

    def service(self) -> str:
        """Return a service, hubs more often."""
        return self.services[self.ranked(len(self.services))]

    def units(self) -> Iterator[dict[str, Any]]:
        """Yield ready-made units."""
        for number in range(self.size):
            one, other = self.service(), self.service()
            if self.random.random() < CHINESE:
                filler = "".join(self.random.choice(_HANZI) for _ in range(16))
                text = f"{one}依赖{other}，{filler}"
            else:
                filler = " ".join(self.words[self.ranked(8_000)] for _ in range(10))
                text = f"{one} depends on {other} for {filler}"
            unit: dict[str, Any] = {
                "summary": f"{text} #{number}", "kind": "fact", "raw_ref": f"doc:{number}", "session_id": f"s{number % 1_000}",
                "occurred_at": START + timedelta(minutes=number), "entities": [one, other],
            }  # fmt: skip
            if one != other:
                unit["relations"] = [(one, "DEPENDS_ON", other)]
            yield unit

    def question(self) -> str:
        """Return a question about a service in other words."""
        return f"what does {self.service()} need for {' '.join(self.words[self.ranked(8_000)] for _ in range(4))}?"


def ms(seconds: list[float], share: float = 0.5) -> float:
    """Return a quantile in milliseconds."""
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 3)


async def build(path: Path, size: int) -> dict[str, float]:
    """Fill a store; return how fast."""
    spent, worked, world = 0.0, 0.0, World(size)
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing", extractor="rules") as memory:
        chunk: list[dict[str, Any]] = []
        for unit in world.units():
            chunk.append(unit)
            if len(chunk) == CHUNK or unit["raw_ref"] == f"doc:{size - 1}":
                began = time.perf_counter()
                used = time.process_time()
                await memory.remember_many(chunk)
                spent += time.perf_counter() - began
                worked += time.process_time() - used
                chunk = []
    return {"bulk_per_s": round(size / spent), "bulk_per_cpu_s": round(size / worked)}


async def timed(work: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """Return the seconds some work took, and what it gave."""
    began = time.perf_counter()
    result = await work()
    return time.perf_counter() - began, result


def read_vectors(path: Path) -> NDArray[np.float32]:
    """Return the stored vectors as one matrix."""
    connection = sqlite3.connect(path)
    blocks = [
        np.frombuffer(row[0], np.float32) for row in connection.execute("SELECT vectors FROM memory_vectors ORDER BY block")
    ]
    connection.close()
    return np.concatenate(blocks).reshape(-1, DIMENSION)


async def serve(path: Path, size: int) -> dict[str, float]:
    """Open a filled store and measure it."""
    world = World(size)
    named = [name for unit in islice(world.units(), 2_000) for name in unit["entities"]]
    memory = AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing", extractor="rules")
    began = time.perf_counter()
    await memory.open()
    await memory.recall(world.question())
    opened = time.perf_counter() - began

    async def chain() -> Any:
        start, direction = world.random.choice(named), world.random.choice(("out", "in"))
        return await memory.chain(start, relations=["DEPENDS_ON"], max_hops=4, direction=direction)

    async def remember(number: int) -> Any:
        one, other = world.service(), world.service()
        return await memory.remember(
            f"{one} now relies on {other}, says note {number}", kind="fact", entities=[one, other], raw_ref=f"note:{number}"
        )

    bare = bare_file(path.parent)
    writes: list[float] = []
    commits: list[float] = []
    for number in range(ROUNDS * 2):
        writes.append((await timed(lambda number=number: remember(number)))[0])
        began = time.perf_counter()
        bare.execute("INSERT INTO notes VALUES (?)", (f"note {number}",))
        commits.append(time.perf_counter() - began)
    bare.close()
    await memory.recall(world.question())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    matrix = read_vectors(path)
    scans: list[float] = []
    recalls: list[float] = []
    chains: list[float] = []
    for _ in range(ROUNDS):
        query = world.random.choice(matrix[:size])
        with threadpool_limits(1):
            began = time.perf_counter()
            np.matmul(matrix, query)
            scans.append(time.perf_counter() - began)
        spent, answer = await timed(lambda: memory.recall(world.question()))
        embedding = sum(stage.milliseconds for stage in answer.trace.stages if stage.name == "embed")
        recalls.append(spent - embedding / 1000)
        chains += [(await timed(chain))[0] for _ in range(3)]
    await memory.close()
    scan = statistics.median(scans)
    return {
        "scan_ms": ms(scans), "recall_ms": ms(recalls), "recall_p95_ms": ms(recalls, 0.95), "chain_p50_ms": ms(chains),
        "chain_p95_ms": ms(chains, 0.95), "recall_scans": round(statistics.median(recalls) / scan, 2),
        "chain_p95_scans": round(ms(chains, 0.95) / (1000 * scan), 2), "single_write_ms": ms(writes),
        "single_write_p95_ms": ms(writes, 0.95), "bare_commit_ms": ms(commits), "open_s": round(opened, 3), "rss_mb": round(peak),
        "file_mb": file_mb(path),
    }  # fmt: skip


def bare_file(folder: Path) -> sqlite3.Connection:
    """Return a SQLite file of one table with the store's durability; no durable write can be faster than a commit here."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS notes (text TEXT)")
    return connection


def file_mb(path: Path) -> int:
    """Return a file's size."""
    return round(path.stat().st_size / 1e6)


def apart(role: str, path: Path, size: int) -> dict[str, float]:
    """Run one role in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.embedded", "--role", role, "--path", str(path), "--sizes", str(size)],
        check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    parser.add_argument("--role", choices=("build", "serve"), help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.role:
        work = build if options.role == "build" else serve
        print(json.dumps(asyncio.run(work(options.path, options.sizes[0]))))
        return
    figures: dict[str, Any] = {"bench": "embedded"}
    with tempfile.TemporaryDirectory(prefix="bench-embedded-") as folder:
        for size in options.sizes:
            path = Path(folder) / f"{size}.db"
            figures[str(size)] = apart("build", path, size) | apart("serve", path, size)
            path.unlink()
            if not options.json:
                for name, value in figures[str(size)].items():
                    target = f"   (wanted at 100,000: {TARGETS[name]})" if name in TARGETS else ""
                    print(f"{size:>8,} {name:20} {value:>10,}{target}")
    if len(options.sizes) > 1:
        small, large = figures[str(min(options.sizes))], figures[str(max(options.sizes))]
        growth = (large["recall_ms"] / small["recall_ms"]) / (large["scan_ms"] / small["scan_ms"])
        figures["recall_growth_by_scan_growth"] = round(growth, 2)
        if not options.json:
            print(f"recall grows {growth:.2f} times as much as the bare scan (wanted: at most 1.2)")
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
