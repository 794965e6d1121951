"""The gates a request passes after its host: load, key, rate, body. Each is an ASGI application around the next."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from time import time
from typing import TYPE_CHECKING, Protocol

from hindsight_graph.api.access.asgi import App, Message, Receive, Scope, Send, answer, header_values, refuse
from hindsight_graph.api.access.policy import AccessPolicy
from hindsight_graph.api.problem import problem_of
from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.models.access import PRINCIPAL, Principal

if TYPE_CHECKING:
    from hindsight_graph.pipelines.keys import Keys

_LOG = logging.getLogger(__name__)
_LONGEST_TOKEN = 200
"""Characters of a credential that are looked at; ours are shorter."""


@dataclass(slots=True)
class LoadGate:
    """Works on so many requests at once and sends the rest away at once, which keeps answers quick."""

    app: App
    policy: AccessPolicy
    _working: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._working >= self.policy.max_concurrent:
            detail = f"{self._working} requests are being worked on, as many as may be"
            await refuse(scope, send, "overloaded", detail, "try again in a second", retry_after="1")
            return
        self._working += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._working -= 1


@dataclass(slots=True)
class KeyGate:
    """Lets in who shows a valid key, or anybody where none was ever made and the policy says so; says who it is."""

    app: App
    policy: AccessPolicy
    keys: "Keys"
    operator: Principal
    _some_made: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        try:
            principal = await self._principal(scope)
        except HindsightGraphError as error:
            _LOG.error("a key could not be looked up: %s", error)
            await answer(scope, send, problem_of(error))
            return
        if principal is None:
            hint = "send `Authorization: Bearer hg_...`; `hindsight-graph keys create NAME` makes a key"
            await refuse(scope, send, "unauthenticated", "this needs a valid key", hint)
            return
        scope[PRINCIPAL] = principal  # in place: who stands outside reads from the scope which route answered
        await self.app(scope, receive, send)

    async def _principal(self, scope: Scope) -> Principal | None:
        given, own = header_values(scope, b"authorization"), header_values(scope, b"x-api-key")
        if given or own:
            token = _bearer(given) if given else _single(own)
            return None if token is None else await self.keys.verify(token)
        return self.operator if self.policy.keyless and not await self._needs_keys() else None

    async def _needs_keys(self) -> bool:
        """Whether a key was ever made; keys are never deleted, so a yes stays one."""
        self._some_made = self._some_made or await self.keys.any_made()
        return self._some_made


def _single(values: list[str]) -> str | None:
    return values[0].strip() if len(values) == 1 and len(values[0]) <= _LONGEST_TOKEN else None


def _bearer(values: list[str]) -> str | None:
    scheme, _, token = (_single(values) or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


class RateLimiter(Protocol):
    """Counts requests."""

    async def wait_of(self, name: str) -> float:
        """Count a request; returns 0 when it may be made, else after how many seconds the next one may."""
        ...


class Unlimited:
    """Counts nothing."""

    async def wait_of(self, name: str) -> float:
        """Return 0."""
        del name
        return 0.0


class PerMinute:
    """So many requests in any minute, counted in this process (a sliding window of `limits`)."""

    def __init__(self, requests: int, now: Callable[[], float] = time) -> None:
        from limits import RateLimitItemPerMinute  # noqa: PLC0415 - only where something is served
        from limits.aio.storage import MemoryStorage  # noqa: PLC0415
        from limits.aio.strategies import MovingWindowRateLimiter  # noqa: PLC0415

        self._item = RateLimitItemPerMinute(requests)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._now = now

    async def wait_of(self, name: str) -> float:
        """Count a request; returns 0 when it may be made, else after how many seconds the next one may."""
        if await self._limiter.hit(self._item, name):
            return 0.0
        stats = await self._limiter.get_window_stats(self._item, name)
        return max(1.0, stats.reset_time - self._now())


@dataclass(frozen=True, slots=True)
class RateGate:
    """Lets one key make so many requests in a minute; callers without a key are told apart by address."""

    app: App
    limiter: RateLimiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        principal: Principal = scope[PRINCIPAL]
        client = scope.get("client") or ("",)
        wait = await self.limiter.wait_of(principal.key_id or f"keyless {client[0]}")
        if wait:
            seconds = str(ceil(wait))
            detail = "this key made more requests in a minute than it may"
            await refuse(scope, send, "rate-limited", detail, f"wait {seconds} s", retry_after=seconds)
            return
        await self.app(scope, receive, send)


@dataclass(frozen=True, slots=True)
class BodyGate:
    """Reads the body, up to its bound in bytes and seconds, and hands it on whole: chunked ones are counted as they come."""

    app: App
    policy: AccessPolicy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        encodings = [part.strip() for value in header_values(scope, b"content-encoding") for part in value.lower().split(",")]
        if any(encoding not in ("", "identity") for encoding in encodings):
            detail = f"the body is said to be encoded as {', '.join(encodings)[:80]!r}"
            await refuse(scope, send, "encoding-unsupported", detail, "send it as it is, without Content-Encoding")
            return
        limit = self.policy.max_body_bytes
        lengths = header_values(scope, b"content-length")
        if any(not length.isascii() or not length.isdecimal() for length in lengths) or len(set(lengths)) > 1:
            await refuse(scope, send, "malformed-body", "Content-Length is no number", "send the body's length in bytes")
            return
        try:
            too_large = bool(lengths) and (len(lengths[0]) > 18 or int(lengths[0]) > limit)
            async with asyncio.timeout(self.policy.body_seconds):
                body = None if too_large else await _read(receive, limit)
        except TimeoutError:
            detail = f"the body did not arrive within {self.policy.body_seconds:g} s"
            await refuse(scope, send, "body-too-slow", detail, "send it faster, or less", connection="close")
            return
        except _GoneError:
            return
        if body is None:
            hint = "send it in parts; POST /v1/memories/batch takes many units"
            await refuse(scope, send, "body-too-large", f"the body has more than {limit} bytes", hint, connection="close")
            return
        await self.app(scope, _replaying(body, receive), send)


class _GoneError(Exception):
    """The caller left before the body was there."""


async def _read(receive: Receive, limit: int) -> bytes | None:
    """Return the whole body; None when it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _GoneError
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then what comes after it."""
    given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return given.pop() if given else await receive()

    return replay
