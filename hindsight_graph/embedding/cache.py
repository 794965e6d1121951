"""A cache in front of an embedder: the same question is embedded once, the same passage once per batch."""

from collections import OrderedDict
from collections.abc import Awaitable, Mapping, Sequence
from threading import Lock
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder, Matrix, check_matrix, load, settle
from hindsight_graph.embedding.centres import Centre, language_centres
from hindsight_graph.models.record import EmbeddingModel
from hindsight_graph.observe.events import Embedded
from hindsight_graph.observe.observer import NOBODY, Observer
from hindsight_graph.observe.spans import span

__all__ = ["CachedEmbedder"]


class CachedEmbedder:
    """Keeps the `size` most recently used question vectors; passages are only freed of repeats within a call.

    Vectors are checked (shape, zero, NaN) on the way through and handed out read-only.

    Attributes:
        hits, misses: Questions answered from the cache, and embedded.
    """

    def __init__(self, inner: Embedder, size: int = 1024, observer: Observer = NOBODY) -> None:
        """Wrap `inner`; a size of 0 keeps nothing; the observer is told what `inner` is asked."""
        self._observer = observer
        self._inner = inner
        self._size = size
        self._queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()
        self._centres: Mapping[str, Centre] | None = None
        self.hits = 0
        self.misses = 0

    @property
    def model(self) -> EmbeddingModel:
        """The inner embedder's model."""
        return self._inner.model

    @property
    def centres(self) -> Mapping[str, Centre]:
        """Where the model puts languages, once `load` was awaited; nothing for models that know no meaning."""
        return self._centres or {}

    async def load(self) -> None:
        """Let the inner embedder load, and learn where it puts languages; raises what it raises."""
        await load(self._inner)
        if self._centres is None:
            self._centres = await language_centres(self._inner)

    async def settle(self, recorded: EmbeddingModel | None) -> None:
        """Let the inner embedder be decided; question vectors of another model are forgotten."""
        await settle(self._inner, recorded)
        self._centres = None
        with self._lock:
            self._queries.clear()

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text, each distinct text embedded once. Raises EmbeddingError."""
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        if not rows:
            return np.empty((0, self.model.dimension), dtype=np.float32)
        matrix = check_matrix(
            await self._timed("passages", len(rows), self._inner.embed_passages(tuple(rows))), len(rows), self.model
        )
        return matrix if len(rows) == len(texts) else matrix[[rows[text] for text in texts]]

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question, from the cache where it is there. Raises EmbeddingError."""
        with self._lock:
            found = self._queries.get(text)
            if found is not None:
                self._queries.move_to_end(text)
                self.hits += 1
                return found
            self.misses += 1
        made = await self._timed("question", 1, self._inner.embed_query(text))
        vector = check_matrix(made.reshape(1, -1), 1, self.model)[0].copy()
        vector.flags.writeable = False
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > self._size:
                self._queries.popitem(last=False)
        return vector

    async def _timed(self, of: str, texts: int, work: Awaitable[NDArray[np.float32]]) -> NDArray[np.float32]:
        began = perf_counter()
        failed = ""
        try:
            with span(f"hindsight_graph.embed_{of}"):
                return await work
        except BaseException as error:
            failed = type(error).__name__
            raise
        finally:
            self._observer.observe(Embedded(of, texts, perf_counter() - began, failed))
