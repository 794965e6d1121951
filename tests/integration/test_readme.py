"""README is run: its Python, and the names it promises."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_graph.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_the_python_of_the_readme_runs_as_written(block: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", block], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert "('Checkout', 'payment service', 'ledger'" in done.stdout
    assert "<memory_context>" in done.stdout


def test_the_readme_has_python_to_run() -> None:
    assert len(BLOCKS) == 1


def test_the_output_that_the_readme_shows_is_what_the_demo_prints(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = README.split("(shortened):")[1].split("## Ten lines")[0]
    assert main(["demo"]) == 0
    printed = {line.strip() for line in capsys.readouterr().out.splitlines()}
    wanted = [line.strip() for line in shown.splitlines() if line.startswith("    ") and line.strip() != "…"]
    assert len(wanted) > 25
    assert [line for line in wanted if line not in printed] == []


def test_every_link_of_the_readme_leads_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", README) if "://" not in target]
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_what_the_readme_shows_of_learning_is_what_the_commands_print(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("HINDSIGHT_GRAPH_STORE_URL", f"sqlite:///{tmp_path / 'memory.db'}")
    shown = README.split("## Learn, review, use")[1].split("From then on")[0]
    wanted = [line.strip() for line in shown.splitlines() if line.startswith("    ")]
    assert wanted[0] == "$ hindsight-graph reflect examples/refunds.jsonl --task-type refund"
    assert main(["reflect", str(ROOT / "examples" / "refunds.jsonl"), "--task-type", "refund"]) == 0
    assert main(["review"]) == 0
    printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
    strategy = next(line.split()[-1] for line in printed if line.startswith("pending"))
    assert main(["review", "approve", strategy[-12:], "--reviewer", "ann"]) == 0
    printed += [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert [line for line in wanted if line not in printed and not line.startswith("$") and line != "…"] == []
