"""Cursors: where a page ended, bound to what was asked, with a checksum. Opaque to callers."""

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any
from zlib import crc32

from hindsight_graph.errors import CursorError


def encode_cursor(query: str, position: Sequence[Any]) -> str:
    """Return a cursor for this kind of query after this position (JSON values)."""
    body = json.dumps([query, list(position)], ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(crc32(body).to_bytes(4, "big") + body).decode().rstrip("=")


def decode_cursor(cursor: str, query: str, length: int) -> list[Any]:
    """Return the position a cursor stands for.

    Raises:
        CursorError: It is damaged, or of another kind of query.
    """
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        body = raw[4:]
        if crc32(body).to_bytes(4, "big") != raw[:4]:
            raise ValueError("checksum differs")
        made_for, position = json.loads(body)
    except (binascii.Error, ValueError, TypeError) as error:
        raise CursorError(f"the cursor {cursor[:40]!r} is damaged", hint="start again without a cursor") from error
    if made_for != query or len(position) != length:
        raise CursorError(f"the cursor was made for a listing by {made_for}, not by {query}", hint="start again without a cursor")
    return position
