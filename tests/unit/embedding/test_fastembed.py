"""Models of fastembed by name: a real run of a tiny model in its cache folder, and what may be wrong."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from hindsight_graph.embedding.fastembed import FastembedEmbedder
from hindsight_graph.errors import EmbeddingError

NAME = "BAAI/bge-small-en-v1.5"
REVISION = "1" * 40
WORDS = ["[PAD]", "[UNK]", "checkout", "payment", "gateway", "passages", "represent"]


def _silent(line: str) -> None:
    del line


def _tiny_model(folder: Path) -> None:
    """Write a model that looks words up, where fastembed keeps its own: word number n becomes the n-th axis."""
    source = folder / "models--Qdrant--bge-small-en-v1.5-onnx-Q"
    folder = source / "snapshots" / REVISION
    folder.mkdir(parents=True)
    (source / "refs").mkdir()
    (source / "refs" / "main").write_text(REVISION)
    table = np.zeros((len(WORDS), 384), np.float32)
    table[np.arange(len(WORDS)), np.arange(len(WORDS))] = 1
    node: Any = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    ids: Any = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])
    out: Any = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", 384])
    graph: Any = helper.make_graph([node], "tiny", [ids], [out], [numpy_helper.from_array(table, "table")])
    model: Any = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(folder / "model_optimized.onnx"))  # pyright: ignore[reportUnknownMemberType]
    tokenizer: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }  # fmt: skip
    files: dict[str, dict[str, Any]] = {
        "tokenizer.json": tokenizer, "config.json": {"pad_token_id": 0}, "special_tokens_map.json": {"pad_token": "[PAD]"},
        "tokenizer_config.json": {"model_max_length": 16, "pad_token": "[PAD]"},
    }  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))


async def test_a_model_in_the_cache_folder_runs_offline_with_its_own_prefix_before_questions(tmp_path: Path):
    _tiny_model(tmp_path)
    embedder = FastembedEmbedder(NAME, tmp_path, _silent, offline=True)
    assert embedder.model.model_dump() == {"name": f"fastembed:{NAME}", "dimension": 384, "preparation": 1}
    rows = await embedder.embed_passages(["payment gateway", "checkout", "gateway checkout"])
    assert [int(np.argmax(row)) for row in rows] == [3, 2, 4]
    assert int(np.argmax(await embedder.embed_query("checkout"))) == WORDS.index("represent")


async def test_without_weights_offline_says_where_they_were_looked_for(tmp_path: Path):
    with pytest.raises(EmbeddingError, match=r"not in .*offline forbids") as caught:
        await FastembedEmbedder(NAME, tmp_path, _silent, offline=True).embed_query("x")
    assert "HINDSIGHT_GRAPH_EMBEDDING_OFFLINE" in caught.value.hint


def test_a_name_that_fastembed_does_not_know_gets_the_nearest(tmp_path: Path):
    with pytest.raises(EmbeddingError, match="knows no model 'BAAI/bge-smal-en'") as caught:
        FastembedEmbedder("BAAI/bge-smal-en", tmp_path, _silent)
    assert "fastembed:BAAI/bge-small-en" in caught.value.hint
