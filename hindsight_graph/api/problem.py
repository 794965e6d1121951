"""RFC 9457 problems: one table from the error tree to status, stable code and type URI. Knows no web library.

Every served face answers errors with these: `application/problem+json`, the same words as in Python, no trace of the code.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from hindsight_graph.errors import (
    ConfigError,
    ConflictError,
    CursorError,
    EmbeddingError,
    ExtractionError,
    ForbiddenError,
    HindsightGraphError,
    IdempotencyError,
    InputError,
    MissingExtraError,
    ModelMismatchError,
    NotFoundError,
    SchemaError,
    ServiceError,
    StoreCorruptError,
    StoreError,
    StoreUnavailableError,
)
from hindsight_graph.models.base import Model

_LOG = logging.getLogger(__name__)
PROBLEM_MEDIA_TYPE = "application/problem+json"
_URI = "urn:hindsight-graph:problem:"
INTERNAL = "internal"
"""The code of an error that nobody foresaw."""


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of problem.

    Attributes:
        code: Its stable name, the last part of its type URI.
        status: HTTP status.
        title: The same words each time.
        meaning: For documentation.
        retry: Whether the same request may succeed later.
    """

    code: str
    status: int
    title: str
    meaning: str
    retry: bool = False

    @property
    def uri(self) -> str:
        """Its type URI."""
        return _URI + self.code


_TYPES = (
    ProblemType("malformed-body", 400, "The body cannot be read", "not JSON, not UTF-8, or nested too deep"),
    ProblemType("unauthenticated", 401, "No valid key", "no key, a wrong, expired or revoked one"),
    ProblemType("forbidden", 403, "The key does not allow this", "the key lacks the scope, or is bound to another agent"),
    ProblemType("origin-refused", 403, "Pages from there may not call", "the Origin header is not on the allow-list"),
    ProblemType("not-found", 404, "There is no such thing", "no such id, name or path; another tenant's id answers the same"),
    ProblemType("method-not-allowed", 405, "The resource has no such method", "`Allow` names those it has"),
    ProblemType("body-too-slow", 408, "The body did not arrive", "it took longer than 30 seconds", True),
    ProblemType("conflict", 409, "It is in another state", "it changed meanwhile, or its state forbids the call"),
    ProblemType("idempotency-in-flight", 409, "The same request is being worked on", "wait for `Retry-After`, then repeat", True),
    ProblemType("precondition-failed", 412, "It changed since it was read", "`If-Match` names another state; read it again"),
    ProblemType("body-too-large", 413, "The body is too large", "1 MiB at most"),
    ProblemType("encoding-unsupported", 415, "The body is compressed", "`Content-Encoding` other than `identity`"),
    ProblemType("misdirected", 421, "This host is not served here", "the Host header is not on the allow-list"),
    ProblemType("invalid-input", 422, "The request is wrong", "a value is missing, unknown or out of range; nothing was written"),
    ProblemType("cursor-invalid", 422, "The cursor is not valid here", "damaged, or made for other arguments or another caller"),
    ProblemType("idempotency-key-reused", 422, "The key was used for another request", "take a new key for new content"),
    ProblemType("rate-limited", 429, "Too many requests", "wait for `Retry-After`", True),
    ProblemType(INTERNAL, 500, "Something went wrong", "not foreseen; the server's log has it under the request id"),
    ProblemType("extraction-failed", 500, "Extraction failed", "an extractor broke its contract"),
    ProblemType("misconfigured", 500, "The server is misconfigured", "an operator has to mend a setting"),
    ProblemType("store-corrupt", 500, "The store contradicts itself", "`hindsight-graph doctor` says what"),
    ProblemType("extra-missing", 501, "A package is not installed", "the hint is the operator's install line"),
    ProblemType("service-failed", 502, "The service behind this one failed", "it does not answer, or refused the call", True),
    ProblemType("embedding-failed", 503, "The embedding model failed", "no usable vector, or the model does not load", True),
    ProblemType("model-mismatch", 503, "The store has vectors of another model", "an operator has to name that model"),
    ProblemType("schema-mismatch", 503, "The store has another schema", "made by a newer version, or awaits a migration"),
    ProblemType("store-failed", 503, "The store could not do its work", "nothing of the request was written", True),
    ProblemType("store-unavailable", 503, "The store cannot be reached", "not reachable, locked, read-only, or full", True),
    ProblemType("overloaded", 503, "Too much at once", "the queue of requests is full; wait for `Retry-After`", True),
)
PROBLEMS: Mapping[str, ProblemType] = {kind.code: kind for kind in _TYPES}
"""Code to kind, by status."""

