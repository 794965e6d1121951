"""Changing the embedding model of a store: resumable, never mixed, and the old vectors answer until the switch."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.cli import main
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import ConflictError, EmbeddingError, InputError, ModelMismatchError
from hindsight_graph.models.record import JobState
from hindsight_graph.pipelines import reembed
from hindsight_graph.pipelines.reembed import overlap
from hindsight_graph.testing.patience import patient_settings

AUTO = patient_settings(embedder="auto", jobs={"lease_seconds": 1})
TEXTS = tuple(f"Service {word} depends on the gateway {word}." for word in ("amber", "birch", "cedar", "delta", "ember", "fjord"))


@pytest.fixture
def filled(store_url: str) -> str:
    """A store of the hashing embedder with 6 memories in one tenant and 1 in another."""
    with HindsightGraph(store_url, embedder="hashing", settings=AUTO) as memory:
        memory.remember_many([{"text": text} for text in TEXTS])
        memory.acting_for(tenant="other").remember("The other tenant bakes bread.")
    return store_url


class _Counting(HashingEmbedder):
    """Counts texts, and fails at one of them if it is told to."""

    def __init__(self, fails_at: int | None = None) -> None:
        super().__init__(64)
        self.fails_at = fails_at
        self.texts: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fails_at is not None and len(self.texts) >= self.fails_at:
            raise EmbeddingError("the model went away")
        self.texts += texts
        return await super().embed_passages(texts)


@pytest.mark.requirement("M-09")
def test_all_tenants_are_switched_and_the_store_stays_with_the_new_model(filled: str):
    told: list[tuple[int, int]] = []
    with HindsightGraph(filled, settings=AUTO) as memory:
        job = memory.vectors.switch("hashing-64", progress=lambda done, total: told.append((done, total)))
        assert job.state is JobState.DONE
        assert (job.result["model"], job.result["filled"]) == ("hashing-64", 7)
        assert 0 < job.result["overlap"] <= 1
        assert told == [(7, 7)]
        assert memory.status().embedder.name == "hashing-64"
        assert memory.recall("gateway cedar").results[0].memory.summary == TEXTS[2]
        memory.remember("Service grove depends on the gateway grove.")
        assert memory.acting_for(tenant="other").recall("bread").results
        assert all(check.ok for check in memory.doctor()), memory.doctor()
    with HindsightGraph(filled, settings=AUTO) as memory:
        assert memory.status().embedder.name == "hashing-64"


@pytest.mark.requirement("M-09")
async def test_who_has_the_store_open_with_the_old_model_is_refused_its_vectors(filled: str):
    async with AsyncHindsightGraph(filled, settings=AUTO) as old, AsyncHindsightGraph(filled, settings=AUTO) as other:
        await other.vectors.switch("hashing-64")
        with pytest.raises(ModelMismatchError, match="hashing-64 now, not by hashing-384"):
            await old.remember("Service hazel depends on the gateway hazel.")
        answer = await old.recall("gateway cedar")
        assert answer.degraded
        assert any("hashing-64 now" in reason for reason in answer.reasons)


@pytest.mark.requirement("M-09")
async def test_what_failed_in_the_middle_goes_on_where_it_stopped(filled: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reembed, "PAGE", 2)
    async with AsyncHindsightGraph(filled, settings=AUTO) as memory:
        failing, whole = _Counting(fails_at=4), _Counting()
        vectors = memory.vectors

        async def make(name: str) -> HashingEmbedder:
            del name
            return failing if failing.fails_at is not None else whole

        vectors.work.make = make
        with pytest.raises(EmbeddingError, match="the model went away"):
            await vectors.switch("hashing-64")
        assert [check.detail for check in await memory.doctor() if check.name == "switch"] == [
            "vectors by hashing-64 are being filled"
        ]
        assert (await memory.recall("gateway cedar")).results[0].memory.summary == TEXTS[2]
        failing.fails_at = None
        job = await vectors.switch("hashing-64")
        assert job.result["filled"] == 3
        assert len(whole.texts) == 3
        assert sorted(failing.texts + whole.texts) == sorted((*TEXTS, "The other tenant bakes bread."))


@pytest.mark.requirement("M-09")
def test_a_process_that_dies_in_the_middle_is_taken_over(filled: str):
    script = f"""
import os
from hindsight_graph import HindsightGraph
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.pipelines import reembed
from hindsight_graph.testing.patience import patient_settings

class Dying(HashingEmbedder):
    async def embed_passages(self, texts):
        self.calls = getattr(self, "calls", 0) + 1
        if self.calls == 3:
            os._exit(9)
        return await super().embed_passages(texts)

async def make(name, dying=Dying(64)):
    return dying

reembed.PAGE = 2
memory = HindsightGraph({filled!r}, settings=patient_settings(embedder="auto", jobs={{"lease_seconds": 1}}))
memory.vectors.core.work.make = make
memory.vectors.switch("hashing-64")
"""
    died = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert died.returncode == 9, died.stderr
    with HindsightGraph(filled, settings=AUTO) as memory:
        job = memory.vectors.switch("hashing-64")
        assert (job.state, job.attempts, job.result["filled"]) == (JobState.DONE, 2, 3)
        assert memory.status().embedder.name == "hashing-64"


def test_a_switch_that_shares_too_little_is_not_made(filled: str):
    with HindsightGraph(filled, settings=AUTO) as memory:
        with pytest.raises(EmbeddingError, match=r"1\.00 were asked for"):
            memory.vectors.switch("hashing-16", least_overlap=1.0)
        assert memory.status().embedder.name == "hashing-384"
        with pytest.raises(ConflictError, match="hashing-16 are being filled"):
            memory.vectors.switch("hashing-64")
        assert memory.vectors.drop()
        assert not memory.vectors.drop()
        assert memory.vectors.switch("hashing-64").state is JobState.DONE


def test_a_switch_to_the_model_in_use_is_refused(filled: str):
    with HindsightGraph(filled, settings=AUTO) as memory, pytest.raises(InputError, match="hashing-384 already"):
        memory.vectors.switch("hashing")


def test_the_command_switches_a_store_and_gives_up(filled: str, capsys: pytest.CaptureFixture[str]):
    assert main(["models", "switch", "--drop", "--store", filled]) == 0
    assert capsys.readouterr().out == "no switch was under way\n"
    assert main(["models", "switch", "hashing-64", "--store", filled, "--json"]) == 0
    captured = capsys.readouterr()
    job: dict[str, Any] = json.loads(captured.out)
    assert (job["kind"], job["state"], job["result"]["model"]) == ("reembed", "done", "hashing-64")
    assert "set HINDSIGHT_GRAPH_EMBEDDER to auto or hashing-64" in captured.err
    assert main(["models", "switch", "--store", filled]) == 2


def test_overlap_is_the_share_of_neighbours_that_both_agree_on():
    rows = np.eye(4, dtype=np.float32)
    near = rows.copy()
    near[0] = near[1] = (0.8, 0.6, 0, 0)
    assert overlap(rows, rows, 1) == 1.0
    assert overlap(near, near[::-1].copy(), 1) < 1.0
    assert overlap(rows[:1], rows[:1]) == 1.0


def test_a_name_that_is_none_is_refused_before_a_job_is_made(filled: str):
    with HindsightGraph(filled, settings=AUTO) as memory:
        with pytest.raises(EmbeddingError, match="no setting names"):
            memory.vectors.switch("word2vec")
        assert memory.jobs.list(kinds=("reembed",)).rows == ()
