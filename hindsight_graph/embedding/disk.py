"""A cache on disk in front of a costly embedder: a passage that was embedded once, in whatever process, is not embedded again.

Keys are hashes of model, preparation and text, values are vectors: no text is in the file. It may be removed at any time. A
cache that cannot be read or written is left out with a warning; vectors are then made anew.
"""

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.embedding.base import Embedder, Matrix, check_matrix, load
from hindsight_graph.models.record import EmbeddingModel

__all__ = ["DiskCache", "DiskCachedEmbedder"]

Questions = Callable[[Sequence[str]], Awaitable[Matrix]]
_LOG = logging.getLogger(__name__)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)
"""
_ASKED = 500
"""Keys of one statement; SQLite allows 999 values in old versions."""
_KEPT = 0.8
"""Share of the largest size that is left when it was passed; the oldest go."""


class DiskCache:
    """Vectors by key in one SQLite file, which several processes may use.

    Args:
        path: The file; made with its folder, for this user only. most_bytes: the largest size of it.
    """

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._path = path
        self._most = most_bytes
        self._lock = Lock()
        self._broken = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return what is there."""
        found: dict[bytes, NDArray[np.float32]] = {}
        with self._lock:
            try:
                with closing(self._connect()) as connection:
                    for start in range(0, len(keys), _ASKED):
                        part = keys[start : start + _ASKED]
                        marks = ",".join("?" * len(part))
                        for key, vector in connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part):  # noqa: S608
                            found[bytes(key)] = np.frombuffer(vector, np.float32)
            except (sqlite3.Error, OSError) as error:
                self._complain(error)
        return found

    def put(self, rows: Iterable[tuple[bytes, NDArray[np.float32]]]) -> None:
        """Keep vectors; the oldest go when the file becomes too large."""
        with self._lock:
            try:
                with closing(self._connect()) as connection, connection:
                    connection.executemany(
                        "INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                        [(key, vector.astype(np.float32).tobytes()) for key, vector in rows],
                    )
                    self._shrink(connection)
            except (sqlite3.Error, OSError) as error:
                self._complain(error)

    def forget(self, keys: Sequence[bytes]) -> None:
        """Remove vectors, and their bytes from the file."""
        with self._lock, closing(self._connect()) as connection:
            with connection:
                connection.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key in keys])
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _connect(self) -> sqlite3.Connection:
        is_new = not self._path.exists()
        if is_new:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(self._path, timeout=5)
        try:
            connection.execute("PRAGMA synchronous = OFF")  # what is lost is made anew
            connection.execute("PRAGMA secure_delete = ON")
            if is_new:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _shrink(self, connection: sqlite3.Connection) -> None:
        size, free, page = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        used = (size - free) * page
        if used <= self._most:
            return
        rows = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        gone = int(rows * (1 - _KEPT * self._most / used)) + 1
        connection.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)", (gone,))

    def _complain(self, error: Exception) -> None:
        if not self._broken:
            self._broken = True
            _LOG.warning("the embedding cache %s cannot be used, vectors are made anew: %s", self._path, error)


class DiskCachedEmbedder:
    """Passages from the cache where they are there; questions are the embedder's own."""

    def __init__(self, inner: Embedder, cache: DiskCache) -> None:
        self._inner = inner
        self._cache = cache

    @property
    def model(self) -> EmbeddingModel:
        """The inner embedder's model."""
        return self._inner.model

    def key(self, text: str, kind: str = "") -> bytes:
        """Return the key of a passage (or of another kind of text): 16 bytes of a hash of it and of all about the model."""
        model = self.model
        about = f"{model.name}\0{model.dimension}\0{model.preparation}\0{kind}\0{text}"
        return hashlib.blake2b(about.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    async def load(self) -> None:
        """Let the inner embedder load."""
        await load(self._inner)

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        """Return one row per text; only those that are not in the cache are embedded."""
        return await self._through(texts, "", self._inner.embed_passages)

    @property
    def embed_queries(self) -> Questions | None:
        """What makes one row per question, kept as passages are, of an embedder that can make many at once; None for others."""
        inner: Questions | None = getattr(self._inner, "embed_queries", None)
        return None if inner is None else partial(self._through, kind="question", embed=inner)

    async def _through(self, texts: Sequence[str], kind: str, embed: Questions) -> Matrix:
        if not texts:
            return np.empty((0, self.model.dimension), dtype=np.float32)
        keys = [self.key(text, kind) for text in texts]
        found = await asyncio.to_thread(self._cache.get, list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if not self._usable(found.get(key))}
        if missing:
            made = check_matrix(await embed(list(missing.values())), len(missing), self.model)
            fresh = dict(zip(missing, made, strict=True))
            await asyncio.to_thread(self._cache.put, fresh.items())
            found |= fresh
        return np.stack([found[key] for key in keys])

    def _usable(self, vector: NDArray[np.float32] | None) -> bool:
        return vector is not None and vector.shape == (self.model.dimension,)

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a question."""
        return await self._inner.embed_query(text)
