"""`hindsight-graph models`, as typed."""

import json
from pathlib import Path

import pytest

from hindsight_graph.cli import main


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model_folder: Path):
    monkeypatch.setenv("HINDSIGHT_GRAPH_EMBEDDING_FOLDER", str(model_folder))
    monkeypatch.setenv("HINDSIGHT_GRAPH_EMBEDDING_CACHE_MB", "0")
    monkeypatch.setenv("HINDSIGHT_GRAPH_STORE_URL", f"sqlite:///{tmp_path / 'memory.db'}")


def test_list_shows_what_can_be_used_and_makes_no_store(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert main(["models", "--json"]) == 0
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert entries["hashing"]["state"] == "ready"
    assert (entries["multilingual-e5-small"]["state"], entries["multilingual-e5-small"]["licence"]) == ("ready", "MIT")
    assert entries["multilingual-e5-small"]["is_default"]
    assert not list(tmp_path.iterdir())


def test_list_marks_the_model_of_the_store(capsys: pytest.CaptureFixture[str]):
    assert main(["remember", "Checkout depends on the payment gateway."]) == 0
    capsys.readouterr()
    assert main(["models", "list"]) == 0
    assert "hashing  this store" in capsys.readouterr().out


def test_install_makes_ready_and_says_the_dimension(capsys: pytest.CaptureFixture[str]):
    assert main(["models", "install", "e5"]) == 0
    assert capsys.readouterr().out == "multilingual-e5-small is ready: 384 dimensions\n"


def test_check_tells_an_answer_from_what_is_none(capsys: pytest.CaptureFixture[str]):
    assert main(["models", "check", "e5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["similar"] > found["different"] + 0.05
    assert found["per_second"] > 0


def test_a_model_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["models", "install", "word2vec"]) == 2
    assert "unknown embedder 'word2vec'" in capsys.readouterr().err
