"""`hindsight-graph serve --workers N`: several processes that are one service."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Generator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from hindsight_graph.client import Client

from .test_serve_process import COMMAND, Service, serving

pytestmark = pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="a port is not shared here")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    with serving(tmp_path_factory.mktemp("workers"), "--workers", "2") as running:
        with Client(running.url) as client:
            for number in range(3):
                client.remember(f"Crane {number} moved at dawn", entities=[f"crane {number}"])
        yield running
        code, rest = running.stop()
        assert (code, "Memory service stopped" in rest, "Traceback" in rest) == (0, True, False)


def ask(service: Service, path: str, body: dict[str, Any] | None = None) -> str:
    """Ask on a connection of its own: which process answers is up to the system."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    headers = {"Content-Type": "application/json"}
    connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == 200, text
    return text


def search(service: Service, **more: Any) -> Any:
    return json.loads(ask(service, "/v1/search", {"query": "crane dawn", **more}))


def counted(service: Service) -> float:
    found = re.search(r'^hindsight_graph_recalls_total\{result="hit"\} (\S+)$', ask(service, "/metrics"), re.MULTILINE)
    return float(found[1]) if found else 0.0


def children(process: int) -> list[int]:
    return [int(number) for number in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.requirement("O-01")
def test_two_processes_answer_as_one(service: Service) -> None:
    found = {json.dumps([hit["memory"]["id"] for hit in search(service)["results"]]) for _ in range(8)}
    assert len(found) == 1
    assert len(json.loads(found.pop())) == 3


@pytest.mark.requirement("O-04")
def test_whichever_process_shows_the_metrics_they_are_the_sum_of_both(service: Service) -> None:
    before = counted(service)
    for _ in range(8):
        search(service)
    assert {counted(service) for _ in range(4)} == {before + 8}
    assert 'hindsight_graph_memories{kind="fact",status="active"} 3.0' in ask(service, "/metrics")


def test_a_cursor_of_one_process_is_good_for_the_other(service: Service) -> None:
    for _ in range(6):
        first = search(service, top_k=1)
        second = search(service, top_k=1, cursor=first["cursor"])
        assert first["results"][0]["memory"]["id"] != second["results"][0]["memory"]["id"]


def test_a_port_in_use_is_told_although_the_processes_share_it(service: Service, tmp_path: Path) -> None:
    environ = {**os.environ, "DB_PATH": str(tmp_path / "other.db")}
    command = [*COMMAND, "--port", str(service.port), "--workers", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (9, f"error: port {service.port} on 127.0.0.1 is taken")
    assert not (tmp_path / "other.db").exists()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the processes are found in /proc")
def test_a_process_that_is_killed_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as service:
        before = set(children(service.process.pid))
        workers = [pid for pid in before if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(workers[0], signal.SIGKILL)
        assert service.process.stderr is not None
        assert "ended with exit code -9; it is started again" in next(iter(service.process.stderr))
        ends = monotonic() + 60
        while len(set(children(service.process.pid)) - before) == 0:
            assert monotonic() < ends
        assert search(service)["results"] == []
        assert service.stop(signal.SIGINT)[0] == 0


def test_a_store_in_memory_cannot_be_shared_and_too_many_are_refused(tmp_path: Path) -> None:
    for options, line in (
        (["--store", "sqlite:///:memory:", "--workers", "2"], "error: several processes cannot share a store in memory"),
        (["--workers", "65"], "error: --workers is 65"),
    ):
        done = subprocess.run([*COMMAND, "--port", "0", *options], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert line in done.stderr
