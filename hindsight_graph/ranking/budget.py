"""Pages and budgets: how much of a ranking is handed out, and where the next page goes on."""

import binascii
import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hindsight_graph.errors import CursorError

__all__ = ["Cut", "Position", "bind_cursor", "cut_page", "decode_cursor", "encode_cursor", "query_hash", "unbind_cursor"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a page starts: the rank of its first result, from 0, and the `now` of the first page, so that ages stand still."""

    offset: int
    now: datetime | None = None


def query_hash(query: Mapping[str, Any]) -> str:
    """Return a short hash of everything that decides a ranking: the same question with the same arguments has the same."""
    text = json.dumps(query, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def encode_cursor(position: Position, query: str) -> str:
    """Return an opaque cursor bound to the hash of its query."""
    if position.now is None:
        raise ValueError("a cursor needs the time of its first page")
    body = f"1|{position.offset}|{position.now.isoformat()}|{query}"
    check = hashlib.sha256(body.encode()).hexdigest()[:8]
    return urlsafe_b64encode(f"{body}|{check}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str | None, query: str) -> Position:
    """Return the position a cursor names, the start for none. Raises CursorError for a damaged one or one of another query."""
    if cursor is None:
        return Position(0)
    hint = "leave the cursor out to start again"
    try:
        body, _, check = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").rpartition("|")
        version, offset, now, owner = body.split("|")
        position = Position(int(offset), datetime.fromisoformat(now))
    except (ValueError, binascii.Error) as error:
        raise CursorError(f"cursor {cursor[:24]!r} is damaged", hint=hint) from error
    if version != "1" or hashlib.sha256(body.encode()).hexdigest()[:8] != check or position.offset < 0:
        raise CursorError(f"cursor {cursor[:24]!r} is damaged", hint=hint)
    if owner != query:
        raise CursorError(
            "the cursor belongs to another question or other arguments", hint=f"repeat the first page's arguments, or {hint}"
        )
    return position


def bind_cursor(cursor: str | None, query: str) -> str | None:
    """Return a store's cursor bound to the hash of its query; None stays None."""
    return None if cursor is None else f"{query}.{cursor}"


def unbind_cursor(cursor: str | None, query: str) -> str | None:
    """Return the store's cursor again; raises CursorError for one of another query."""
    if cursor is None:
        return None
    owner, _, inner = cursor.partition(".")
    if owner != query:
        raise CursorError("the cursor belongs to another list, or is damaged", hint="repeat the first page's arguments")
    return inner


@dataclass(frozen=True, slots=True)
class Cut:
    """One page of a ranking: ranks [start, stop), their tokens, whether more follows, and why it stopped early."""

    start: int
    stop: int
    tokens: int
    more: bool
    reason: str = ""


def cut_page(tokens: Sequence[int], offset: int, top_k: int, budget: int | None) -> Cut:
    """Return which results fit: at most `top_k` from `offset`, their tokens together at most `budget`.

    Args:
        tokens: Estimated tokens of every ranked result.
        offset: Rank of the page's first result, from 0.
        top_k: Results at most.
        budget: Tokens at most; None is no budget.
    """
    start = min(offset, len(tokens))
    stop, spent = start, 0
    while stop < len(tokens) and stop - start < top_k:
        if budget is not None and spent + tokens[stop] > budget:
            break
        spent += tokens[stop]
        stop += 1
    more = stop < len(tokens)
    reason = ""
    if more and stop == start and budget is not None:
        reason = f"token_budget {budget} is less than the {tokens[stop]} tokens of the next result"
    return Cut(start, stop, spent, more, reason)
