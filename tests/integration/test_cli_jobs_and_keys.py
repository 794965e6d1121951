"""`jobs`, `worker` and `keys` as people and scripts use them."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.cli import main
from hindsight_graph.settings import Settings

PROGRAM = [sys.executable, "-c", "import sys; from hindsight_graph.cli import main; sys.exit(main())"]


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "memory.db")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, err = capsys.readouterr()
    return code, out, err


def read(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    code, out, err = run(capsys, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def defer(store: str) -> str:
    """Keep a message whose extraction waits; returns the job's id."""
    with HindsightGraph(f"sqlite:///{store}", embedder="hashing", settings=Settings(), resume=False) as memory:
        receipt = memory.retain([{"role": "user", "content": "The portal depends on the tide service."}], defer=True)
    assert receipt.job_id is not None
    return receipt.job_id


@pytest.mark.requirement("O-05")
def test_a_job_is_listed_cancelled_tried_again_and_done(capsys: pytest.CaptureFixture[str], store: str) -> None:
    job = defer(store)
    at = ("--store", store)
    assert [row["state"] for row in read(capsys, "jobs", *at)["rows"]] == ["queued"]
    assert read(capsys, "jobs", "cancel", job, "--reason", "wait", *at)["state"] == "cancelled"
    assert read(capsys, "worker", "--once", *at) == {"done": 0}
    assert read(capsys, "jobs", "list", "--state", "queued", *at)["rows"] == []
    assert read(capsys, "jobs", "retry", job, *at)["state"] == "queued"
    assert run(capsys, "worker", "--once", *at)[:2] == (0, "1 jobs done\n")
    code, out, _ = run(capsys, "jobs", "show", job, *at)
    assert code == 0
    assert out.startswith("done\n")
    assert "attempts 1 of 5" in out
    assert '"kept": 1' in out
    code, out, _ = run(capsys, "jobs", *at)
    assert out.startswith("done extract")


def test_what_cannot_be_done_to_a_job_is_said(capsys: pytest.CaptureFixture[str], store: str) -> None:
    job = defer(store)
    code, _, err = run(capsys, "jobs", "retry", job, "--store", store)
    assert (code, err.splitlines()[0]) == (4, f"error: job {job} is queued")
    code, _, err = run(capsys, "jobs", "show", "nothing", "--store", store)
    assert (code, err.splitlines()[0]) == (3, "error: no job nothing")
    code, _, err = run(capsys, "jobs", "show", job, "--store", store, "--tenant", "other")
    assert (code, err.splitlines()[0]) == (3, f"error: no job {job}")
    assert run(capsys, "jobs", "--state", "gone", "--store", store)[0] == 2


@pytest.mark.requirement("T-02")
def test_a_key_is_shown_once_listed_without_its_secret_and_revoked(capsys: pytest.CaptureFixture[str], store: str) -> None:
    at = ("--store", store, "--tenant", "acme")
    made = read(capsys, "keys", "create", "CI", "--scope", "read", "--days", "30", "--agent", "planner", *at)
    token, key_id = made["token"], made["key"]["id"]
    assert token.startswith(f"hg_{key_id}_")
    assert "secret_hash" not in made["key"]
    (listed,) = read(capsys, "keys", *at)
    assert (listed["tenant"], listed["agent_id"], listed["scopes"], listed["name"]) == ("acme", "planner", ["read"], "CI")
    assert "secret_hash" not in listed
    code, out, _ = run(capsys, "keys", "list", "--all-tenants", "--store", store)
    assert (code, out.split()[:2]) == (0, ["valid", key_id])
    assert token not in out
    assert run(capsys, "keys", "revoke", key_id, "--store", store)[0] == 3
    assert run(capsys, "keys", "revoke", key_id, *at)[:2] == (0, f"revoked {key_id} (CI)\n")
    assert run(capsys, "keys", *at)[1].split()[0] == "revoked"
    assert run(capsys, "keys", "create", "x", "--scope", "root", *at)[0] == 2
    assert "no keys" in run(capsys, "keys", "--store", store)[1]


def test_a_new_key_stands_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str], store: str) -> None:
    code, out, err = run(capsys, "keys", "create", "laptop", "--store", store)
    assert code == 0
    assert len(out.splitlines()[0]) == len("hg_") + 16 + 1 + 43
    assert "shown this once" in err


@pytest.mark.requirement("O-05")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_process_does_what_waits_and_leaves_when_told(store: str, number: signal.Signals, tmp_path: Path) -> None:
    job = defer(store)
    environment = {**os.environ, "HINDSIGHT_GRAPH_LOG_LEVEL": "warning"}
    words = [*PROGRAM, "worker", "--store", store]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as process:
        try:
            assert process.stderr is not None
            ready = process.stderr.readline()
            assert "ready, for jobs of kind" in ready
            assert "extract" in ready
            with HindsightGraph(f"sqlite:///{store}", embedder="hashing", settings=Settings(), resume=False) as memory:
                assert memory.jobs.wait(job).result["kept"] == 1
            process.send_signal(number)
            assert process.stderr.readline() == "note: worker stopped\n"
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
