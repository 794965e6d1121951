"""`hindsight-graph serve` as a real process: start, a port in use, two on one file, a client that leaves, and the end."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import httpx
import pytest

from hindsight_graph.client import AsyncClient, Client

COMMAND = [str(Path(sys.executable).with_name("hindsight-graph")), "serve"]


class Service:
    """A running service, its port, and what it has logged so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self.port = 0
        assert process.stderr is not None
        for line in process.stderr:
            self.lines.append(line.strip())
            if found := re.search(r"Server started on port (\d+)", line):
                self.port = int(found[1])
            if "Memory service ready" in line:
                return
        raise AssertionError("\n".join(self.lines))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End it, and return its exit code and the rest of its log."""
        self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=30)
        return self.process.returncode, rest


@contextmanager
def serving(folder: Path, *options: str) -> Generator[Service]:
    environ = {**os.environ, "DB_PATH": str(folder / "memory.db")}
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", *options], cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        yield Service(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.mark.requirement("O-02")
def test_it_says_when_it_is_ready_and_ends_in_order_with_everything_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        assert "Server started on port" in service.lines[-2]
        assert "Memory service ready" in service.lines[-1]
        with Client(service.url) as client:
            kept = client.remember("The ledger runs on port 5433.").memories[0]
        code, rest = service.stop()
        assert (code, "Memory service stopped" in rest, "Traceback" in rest) == (0, True, False)
    with serving(tmp_path) as service, Client(service.url) as client:
        assert client.get(kept.id).summary == "The ledger runs on port 5433."
        assert service.stop(signal.SIGINT)[0] == 0


@pytest.mark.requirement("O-02")
def test_a_port_in_use_is_one_clear_line_with_the_way_out_and_its_exit_code(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environ = {**os.environ, "DB_PATH": str(tmp_path / "memory.db")}
        done = subprocess.run(
            [*COMMAND, "--port", str(port)], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 9
    assert done.stderr.splitlines() == [
        f"error: port {port} on 127.0.0.1 is taken",
        f"hint: stop what listens there, or --port {port + 10}",
    ]
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.requirement("O-01")
def test_two_services_share_one_file_and_lose_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as one, serving(tmp_path) as two, Client(one.url) as first, Client(two.url) as second:
        for number in range(10):
            (first, second)[number % 2].remember(f"Crane {number} moved at dawn", entities=[f"crane {number}"])
        assert first.status().stats.memories == second.status().stats.memories == 10
        assert {hit.summary for hit in first.recall("crane dawn").results} == {
            hit.summary for hit in second.recall("crane dawn").results
        }
        answer = first.remember("The gate is closed.", idempotency_key="gate")
        assert second.remember("The gate is closed.", idempotency_key="gate") == answer


@pytest.mark.requirement("M-04")
async def test_a_client_that_leaves_takes_nothing_with_it(tmp_path: Path) -> None:
    text = "The ledger runs on port 5433."
    with serving(tmp_path) as service:
        body = b'{"text": "The ledger runs on port 5433."}'
        head = (
            "POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: left\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        for sent in (head.encode() + body, head.encode() + body[:10], b"GET /v1/sta"):
            _, writer = await asyncio.open_connection("127.0.0.1", service.port)
            writer.write(sent)
            await writer.drain()
            writer.close()
        # Whether the service saw the request before the client was gone is not known to it: it repeats, and has one memory.
        async with AsyncClient(service.url, timeout=30) as client:
            kept = await client.remember(text, idempotency_key="left")
            assert [row.summary for row in (await client.list()).rows] == [text]
            assert (await client.remember(text, idempotency_key="left")) == kept
            assert (await client.status()).stats.episodes == 1
        async with httpx.AsyncClient(base_url=service.url) as http:
            assert (await http.get("/health")).json() == {"status": "ok"}
        _, rest = service.stop()
        assert "Traceback" not in rest


@pytest.mark.requirement("A-03")
def test_deferred_learning_is_done_by_the_worker_inside(tmp_path: Path) -> None:
    with serving(tmp_path) as service, httpx.Client(base_url=service.url) as http:
        asked = {"messages": [{"content": "The ledger runs on port 5433."}], "defer": True}
        promised = http.post("/v1/conversations", json=asked)
        assert promised.status_code == 202
        place = promised.headers["location"]
        assert place == f"/v1/jobs/{promised.json()['job_id']}"
        ends = monotonic() + 30
        while (job := http.get(place).json())["state"] != "done":
            assert monotonic() < ends, job
        assert (job["error"], http.get("/v1/memories").json()["rows"][0]["summary"]) == ("", "The ledger runs on port 5433.")
