"""The program as a process: start-up time, pipes, signals, encodings."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-c", "import sys; from hindsight_graph.cli import main; sys.exit(main())"]


def environment(folder: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # it loses what a pipe cuts
    return {**inherited, "HINDSIGHT_GRAPH_STORE_URL": f"sqlite:///{folder / 'memory.db'}", "HOME": str(folder), **more}


def run(folder: Path, *words: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *words], input=stdin, capture_output=True, cwd=folder, env=environment(folder, **more), check=False, timeout=60
    )


@pytest.mark.requirement("A-05")
def test_help_comes_in_half_a_second(tmp_path: Path) -> None:
    """Processor time, and the quickest of three: other processes may have the cores."""
    took: list[float] = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run(tmp_path, "--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.5


def test_the_installed_command_is_this_program(tmp_path: Path) -> None:
    command = shutil.which("hindsight-graph", path=str(Path(sys.executable).parent))
    assert command is not None
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "hindsight-graph")


def test_exit_codes_reach_the_shell(tmp_path: Path) -> None:
    assert run(tmp_path, "get", "0198").returncode == 3
    assert run(tmp_path, "recall").returncode == 2


def test_a_reader_that_goes_away_is_no_traceback(tmp_path: Path) -> None:
    lines = [
        json.dumps({"role": "user", "content": f"Service {number} depends on service {number + 1}."}) for number in range(1000)
    ]
    assert run(tmp_path, "retain", "-", stdin="\n".join(lines).encode()).returncode == 0
    for words in (["list", "--limit", "1000"], ["list", "--limit", "1000", "--json"]):
        with subprocess.Popen(
            [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, env=environment(tmp_path)
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(1)
            process.stdout.close()
            errors = process.stderr.read()
            assert (process.wait(timeout=60), errors) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_under_the_output_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, "config", "show"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env=environment(tmp_path),
            check=False,
        )
    assert done.returncode == 8
    assert done.stderr.splitlines()[0] == b"error: the output cannot be written: No space left on device"


@pytest.fixture
def heeded() -> Iterator[None]:
    """Let new processes heed SIGINT, also where the tests run in the background and have inherited that it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_is_130_without_a_traceback(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "remember", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path, PYTHONVERBOSE=""),
    ) as process:
        assert process.stdin is not None
        # Once it has taken the bytes that a pipe cannot hold, it is reading, and past its start.
        process.stdin.write(b"".join(b"Service %d depends on service %d. " % (at, at + 1) for at in range(20_000)))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        process.stdin = None
        out, errors = process.communicate(timeout=60)
        assert (process.returncode, out, errors) == (130, b"", b"")


def test_a_narrow_encoding_gets_escapes_instead_of_a_crash(tmp_path: Path) -> None:
    assert run(tmp_path, "remember", "支付服务由陈静负责。").returncode == 0
    done = run(tmp_path, "recall", "支付服务", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u652f\u4ed8" in done.stdout
    exact = run(tmp_path, "recall", "支付服务", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert "支付服务" in json.loads(exact.stdout)["results"][0]["memory"]["summary"]


def test_an_argument_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [*(word.encode() for word in PROGRAM), b"remember", b"caf\xe9 is open"],
        capture_output=True,
        cwd=tmp_path,
        env=environment(tmp_path),
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: summary: ")
    assert b"Traceback" not in done.stderr


def test_a_read_only_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = run(tmp_path, "remember", "Checkout uses Redis", "--store", str(tmp_path / "file" / "memory.db"))
    assert done.returncode == 8
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


def test_a_file_that_is_no_store_is_one_line_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("my notes, not a database" * 100)
    done = run(tmp_path, "status", "--store", "notes.db")
    assert done.returncode == 8
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "notes.db").read_text().startswith("my notes, not a database")
