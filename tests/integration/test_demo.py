"""The demo tells its story with the real engine: these are the things it promises to show."""

import json
import os
import resource
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hindsight_graph.cli import main
from hindsight_graph.cli.demo.run import STORY_NOW, story


@pytest.fixture
def answers(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["demo", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_story_is_forty_dated_messages_in_two_languages_over_three_weeks() -> None:
    messages = story()
    times = [message["occurred_at"] for message in messages]
    assert 38 <= len(messages) <= 45
    assert times == sorted(times)
    assert 19 <= (times[-1] - times[0]).days <= 22
    assert times[-1] < STORY_NOW
    assert len({message["raw_ref"] for message in messages}) == len(messages)
    assert any("依赖" in message["content"] for message in messages)
    assert any(message.get("tool_calls") for message in messages)


@pytest.mark.requirement("A-05")
def test_the_demo_takes_less_than_ten_seconds_and_leaves_nothing_behind(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = set(Path(tempfile.gettempdir()).glob("*hindsight*"))
    before_run = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from hindsight_graph.cli import main; sys.exit(main())", "demo"],
        cwd=temporary,
        env={**os.environ, "HOME": str(temporary), "TMPDIR": str(temporary), "NO_COLOR": "1"},
        capture_output=True,
        check=False,
    )
    after_run = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time: other processes may have the cores.
    assert after_run.ru_utime + after_run.ru_stime - before_run.ru_utime - before_run.ru_stime < 10
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(temporary.iterdir()) == []
    assert set(Path(tempfile.gettempdir()).glob("*hindsight*")) == before


@pytest.mark.requirement("M-06")
def test_it_says_what_was_kept_merged_and_dropped_and_why(answers: dict[str, Any]) -> None:
    items = answers["receipt"]["items"]
    fates = {item["action"] for item in items}
    assert fates == {"kept", "merged", "superseded", "dropped"}
    assert {item["text"] for item in items if item["action"] == "dropped"} >= {"Good morning everyone!", "Thanks!", "好的"}
    assert all(item["reason"] for item in items if item["action"] != "kept")


@pytest.mark.requirement("R-03")
def test_the_question_is_answered_and_the_score_explained(answers: dict[str, Any]) -> None:
    hits = answers["recall"]["results"]
    assert hits[0]["memory"]["summary"] == "The ledger stall caused the checkout outage."
    assert sum(part["contribution"] for part in hits[0]["components"].values()) == pytest.approx(hits[0]["score"], abs=1e-6)


@pytest.mark.requirement("G-02")
def test_a_chain_of_three_hops_names_its_sources(answers: dict[str, Any]) -> None:
    paths = answers["chain"]["paths"]
    longest = max(paths, key=lambda path: len(path["hops"]))
    assert longest["nodes"] == ["Checkout", "payment service", "ledger database", "node-4"]
    assert [hop["raw_refs"][0] for hop in longest["hops"]] == ["chat:2", "chat:3", "chat:4"]


@pytest.mark.requirement("G-03")
def test_causes_and_impact_are_followed_to_their_ends(answers: dict[str, Any]) -> None:
    causes = max(answers["causes"]["paths"], key=lambda path: len(path["hops"]))
    assert [hop["relation"] for hop in causes["hops"]] == ["CAUSES"] * 3
    assert "audit logging" in causes["nodes"][-1].lower()
    ends = {path["nodes"][-1] for path in answers["impact"]["paths"]}
    assert {"Checkout", "退款服务"} <= ends


@pytest.mark.requirement("R-04")
def test_the_chinese_question_is_answered(answers: dict[str, Any]) -> None:
    assert answers["chinese"]["results"][0]["memory"]["summary"].startswith("退款服务依赖")


@pytest.mark.requirement("L-01")
def test_the_port_that_changed_is_superseded_and_shown_as_such(answers: dict[str, Any]) -> None:
    assert "5433" in answers["current"]["results"][0]["memory"]["summary"]
    versions = [(version["status"], version["summary"].rstrip(".")[-4:]) for version in answers["history"]]
    assert versions == [("superseded", "5432"), ("active", "5433")]


@pytest.mark.requirement("X-11")
def test_it_ends_with_a_lesson_learned_approved_and_used(answers: dict[str, Any]) -> None:
    assert answers["failed"]["drafts"][0]["experience"]["outcome"] == "failure"
    assert answers["review"]["memory"]["status"] == "pending"
    assert len(answers["review"]["supporting"]) == 2
    assert answers["approved"]["status"] == "active"
    (learned,) = answers["learned"]["results"]
    assert learned["memory"]["id"] == answers["review"]["memory"]["id"]
    assert learned["memory"]["summary"].startswith("Before process_refund, call get_order_status.")


def test_the_same_demo_twice_gives_the_same_scores(answers: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    for name in ("recall", "chinese"):
        assert [hit["score"] for hit in again[name]["results"]] == [hit["score"] for hit in answers[name]["results"]]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_printed_demo_shows_every_part(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.cells import cell_len

    monkeypatch.setenv("COLUMNS", columns)
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    for words in (
        "kept",
        "merged",
        "superseded",
        "dropped",
        "-DEPENDS_ON->",
        "退款服务依赖",
        "component",
        "v1",
        "v2",
        "Try next",
    ):
        assert words in out
    assert max(cell_len(line) for line in out.splitlines()) <= int(columns)


def test_keep_leaves_a_store_that_other_commands_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    path = tmp_path / "story.db"
    assert main(["demo", "--keep", str(path)]) == 0
    assert f"--store {path}" in capsys.readouterr().out.replace("\n", " ")
    assert main(["recall", "what replaced Redis?", "--store", str(path), "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)["results"]
    assert any("Memcached" in hit["memory"]["summary"] for hit in hits[:3])
    latest = max(datetime.fromisoformat(hit["memory"]["valid_from"]) for hit in hits)
    assert (datetime.now(UTC) - latest).days < 22


def test_keep_writes_over_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "story.db"
    path.write_text("mine")
    assert main(["demo", "--keep", str(path)]) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"error: {path} exists"
    assert path.read_text() == "mine"
