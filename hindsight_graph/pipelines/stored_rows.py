"""Stored rows as bytes: the same row gives the same bytes, whichever store it came from. What checksums are made of."""

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.models.moving import StoredRow, Table
from hindsight_graph.models.record import NewMemory
from hindsight_graph.stores.words import indexed_form

_MARK_BYTES = 8
_SUM_BYTES = 16
Marks = NDArray[np.uint64]
"""The first 8 bytes of each row's hash, shape (rows,): 8 MB for a million rows. That two of ten million rows share one has a
chance of 3 in a million, and the checksum notices it."""


def encode(row: StoredRow) -> bytes:
    """Return a row as one line of JSON; a vector is its float32 values, little-endian, in base64."""
    if not isinstance(row, NewMemory):
        return row.model_dump_json().encode()
    vector = b"null"
    if row.vector is not None:
        vector = b'"' + base64.b64encode(row.vector.astype("<f4", copy=False).tobytes()) + b'"'
    terms = json.dumps([*map(indexed_form, row.terms)], ensure_ascii=False, separators=(",", ":")).encode()
    return b'{"memory":%b,"vector":%b,"terms":%b}' % (row.memory.model_dump_json().encode(), vector, terms)


@dataclass
class Tally:
    """Counts and adds up the rows of one table, in whatever order they come.

    The sum of 128-bit hashes does not depend on the order, in which the stores differ.

    Attributes:
        rows: How many. total: the sum.
    """

    table: Table
    rows: int = 0
    total: int = 0
    _marks: list[Marks] = field(default_factory=list[Marks])

    def add(self, rows: Iterable[StoredRow], *, keep: bool = False) -> Marks:
        """Take in rows and return their marks; `keep` remembers them for `marks`."""
        hashes = [sha256(self.table.value.encode() + b"\0" + encode(row)).digest() for row in rows]
        self.rows += len(hashes)
        self.total += sum(int.from_bytes(one[:_SUM_BYTES], "big") for one in hashes)
        marks = np.frombuffer(b"".join(one[:_MARK_BYTES] for one in hashes), np.uint64)
        if keep:
            self._marks.append(marks)
        return marks

    @property
    def marks(self) -> Marks:
        """The marks that were kept, sorted."""
        return np.sort(np.concatenate(self._marks)) if self._marks else np.zeros(0, np.uint64)

    @property
    def checksum(self) -> str:
        """Hex digits that are the same for the same rows."""
        return f"{self.total % 2 ** (8 * _SUM_BYTES):032x}"


def among(marks: Marks, known: Marks) -> Iterator[bool]:
    """Say of each mark whether it is among the sorted `known` ones."""
    if not len(known):
        return iter([False] * len(marks))
    places = np.minimum(np.searchsorted(known, marks), len(known) - 1)
    return iter((known[places] == marks).tolist())
