"""What search compares of a memory, packed into 72 bytes: the mirror loads these instead of sixteen columns.

The codes are stored: a new member of an enum takes the next code, and no code is ever given to another one.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from hindsight_graph.models.enums import Kind, Origin, Outcome, Status, Visibility
from hindsight_graph.models.memory import Memory
from hindsight_graph.stores.sqlite.rows import micros

OPEN = (1 << 63) - 1
"""Stands for an end that is open."""
NEVER = -(1 << 63)
"""Stands for a moment that did not come."""
STATUS_CODES = {
    Status.ACTIVE: 0, Status.PENDING: 1, Status.STALE: 2, Status.QUARANTINED: 3, Status.SUPERSEDED: 4, Status.EXPIRED: 5,
    Status.ARCHIVED: 6, Status.REJECTED: 7,
}  # fmt: skip
KIND_CODES = {
    Kind.FACT: 0, Kind.PREFERENCE: 1, Kind.ACTION: 2, Kind.RESULT: 3, Kind.CONSTRAINT: 4, Kind.EXPERIENCE: 5, Kind.STRATEGY: 6,
}  # fmt: skip
ORIGIN_CODES = {
    Origin.USER: 0, Origin.OPERATOR: 1, Origin.AGENT: 2, Origin.TOOL: 3, Origin.DOCUMENT: 4, Origin.WEB: 5, Origin.IMPORT: 6,
}  # fmt: skip
OUTCOME_CODES = {Outcome.SUCCESS: 0, Outcome.FAILURE: 1, Outcome.PARTIAL: 2}

PACKED = np.dtype([
    ("recorded_at", "<i8"), ("retired_at", "<i8"), ("valid_from", "<i8"), ("valid_to", "<i8"), ("closed_at", "<i8"),
    ("prior_valid_to", "<i8"), ("expires_at", "<i8"), ("trust", "<f8"), ("status", "i1"), ("kind", "i1"), ("origin", "i1"),
    ("outcome", "i1"), ("is_current", "?"), ("is_shared", "?"), ("has_vector", "?"), ("spare", "i1"),
])  # fmt: skip
"""The layout, 72 bytes; times in microseconds since 1970, open ends as OPEN or NEVER, outcome -1 for none."""
HAS_VECTOR_BYTE = 71
"""Position of `has_vector` in it, counted from 1 as SQL does."""
_FORMAT = struct.Struct("<7qd4b3?b")


def pack(memory: Memory, *, has_vector: bool) -> bytes:
    """Return the packed values of a memory."""
    retired, valid_to, closed = memory.retired_at, memory.valid_to, memory.closed_at
    prior, expires = memory.prior_valid_to, memory.expires_at
    return _FORMAT.pack(
        micros(memory.recorded_at), OPEN if retired is None else micros(retired), micros(memory.valid_from),
        OPEN if valid_to is None else micros(valid_to), NEVER if closed is None else micros(closed),
        OPEN if prior is None else micros(prior), OPEN if expires is None else micros(expires),
        memory.trust, STATUS_CODES[memory.status], KIND_CODES[memory.kind],
        ORIGIN_CODES[memory.origin], -1 if memory.outcome is None else OUTCOME_CODES[memory.outcome], memory.is_current,
        memory.visibility is Visibility.SHARED, has_vector, 0,
    )  # fmt: skip


def packed_read(row: str) -> str:
    """Return what to select for `pack_columns`; `row` is the alias of the memories table."""
    ends = {"retired_at": OPEN, "valid_to": OPEN, "closed_at": NEVER, "prior_valid_to": OPEN, "expires_at": OPEN}
    times = [f"coalesce({row}.{name}, {ends[name]})" if name in ends else f"{row}.{name}" for name in (PACKED.names or ())[:7]]
    others = ("trust", "status", "kind", "origin", "outcome", "is_current", "visibility")
    return ", ".join([*times, *(f"{row}.{name}" for name in others)])


def pack_columns(columns: Sequence[Any], *, has_vector: bool) -> bytes:
    """Return the packed values of a memory's columns, as `packed_read` selects them."""
    *numbers, status, kind, origin, outcome, is_current, visibility = columns
    return _FORMAT.pack(
        *numbers, STATUS_CODES[status], KIND_CODES[kind], ORIGIN_CODES[origin], -1 if outcome is None else OUTCOME_CODES[outcome],
        is_current == 1, visibility == Visibility.SHARED, has_vector, 0,
    )  # fmt: skip


def has_vector(packed: bytes) -> bool:
    """Whether the packed memory has an embedding."""
    return packed[HAS_VECTOR_BYTE - 1] == 1
