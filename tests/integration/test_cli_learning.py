"""The commands of learning: reflect, review, feedback, maintain consolidate."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command on this test's store; returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HINDSIGHT_GRAPH_STORE_URL", f"sqlite:///{tmp_path / 'memory.db'}")
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setattr(sys, "stdin", sys.__stdin__)

    def call(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(words)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def transcript(folder: Path) -> str:
    """Write two tasks, a failure and a repaired one, and return the file's name."""
    lines: list[dict[str, Any]] = [
        {"role": "user", "content": "Refund order 17"},
        {"role": "tool", "name": "process_refund", "content": "Error: status of order 17 not checked"},
        {"role": "assistant", "content": "I could not refund it."},
        {"role": "user", "content": "Refund order 21"},
        {"role": "tool", "name": "get_order_status", "content": "delivered"},
        {"role": "tool", "name": "process_refund", "content": "refunded"},
        {"role": "assistant", "content": "The refund is done."},
    ]
    file = folder / "tasks.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return file.name


@pytest.mark.requirement("A-05")
@pytest.mark.requirement("X-07")
def test_what_was_reflected_on_is_reviewed_approved_recalled_and_reported_on(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("reflect", transcript(tmp_path), "--task-type", "refund")
    assert code == 0
    assert "failure “Refund order 17” failed: process_refund: Error: status of order <n> not checked" in out
    assert "proposed for review: Before process_refund, call get_order_status." in out
    code, out, _ = run("review")
    assert "1 await a decision" in out
    assert "67% when followed (95 %: 21% to 100%) · 33% otherwise · 2 for, 0 against" in out
    strategy = json.loads(run("review", "--json")[1])[0]["memory"]["id"]
    code, out, _ = run("review", "show", strategy[-12:])
    assert code == 0
    assert "approving it: would be recalled for tool process_refund" in out
    assert run("recall", "process_refund", "--kind", "strategy")[1].startswith("nothing")
    assert run("review", "approve", strategy[-12:], "--reviewer", "ann")[0] == 0
    assert "Before process_refund" in run("recall", "process_refund", "--kind", "strategy")[1]
    assert "0.50 -> 0.60" in run("feedback", strategy, "--outcome", "success", "--task", "t1")[1]
    code, out, err = run("review", "approve", "no-such-strategy")
    assert (code, out) == (3, "")
    assert "no strategy no-such-strategy" in err


def test_a_dry_run_of_reflection_keeps_no_experience_and_a_consolidation_can_be_undone(run: Run, tmp_path: Path) -> None:
    assert "run without --dry-run" in run("reflect", transcript(tmp_path), "--dry-run")[1]
    assert run("list", "--kind", "experience")[1] == "no memories\n"
    run("reflect", transcript(tmp_path))
    assert "2 experiences in" in run("maintain", "consolidate", "--dry-run")[1]
    code, _, err = run("maintain", "consolidate", "--dry-run", "--undo", "x")
    assert code == 2
    assert "exclude each other" in err
    assert run("maintain", "consolidate", "--undo", "no-such-report")[0] == 3
