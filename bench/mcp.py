"""What MCP costs on top of the engine: a search in memory and over stdio, and the time until a client sees the tools.

    python -m bench.mcp [--size 10000] [--searches 200] [--starts 7] [--json]

The engine's own call and the tool's call take turns on the same questions. In memory the processor time of this process is
compared, which a busy machine does not change; over stdio the wall time, medians. Discovery is the wall time from starting the
process to the list of tools, the least of several starts, beside a bare server of the SDK with one tool, taking turns too.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import islice
from pathlib import Path
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


async def fill(path: Path, size: int) -> list[str]:
    """Write the world and return questions about it."""
    world = World(size)
    units = world.units()
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing") as memory:
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


async def discovery(server: StdioServerParameters) -> float:
    """Return seconds from starting a server to its list of tools."""
    began = time.perf_counter()
    async with Client(server, mode="legacy") as client:
        await client.list_tools()
        return time.perf_counter() - began


async def measure(size: int, count: int, starts: int, folder: Path) -> dict[str, float]:
    path = folder / "memory.db"
    questions = await fill(path, size)
    ours = StdioServerParameters(command=COMMAND, args=["mcp", "--store", f"sqlite:///{path}"], cwd=folder)
    bare = StdioServerParameters(command=sys.executable, args=["-c", BARE], cwd=folder)
    figures: dict[str, float] = {"memories": size, "searches": count}
    async with AsyncHindsightGraph(f"sqlite:///{path}", embedder="hashing") as memory:
        async with Client(make_server(memory), mode="legacy") as client:
            await searches(memory, client, questions[:20], "warm")
            figures |= await searches(memory, client, questions[20 : 20 + count], "in_memory")
        async with Client(ours, mode="legacy") as client:
            await searches(memory, client, questions[:20], "warm")
            figures |= await searches(memory, client, questions[20 : 20 + count], "stdio")
    figures["in_memory_overhead_ms"] = figures.pop("in_memory_overhead_mean_cpu_ms")
    del figures["stdio_overhead_mean_cpu_ms"]
    waits: dict[str, list[float]] = {"ours": [], "bare": []}
    for _ in range(starts):
        waits["bare"].append(await discovery(bare))
        waits["ours"].append(await discovery(ours))
    figures |= {"discovery_s": min(waits["ours"]), "discovery_bare_s": min(waits["bare"])}
    figures["discovery_over_bare_s"] = figures["discovery_s"] - figures["discovery_bare_s"]
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
