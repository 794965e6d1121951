"""The cache of vectors on disk."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hindsight_graph.embedding.disk import DiskCache, DiskCachedEmbedder
from hindsight_graph.embedding.hashing import HashingEmbedder

SIZE = 4 * 1024 * 1024


def _contents(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.iterdir()]


class _Counting(HashingEmbedder):
    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.passages: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.passages += texts
        return await super().embed_passages(texts)


@pytest.mark.requirement("M-09")
async def test_a_passage_is_embedded_once_in_whatever_process(tmp_path: Path):
    first, second = _Counting(), _Counting()
    made = await DiskCachedEmbedder(first, DiskCache(tmp_path / "v.db", SIZE)).embed_passages(["a one", "b two", "a one"])
    read = await DiskCachedEmbedder(second, DiskCache(tmp_path / "v.db", SIZE)).embed_passages(["b two", "c three", "a one"])
    assert first.passages == ["a one", "b two"]
    assert second.passages == ["c three"]
    np.testing.assert_array_equal(made, (await HashingEmbedder(64).embed_passages(["a one", "b two", "a one"])))
    np.testing.assert_array_equal(read[0], made[1])
    np.testing.assert_array_equal(read[2], made[0])


async def test_another_model_has_entries_of_its_own(tmp_path: Path):
    other = _Counting(128)
    await DiskCachedEmbedder(_Counting(), DiskCache(tmp_path / "v.db", SIZE)).embed_passages(["a one"])
    assert (await DiskCachedEmbedder(other, DiskCache(tmp_path / "v.db", SIZE)).embed_passages(["a one"])).shape == (1, 128)
    assert other.passages == ["a one"]


async def test_no_text_is_in_the_file_and_only_the_user_may_read_it(tmp_path: Path):
    path = tmp_path / "new" / "v.db"
    await DiskCachedEmbedder(_Counting(), DiskCache(path, SIZE)).embed_passages(["the secret handshake"])
    assert b"handshake" not in b"".join(_contents(path.parent))
    assert path.stat().st_mode & 0o077 == 0


async def test_the_oldest_go_when_the_file_becomes_too_large(tmp_path: Path):
    cache = DiskCache(tmp_path / "v.db", 200_000)
    inner = _Counting(512)
    embedder = DiskCachedEmbedder(inner, cache)
    for start in range(0, 300, 50):
        await embedder.embed_passages([f"text {number}" for number in range(start, start + 50)])
    assert cache.get([embedder.key("text 0")]) == {}
    assert list(cache.get([embedder.key("text 299")])) == [embedder.key("text 299")]
    assert (tmp_path / "v.db").stat().st_size < 400_000


async def test_forgotten_vectors_are_gone_from_the_file(tmp_path: Path):
    cache = DiskCache(tmp_path / "v.db", SIZE)
    embedder = DiskCachedEmbedder(_Counting(), cache)
    row = (await embedder.embed_passages(["one to forget"]))[0]
    cache.forget([embedder.key("one to forget")])
    assert cache.get([embedder.key("one to forget")]) == {}
    assert all(row.tobytes() not in content for content in _contents(tmp_path))


async def test_a_damaged_file_is_told_once_and_vectors_are_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "v.db").write_bytes(b"this is no database" * 100)
    embedder = DiskCachedEmbedder(_Counting(), DiskCache(tmp_path / "v.db", SIZE))
    for _ in range(2):
        assert (await embedder.embed_passages(["a one"])).shape == (1, 64)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(tmp_path / "v.db") in caplog.text
