"""What MCP costs on top of the engine: a search in memory and over stdio, and the time until a client sees the tools.

    python -m bench.mcp [--size 10000] [--searches 200] [--starts 7] [--json]

The engine's own call and the tool's call take turns on the same questions. In memory the processor time of this process is
compared, which a busy machine changes less; over stdio the wall time, medians. Discovery is the time from starting the process to
the list of tools, the least of several starts, beside a bare server of the SDK with one tool, taking turns too: wall time and the
process's own time.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from bench.embedded import CHUNK, World
from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.mcp import make_server

LIMITS = {"in_memory_overhead_ms": 3.0, "stdio_overhead_p50_ms": 10.0, "discovery_over_bare_s": 0.4}
COMMAND = str(Path(sys.executable).with_name("hindsight-graph"))
BARE = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("bare")
@server.tool()
def ping() -> str:
    return "pong"
server.run()
"""
ARGUMENTS: dict[str, Any] = {"top_k": 10}
DISCOVERY: tuple[dict[str, Any], ...] = (
    {
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
    },
    {"method": "notifications/initialized"},
    {"id": 1, "method": "tools/list", "params": {}},
)


async def fill(path: Path, size: int) -> list[str]:
    """Write the world and return questions about it."""
    world = World(size)
    units = world.units()
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing", extractor="rules") as memory:
        while chunk := list(islice(units, CHUNK)):
            await memory.remember_many(chunk)
    return [f"what does {world.service()} depend on?" for _ in range(1_000)]


async def timed(call: Callable[[], Awaitable[Any]]) -> tuple[float, float]:
    """Await a call; return wall and processor milliseconds."""
    wall, processor = time.perf_counter(), time.process_time()
    await call()
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor)


async def searches(memory: AsyncHindsightGraph, client: Client, questions: list[str], form: str) -> dict[str, float]:
    """Ask the engine and the tool in turns; return the figures of one transport."""
    engine: list[tuple[float, float]] = []
    tool: list[tuple[float, float]] = []
    for number, question in enumerate(questions):
        own = (lambda asked=question: memory.recall(asked, **ARGUMENTS), engine)
        other = (lambda asked=question: client.call_tool("memory_search", {"query": asked, **ARGUMENTS}), tool)
        for call, times in (own, other) if number % 2 else (other, own):
            times.append(await timed(call))
    return {
        f"{form}_engine_p50_ms": statistics.median(wall for wall, _ in engine),
        f"{form}_tool_p50_ms": statistics.median(wall for wall, _ in tool),
        f"{form}_overhead_p50_ms": statistics.median(wall for wall, _ in tool) - statistics.median(wall for wall, _ in engine),
        f"{form}_overhead_mean_cpu_ms": statistics.fmean(cpu for _, cpu in tool) - statistics.fmean(cpu for _, cpu in engine),
    }


def discovery(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Start a server and ask for its tools; return wall seconds until they are there, and the processor time it took (Linux)."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=folder) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for request in DISCOVERY:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
            server.stdin.flush()
            if "id" in request:
                server.stdout.readline()
        wall = time.perf_counter() - began
        stat = Path(f"/proc/{server.pid}/stat")
        ticks = stat.read_text().rpartition(")")[2].split()[11:13] if stat.exists() else ()
        server.stdin.close()
        server.wait()
    return wall, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


async def measure(size: int, count: int, starts: int, folder: Path) -> dict[str, float]:
    path = folder / "memory.db"
    questions = await fill(path, size)
    ours = StdioServerParameters(command=COMMAND, args=["mcp", "--store", f"sqlite:///{path}"], cwd=folder)
    figures: dict[str, float] = {"memories": size, "searches": count}
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing", extractor="rules") as memory:
        async with Client(make_server(memory), mode="legacy") as client:
            await searches(memory, client, questions[:20], "warm")
            figures |= await searches(memory, client, questions[20 : 20 + count], "in_memory")
        async with Client(ours, mode="legacy") as client:
            await searches(memory, client, questions[:20], "warm")
            figures |= await searches(memory, client, questions[20 : 20 + count], "stdio")
    figures["in_memory_overhead_ms"] = figures.pop("in_memory_overhead_mean_cpu_ms")
    del figures["stdio_overhead_mean_cpu_ms"]
    commands = {"bare": (sys.executable, "-c", BARE), "ours": (ours.command, *ours.args)}
    waits: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(starts):
        for name, command in commands.items():
            waits[name].append(discovery(command, folder))
    for at, form in enumerate(("", "_cpu")):
        least = {name: min(times[at] for times in found) for name, found in waits.items()}
        figures |= {f"discovery{form}_s": least["ours"], f"discovery{form}_bare_s": least["bare"]}
        figures[f"discovery{form}_over_bare_s"] = least["ours"] - least["bare"]
    return {name: round(value, 3) for name, value in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--starts", type=int, default=7)
    parser.add_argument("--json", action="store_true", help="one JSON line, last")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(options.size, options.searches, options.starts, Path(folder)))
    for name, value in figures.items():
        limit = f"   limit {LIMITS[name]}" if name in LIMITS else ""
        print(f"{name:28} {value:10.3f}{limit}")
    if options.json:
        print(json.dumps({"bench": "mcp", **figures}))
    missed = [name for name, limit in LIMITS.items() if figures[name] > limit]
    if missed:
        raise SystemExit(f"mcp: over the limit: {', '.join(missed)}")


if __name__ == "__main__":
    main()
