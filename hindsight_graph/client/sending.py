"""Sending one request: what is repeated, how long is waited, and how a problem becomes the error it was."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from hindsight_graph.errors import (
    ConflictError,
    CursorError,
    EmbeddingError,
    ExtractionError,
    ForbiddenError,
    HindsightGraphError,
    IdempotencyError,
    InputError,
    ModelMismatchError,
    NotFoundError,
    SchemaError,
    ServiceError,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)

Pause = Callable[[float], Awaitable[None]]
_ERRORS: Mapping[str, type[HindsightGraphError]] = {
    "invalid-input": InputError,
    "malformed-body": InputError,
    "body-too-large": InputError,
    "forbidden": ForbiddenError,
    "not-found": NotFoundError,
    "conflict": ConflictError,
    "precondition-failed": ConflictError,
    "idempotency-in-flight": ConflictError,
    "idempotency-key-reused": IdempotencyError,
    "cursor-invalid": CursorError,
    "extraction-failed": ExtractionError,
    "embedding-failed": EmbeddingError,
    "model-mismatch": ModelMismatchError,
    "store-failed": StoreError,
    "store-unavailable": StoreUnavailableError,
    "store-corrupt": StoreCorruptError,
    "schema-mismatch": SchemaError,
}
"""Problem code to the error that the engine would have raised; anything else is a ServiceError."""
_TRY_AGAIN = frozenset(
    {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}
)
_FIRST_WAIT, _LONGEST_WAIT = 0.2, 5.0
"""Seconds before the second attempt, doubled for each one after, and at most."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request.

    Attributes:
        repeatable: Twice has the same effect as once, by nature. once: it is made so by an idempotency key.
    """

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    repeatable: bool = True
    once: bool = False
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends requests and repeats those that may be repeated.

    Attributes:
        http: Where to. attempts: How often one request is sent at most. pause: Waits so many seconds.
    """

    http: httpx.AsyncClient
    attempts: int
    pause: Pause = asyncio.sleep

    async def send(self, call: Call) -> httpx.Response:
        """Send a request and return its answer.

        Raises:
            HindsightGraphError: What the engine raised; ServiceError for what only a service can be: not reachable, no key.
        """
        headers = {"idempotency-key": call.key or uuid.uuid4().hex} if call.once else {}
        arguments: dict[str, Any] = {"params": _plain(call.query), "headers": headers}
        if call.body is not None:
            arguments["json"] = _plain(call.body)
        for attempt in range(1, self.attempts + 1):
            last = attempt == self.attempts
            try:
                answer = await self.http.request(call.method, call.path, **arguments)
            except httpx.TransportError as error:
                never_arrived = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
                if last or not (call.repeatable or call.once or never_arrived):
                    raise _unreachable(self.http.base_url, error) from error
                await self.pause(_wait(attempt))
                continue
            if answer.is_success:
                return answer
            problem = _problem(answer)
            again = answer.status_code in _TRY_AGAIN or problem.get("code") == "idempotency-in-flight"
            if last or not again:
                raise _error(answer, problem)
            await self.pause(_wait(attempt, answer))
        raise AssertionError("unreachable: the last attempt returns or raises")


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return JSON values; absent ones are left out, and of models only what was set goes."""
    given = {name: _of_models(value) for name, value in values.items() if value is not None}
    try:
        return to_jsonable_python(given)
    except (TypeError, ValueError) as error:
        raise InputError(f"an argument cannot be sent: {error}", hint="use text, numbers, times, lists and mappings") from error


def _of_models(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, list | tuple | set | frozenset):
        return [_of_models(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _wait(attempt: int, answer: httpx.Response | None = None) -> float:
    asked = answer.headers.get("retry-after", "") if answer is not None else ""
    own = _FIRST_WAIT * 2 ** (attempt - 1)
    return min(_LONGEST_WAIT, max(own, float(asked) if asked.isdecimal() else 0.0))


def _problem(answer: httpx.Response) -> dict[str, Any]:
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _error(answer: httpx.Response, problem: Mapping[str, Any]) -> HindsightGraphError:
    code = str(problem.get("code", ""))
    detail = str(problem.get("detail") or f"{answer.request.url} answered {answer.status_code}")
    hint = str(problem.get("hint", ""))
    kind = _ERRORS.get(code)
    return ServiceError(detail, hint=hint, status=answer.status_code, code=code) if kind is None else kind(detail, hint=hint)


def _unreachable(url: httpx.URL, error: Exception) -> ServiceError:
    why = str(error) or type(error).__name__
    return ServiceError(f"no answer from {url}: {why}", hint="start it with `hindsight-graph serve`, or name another base_url")
