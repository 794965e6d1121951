"""An endpoint that speaks OpenAI's embedding protocol, asked over a real socket."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from hindsight_graph.embedding.base import check_matrix
from hindsight_graph.embedding.openai import OpenAIEmbedder
from hindsight_graph.errors import EmbeddingError

Answer = Callable[[dict[str, Any]], tuple[int, Any]]


def _vectors(asked: dict[str, Any]) -> tuple[int, Any]:
    """Return a vector of three places for each text: its length, 1, 0; not of length 1 and in reverse order, as is allowed."""
    rows = [{"object": "embedding", "index": at, "embedding": [len(text), 1.0, 0.0]} for at, text in enumerate(asked["input"])]
    return 200, {"object": "list", "data": rows[::-1], "model": asked["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


class _Endpoint(ThreadingHTTPServer):
    answer: Answer = staticmethod(_vectors)
    asked: list[dict[str, Any]]
    keys: list[str]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, _Endpoint)
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(asked)
        server.keys.append(self.headers["Authorization"])
        status, body = server.answer(asked)
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        del format, args


@pytest.fixture
def endpoint() -> Iterator[_Endpoint]:
    server = _Endpoint(("127.0.0.1", 0), _Handler)
    server.asked, server.keys = [], []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def _embedder(endpoint: _Endpoint, **more: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("small", f"http://127.0.0.1:{endpoint.server_port}/v1", "secret", retries=0, **more)


async def test_rows_are_of_length_one_and_in_the_order_of_the_texts(endpoint: _Endpoint):
    embedder = _embedder(endpoint)
    assert (await embedder.probe()).model_dump() == {"name": "openai:small", "dimension": 3, "preparation": 1}
    rows = await embedder.embed_passages(["a", "abc"])
    np.testing.assert_allclose(rows, [[2**-0.5, 2**-0.5, 0], [3 / 10**0.5, 1 / 10**0.5, 0]], rtol=1e-6)
    assert endpoint.keys == ["Bearer secret"] * 2
    assert endpoint.asked[-1]["model"] == "small"
    await embedder.aclose()


async def test_a_known_dimension_is_not_asked_for(endpoint: _Endpoint):
    embedder = _embedder(endpoint, dimension=3)
    assert (await embedder.probe()).dimension == 3
    assert endpoint.asked == []


async def test_many_texts_go_in_several_requests(endpoint: _Endpoint):
    embedder = _embedder(endpoint, dimension=3)
    assert (await embedder.embed_passages([f"text {number}" for number in range(300)])).shape == (300, 3)
    assert [len(asked["input"]) for asked in endpoint.asked] == [128, 128, 44]
    await embedder.aclose()


@pytest.mark.requirement("M-09")
@pytest.mark.parametrize("number", [float("nan"), 0.0], ids=["NaN", "zero"])
async def test_a_vector_of_nan_or_zeros_is_refused(endpoint: _Endpoint, number: float):
    endpoint.answer = lambda _: (200, {"object": "list", "model": "m", "data": [{"index": 0, "embedding": [number] * 3}]})
    embedder = _embedder(endpoint, dimension=3)
    with pytest.raises(EmbeddingError, match="zero or non-finite"):
        check_matrix(await embedder.embed_passages(["x"]), 1, embedder.model)
    await embedder.aclose()


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (401, {"error": {"message": "bad key"}}, "refuses the key"),
        (500, {"error": {"message": "broken"}}, "gave no embedding by small"),
        (404, {"error": {"message": "no such model"}}, "no such model"),
        (200, {"object": "list", "data": []}, "embedding|shape"),
        (200, {"hello": "there"}, "something else than embeddings"),
        (200, {"object": "list", "data": [{"index": 0, "embedding": ["a", "b"]}]}, "something else than embeddings"),
    ],
)
async def test_a_wrong_answer_is_told_with_the_address(endpoint: _Endpoint, status: int, body: Any, told: str):
    endpoint.answer = lambda _: (status, body)
    embedder = _embedder(endpoint, dimension=3)
    with pytest.raises(EmbeddingError, match=told) as caught:
        await embedder.embed_passages(["x"])
    assert f"127.0.0.1:{endpoint.server_port}" in caught.value.message
    await embedder.aclose()


async def test_an_endpoint_that_is_down_is_told_with_the_setting_that_names_it(endpoint: _Endpoint):
    embedder = OpenAIEmbedder("small", "http://127.0.0.1:9/v1", None, dimension=3, retries=0)
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9/v1 does not answer") as caught:
        await embedder.embed_query("x")
    assert "HINDSIGHT_GRAPH_EMBEDDING_BASE_URL" in caught.value.hint
    await embedder.aclose()
