"""Fingerprints of a statement: the exact one (content hash) and the approximate one (minhash bands)."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

__all__ = ["BANDS", "ROWS", "bands", "bands_of", "content_hash", "similarity"]

BANDS = 4
"""Signatures per statement."""
ROWS = 3
"""Minhash values per signature. Two term sets of Jaccard J share a band with probability 1 - (1 - J^3)^4: .94 at .8, .81 at .7,
.41 at .5, .10 at .3 (Broder 1997; banding as in Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, 3.4)."""

_FINAL_PUNCTUATION = re.compile(r"[\s.!,;:…。！，；：、]+$")
_LOW_63 = (1 << 63) - 1
_LOW_64 = (1 << 64) - 1


def _mix(value: int) -> int:
    """Return the splitmix64 finaliser of a 64-bit value (Steele, Lea, Flood 2014)."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _LOW_64
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _LOW_64
    return value ^ (value >> 31)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return `_mix` of every value."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@lru_cache(maxsize=65_536)
def _term_hash(term: str) -> int:
    return _mix(crc32(term.encode()) + 0x9E3779B97F4A7C15)


_FACTORS = np.array([[_mix(row) | 1] for row in range(1, BANDS * ROWS + 1)], dtype=np.uint64)
_OFFSETS = np.array([[_mix(row)] for row in range(101, 101 + BANDS * ROWS)], dtype=np.uint64)


_BAND_SALTS = np.array([[_mix(band + 1)] for band in range(BANDS)], dtype=np.uint64)


def content_hash(summary: str, kind: str, negated: bool, also: Iterable[str] = ()) -> str:
    """Return the hex SHA-256 that two statements share when they are the same words, kind and polarity.

    The words are compared in NFKC, with white space folded, the first letter in lower case and final punctuation dropped (but no
    question mark). Case counts otherwise: `-v` and `-V`, `abc` and `ABC` are not the same.

    Args:
        summary: The words.
        kind: The memory's kind.
        negated: Its polarity.
        also: What else must be equal, in order: what the words do not say themselves (who "I" is, a tool, a task).
    """
    folded = " ".join(unicodedata.normalize("NFKC", summary).split())
    words = _FINAL_PUNCTUATION.sub("", folded) or folded
    parts = (kind, str(int(negated)), words[:1].lower() + words[1:], *also)
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()


def bands(terms: Collection[str], must_agree: str = "") -> tuple[int, ...]:
    """Return the signatures of one statement; see `bands_of`."""
    return bands_of([(terms, must_agree)])[0]


def bands_of(statements: Sequence[tuple[Collection[str], str]]) -> list[tuple[int, ...]]:
    """Return for each statement BANDS signatures of its term set as integers in 0..2^63-1; none for no terms.

    Order and repeats of terms do not matter.

    Args:
        statements: The terms of each, and what has to be equal for two statements to be near-duplicates at all (digits, entities,
            polarity): another value gives unrelated signatures, so that look-ups by signature stay selective among statements of
            one pattern.
    """
    filled = [index for index, (terms, _) in enumerate(statements) if terms]
    signed: list[tuple[int, ...]] = [()] * len(statements)
    if not filled:
        return signed
    counts = [len(statements[index][0]) for index in filled]
    hashes = np.fromiter((_term_hash(term) for index in filled for term in statements[index][0]), np.uint64, sum(counts))
    starts = np.cumsum([0, *counts[:-1]])
    least = np.minimum.reduceat(hashes * _FACTORS + _OFFSETS, starts, axis=1).reshape(BANDS, ROWS, -1)
    salts = _mixed(np.array([crc32(statements[index][1].encode()) + 1 for index in filled], np.uint64))
    joined = _mixed(least[:, 0] ^ _mixed(least[:, 1] ^ _mixed(least[:, 2])))
    values = _mixed(salts ^ _BAND_SALTS ^ joined) & np.uint64(_LOW_63)
    for index, row in zip(filled, values.T.tolist(), strict=True):
        signed[index] = tuple(row)
    return signed


def similarity(terms_a: Iterable[str], terms_b: Iterable[str]) -> float:
    """Return the Jaccard similarity of two term sets, 0..1; two empty sets are equal."""
    a, b = set(terms_a), set(terms_b)
    union = len(a | b)
    return len(a & b) / union if union else 1.0
