"""Any endpoint that speaks OpenAI's embedding protocol: a hosted service, or a server of one's own."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Matrix, check_texts, unit_rows
from hindsight_graph.errors import EmbeddingError, MissingExtraError
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["INSTALL", "SCHEME", "OpenAIEmbedder"]

SCHEME = "openai:"
INSTALL = "pip install 'hindsight-graph[llm]'"
_BATCH = 128
"""Texts of one request; endpoints take at least that many."""
_PROBE = "probe"


class OpenAIEmbedder:
    """A model behind an endpoint.

    Args:
        name: Of the model, as the endpoint has it. base_url: `https://host/v1`. key: may be absent for a server of one's own.
        dimension: If it is known already; `probe` asks otherwise.
        timeout_s: Seconds for one request. retries: of requests that failed for a reason that may pass.

    Raises:
        MissingExtraError: The openai package is not installed.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        key: str | None,
        *,
        dimension: int | None = None,
        timeout_s: float = 30.0,
        retries: int = 2,
    ) -> None:
        if find_spec("openai") is None:
            raise MissingExtraError(f"{SCHEME}{name} needs the openai package", hint=INSTALL)
        self._name = name
        self._url = base_url
        self._key = key
        self._timeout = timeout_s
        self._retries = retries
        self._client: Any = None
        self._model = None if dimension is None else EmbeddingModel(name=SCHEME + name, dimension=dimension)

    @property
    def model(self) -> EmbeddingModel:
        """Name `openai:NAME` and its dimension. Raises EmbeddingError before `probe`, when no dimension was given."""
        if self._model is None:
            raise EmbeddingError(f"the dimension of {SCHEME}{self._name} is not known yet", hint="await probe() first")
        return self._model

    async def probe(self) -> EmbeddingModel:
        """Ask the endpoint for the dimension, if it is not known. Raises EmbeddingError."""
        if self._model is None:
            rows = await self._ask([_PROBE])
            self._model = EmbeddingModel(name=SCHEME + self._name, dimension=rows.shape[1])
        return self._model

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text. Raises EmbeddingError."""
        check_texts(texts)
        parts = [await self._ask(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.model.dimension), dtype=np.float32)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question. Raises EmbeddingError."""
        check_texts((text,))
        return (await self._ask([text]))[0]

    async def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Return one row per question, which is prepared as a passage is. Raises EmbeddingError."""
        return await self.embed_passages(texts)

    async def aclose(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _ask(self, texts: Sequence[str]) -> Matrix:
        import openai  # noqa: PLC0415 - heavy and optional

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                base_url=self._url, api_key=self._key or "none", timeout=self._timeout, max_retries=self._retries
            )
        try:
            answer = await self._client.embeddings.create(model=self._name, input=list(texts), encoding_format="float")
            rows = [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]
            matrix = np.array(rows, dtype=np.float32)
        except openai.AuthenticationError as error:
            raise EmbeddingError(
                f"{self._url} refuses the key for {self._name}", hint="set HINDSIGHT_GRAPH_EMBEDDING_API_KEY"
            ) from error
        except openai.APIConnectionError as error:
            raise EmbeddingError(
                f"{self._url} does not answer: {error}", hint="is it running? HINDSIGHT_GRAPH_EMBEDDING_BASE_URL names it"
            ) from error
        except openai.OpenAIError as error:
            raise EmbeddingError(f"{self._url} gave no embedding by {self._name}: {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise EmbeddingError(
                f"{self._url} answered something else than embeddings: {error}", hint="it must speak OpenAI's /embeddings"
            ) from error
        if matrix.ndim != 2 or len(matrix) != len(texts):
            raise EmbeddingError(f"{self._url} gave shape {matrix.shape} for {len(texts)} texts")
        return unit_rows(matrix)
