"""The hashing embedder."""

import asyncio
import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph.embedding.base import check_matrix
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import EmbeddingError

_PRINT_HASH = """
import asyncio, hashlib, numpy as np
from hindsight_graph.embedding.hashing import HashingEmbedder
matrix = asyncio.run(HashingEmbedder(64).embed_passages(["Checkout depends on 支付服务", "v1.2.3"]))
print(hashlib.sha256(np.round(matrix * 1e4).astype("<i4").tobytes()).hexdigest())
"""


async def test_the_model_is_named_after_its_dimension():
    assert HashingEmbedder().model.name == "hashing-384"
    assert (await HashingEmbedder(64).embed_query("a")).shape == (64,)


def test_another_process_gives_the_same_vectors():
    matrix = asyncio.run(HashingEmbedder(64).embed_passages(["Checkout depends on 支付服务", "v1.2.3"]))
    here = hashlib.sha256(np.round(matrix * 1e4).astype("<i4").tobytes()).hexdigest()
    run = subprocess.run([sys.executable, "-c", _PRINT_HASH], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == here


@given(st.text(min_size=1).filter(lambda text: text.strip() != ""))
async def test_any_text_has_a_vector_of_length_one(text: str):
    embedder = HashingEmbedder(64)
    check_matrix(await embedder.embed_passages([text]), 1, embedder.model)
    assert float(np.linalg.norm(await embedder.embed_query(text))) == pytest.approx(1.0, abs=1e-5)


async def test_an_empty_text_is_refused():
    with pytest.raises(EmbeddingError, match="empty text"):
        await HashingEmbedder().embed_passages([" \n"])


@pytest.mark.requirement("R-04")
@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("payment gateway", "the gateway for payments failed", "the cat sat on the mat"),
        ("kuberntes", "kubernetes cluster", "postgres cluster"),
        ("支付服务", "支付网关和支付服务", "数据库端口"),
        ("Redis 端口", "把 redis 的端口改为 6380", "change the owner of billing"),
    ],
)
async def test_shared_words_letters_and_characters_are_near(question: str, near: str, far: str):
    embedder = HashingEmbedder()
    asked = await embedder.embed_query(question)
    close, distant = await embedder.embed_passages([near, far])
    assert float(asked @ close) > float(asked @ distant) + 0.1


def test_a_tiny_dimension_is_refused():
    with pytest.raises(EmbeddingError, match="dimension 4"):
        HashingEmbedder(4)