ERROR_CODES: Mapping[type[HindsightGraphError], str] = {
    HindsightGraphError: INTERNAL,
    InputError: "invalid-input",
    NotFoundError: "not-found",
    ConflictError: "conflict",
    IdempotencyError: "idempotency-key-reused",
    CursorError: "cursor-invalid",
    ForbiddenError: "forbidden",
    ConfigError: "misconfigured",
    MissingExtraError: "extra-missing",
    EmbeddingError: "embedding-failed",
    ModelMismatchError: "model-mismatch",
    ExtractionError: "extraction-failed",
    StoreError: "store-failed",
    StoreUnavailableError: "store-unavailable",
    StoreCorruptError: "store-corrupt",
    SchemaError: "schema-mismatch",
    ServiceError: "service-failed",
}
"""Error class to problem code; a subclass without an entry answers like its parent."""


class FieldProblem(Model):
    """What is wrong with one part of a request.

    Attributes:
        location: `body`, `query`, `path` or `header`. pointer: JSON pointer inside it. detail: what is wrong with it.
    """

    location: str
    pointer: str
    detail: str


class Problem(Model):
    """An error as RFC 9457 has it.

    Attributes:
        type: Stable URI of the kind. code: its last part. title: the same words each time.
        status: The HTTP status. detail: what happened, naming the thing and the value. hint: the way out; may be empty.
        request_id: Under which the server's log has it, where it has one.
        errors: The parts of the request that are wrong, where there are several.
    """

    type: str
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    code: str
    hint: str = ""
    request_id: str | None = None
    errors: tuple[FieldProblem, ...] = ()


def problem_of(error: HindsightGraphError) -> Problem:
    """Return the problem an error is answered with.

    What is the server's own trouble is told by its kind; the words, which may name a path or an address, go to the log.
    """
    code = next(ERROR_CODES[kind] for kind in type(error).__mro__ if kind in ERROR_CODES)
    if PROBLEMS[code].status >= 500 and isinstance(error, StoreError | ConfigError):
        _LOG.warning("%s: %s", code, error)
        return make_problem(code, PROBLEMS[code].meaning, "the server's log has more under the request id")
    return make_problem(code, error.message, error.hint)


def make_problem(code: str, detail: str, hint: str = "", errors: Sequence[FieldProblem] = ()) -> Problem:
    """Return a problem of one of the kinds in PROBLEMS."""
    kind = PROBLEMS[code]
    return Problem(type=kind.uri, title=kind.title, status=kind.status, detail=detail, code=code, hint=hint, errors=tuple(errors))


def problem_body(problem: Problem) -> bytes:
    """Return the body of the answer: JSON in UTF-8, also where a caller's text could not be encoded as such."""
    text = json.dumps(problem.model_dump(mode="json", exclude_none=True, exclude_defaults=False), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def problem_headers(problem: Problem) -> dict[str, str]:
    """Return the headers of the answer: its media type, and when to try again where that helps."""
    headers = {"content-type": PROBLEM_MEDIA_TYPE}
    if PROBLEMS[problem.code].retry:
        headers["retry-after"] = "1"
    if problem.status == 401:
        headers["www-authenticate"] = "Bearer"
    return headers
