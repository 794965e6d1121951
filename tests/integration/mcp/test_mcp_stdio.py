"""The stdio side: the real command, nothing but JSON-RPC on stdout, several servers on one file."""

import json
import subprocess
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from mcp import Client

from tests.integration.mcp.answers import ask, refused
from tests.integration.mcp.connect import COMMAND, stdio_command


def talk(url: str | None, *requests: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """Send requests to a fresh server, wait for each answer, close its stdin; return its stdout by line, and its stderr."""
    command = [COMMAND, "mcp", *(["--store", url] if url else [])]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        said: list[dict[str, Any]] = []
        for request in requests:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
            server.stdin.flush()
            if "id" in request:
                said.append(json.loads(server.stdout.readline()))
        rest, errors = server.communicate(timeout=60)
    assert server.returncode == 0
    return [*said, *map(json.loads, rest.splitlines())], errors


START: dict[str, Any] = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
READY: dict[str, Any] = {"method": "notifications/initialized"}


@pytest.mark.requirement("A-02")
def test_only_json_rpc_goes_to_stdout_and_discovery_touches_no_store(store_path: Path) -> None:
    said, errors = talk(f"sqlite:///{store_path}", START, READY, {"id": 1, "method": "tools/list", "params": {}})
    assert [line["id"] for line in said] == [0, 1]
    assert all(line["jsonrpc"] == "2.0" for line in said)
    assert len(said[1]["result"]["tools"]) == 10
    assert "Traceback" not in errors


def test_a_store_that_cannot_be_opened_is_told_by_the_tool_and_not_by_a_crash(tmp_path: Path) -> None:
    damaged = tmp_path / "memory.db"
    damaged.write_bytes(b"this is no database, whatever its name says" * 100)
    call: dict[str, Any] = {"id": 1, "method": "tools/call", "params": {"name": "memory_status", "arguments": {}}}
    said, _ = talk(f"sqlite:///{damaged}", START, READY, call)
    answer = said[-1]["result"]
    assert answer["isError"] is True
    assert str(damaged) in answer["content"][0]["text"]


@pytest.mark.requirement("O-01", "A-02")
async def test_two_servers_share_one_store_file(store_path: Path) -> None:
    async with (
        Client(stdio_command(store_path, "--agent", "a"), mode="legacy") as one,
        Client(stdio_command(store_path), mode="2026-07-28") as two,
    ):
        for number in range(5):
            await ask(one, "memory_write", content=f"Crane {number} lifts barrels.", kind="fact")
            await ask(two, "memory_write", content=f"Ship {number} carries barrels.", kind="fact")
        both = await ask(two, "memory_search", query="barrels", top_k=50)
        assert len(both.data["results"]) == 10
        own = {row["id"] for row in (await ask(one, "memory_list", limit=50)).data["memories"]}
        assert own == {row["id"] for row in both.data["results"]}
        ship = next(row["id"] for row in both.data["results"] if row["summary"] == "Ship 3 carries barrels.")
        await ask(one, "memory_forget", ids=ship)
        assert ship not in {row["id"] for row in (await ask(two, "memory_search", query="ship", top_k=50)).data["results"]}
        assert (await refused(two, "memory_update", id=ship, content="x")).data["error"]["code"] == "conflict"


def test_a_wrong_profile_is_one_line_on_stderr_and_an_exit_code(store_path: Path) -> None:
    command = [COMMAND, "mcp", "--profile", "none", "--store", f"sqlite:///{store_path}"]
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: unknown profile 'none'\nhint: one of default, experience, layers\n")


@pytest.mark.requirement("O-03")
def test_wrong_settings_are_told_by_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_TTL_DAYS", "soon")
    call: dict[str, Any] = {"id": 1, "method": "tools/call", "params": {"name": "memory_status", "arguments": {}}}
    said, _ = talk(None, START, READY, call)
    answer = said[-1]["result"]
    assert answer["isError"] is True
    assert answer["structuredContent"]["error"]["code"] == "misconfigured"
    assert "MEMORY_TTL_DAYS" in answer["content"][0]["text"]


@pytest.mark.requirement("A-02")
def test_a_line_that_is_no_json_rpc_is_answered_and_the_next_one_is_served(store_path: Path) -> None:
    broken = [b"not json", b"[1, 2]", b'{"jsonrpc": "2.0", "id": 5}', b"\xff\xfe", b"[" * 100_000]
    lines = [json.dumps({"jsonrpc": "2.0", **START}).encode(), *broken, b'{"jsonrpc": "2.0", "id": 6, "method": "no/such"}']
    with subprocess.Popen([COMMAND, "mcp", "--store", f"sqlite:///{store_path}"], stdin=PIPE, stdout=PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        said: list[dict[str, Any]] = []
        for line in lines:
            server.stdin.write(line + b"\n")
            server.stdin.flush()
            said.append(json.loads(server.stdout.readline()))
    errors = [(answer["id"], answer["error"]["code"]) for answer in said[1:]]
    assert errors == [(None, -32700), (None, -32600), (None, -32600), (None, -32700), (None, -32700), (6, -32601)]
    assert server.returncode == 0
