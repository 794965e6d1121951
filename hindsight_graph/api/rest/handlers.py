"""Errors become problems: those of the error tree, of the request's form, of the web framework, and those nobody foresaw."""

import logging
from collections.abc import Sequence
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from hindsight_graph.api.problem import (
    INTERNAL,
    FieldProblem,
    Problem,
    make_problem,
    problem_body,
    problem_headers,
    problem_of,
)
from hindsight_graph.api.request_ids import route_of
from hindsight_graph.api.rest.caller import ProblemRaisedError
from hindsight_graph.errors import HindsightGraphError

REQUEST_ID = "hindsight_graph.request_id"
"""Where the middleware that names requests leaves the name in the ASGI scope."""
_LOG = logging.getLogger(__name__)
_ERRORS_SHOWN = 20


def add_handlers(app: FastAPI) -> None:
    """Let every error of an application be answered as a problem."""
    app.add_exception_handler(HindsightGraphError, _from_tree)
    app.add_exception_handler(ProblemRaisedError, _from_http)
    app.add_exception_handler(RequestValidationError, _from_validation)
    app.add_exception_handler(HTTPException, _from_framework)
    app.add_exception_handler(Exception, _from_nowhere)


def answer(request: Request, problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """Return a problem as the answer to a request."""
    name = request.scope.get(REQUEST_ID)
    if isinstance(name, str):
        problem = problem.model_copy(update={"request_id": name})
    return Response(problem_body(problem), problem.status, {**(headers or {}), **problem_headers(problem)})


async def _from_tree(request: Request, error: Exception) -> Response:
    problem = problem_of(cast("HindsightGraphError", error))
    if problem.status >= 500:
        _LOG.error("%s %s answered %s: %s", request.method, route_of(request.scope), problem.status, type(error).__name__)
    return answer(request, problem)


async def _from_http(request: Request, error: Exception) -> Response:
    return answer(request, cast("ProblemRaisedError", error).problem)


async def _from_validation(request: Request, error: Exception) -> Response:
    found = cast("Sequence[dict[str, Any]]", cast("RequestValidationError", error).errors())
    if any(item.get("type") == "json_invalid" for item in found):
        where = found[0].get("ctx", {}).get("error", "")
        return answer(request, make_problem("malformed-body", f"the body is not JSON: {where}", "send one JSON object"))
    errors = [_field(item) for item in found[:_ERRORS_SHOWN]]
    first = errors[0]
    name = first.pointer.strip("/") or first.location
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return answer(request, make_problem("invalid-input", f"{name}: {first.detail}{more}", errors=errors))


async def _from_framework(request: Request, error: Exception) -> Response:
    found = cast("HTTPException", error)
    path = request.url.path[:200]
    if found.status_code == 404:
        return answer(request, make_problem("not-found", f"there is no {path}", "GET /openapi.json lists what there is"))
    if found.status_code == 405:
        headers = dict(found.headers or {})
        problem = make_problem(
            "method-not-allowed", f"{path} does not take {request.method}", f"it takes {headers.get('Allow', '')}"
        )
        return answer(request, problem, headers)
    if found.status_code == 413:
        return answer(request, make_problem("body-too-large", "the body is larger than is taken", "send it in parts"))
    return answer(request, make_problem("malformed-body", "the body cannot be read", "send one JSON object in UTF-8"))


async def _from_nowhere(request: Request, error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, route_of(request.scope), exc_info=error)
    return answer(request, make_problem(INTERNAL, "this was not foreseen; nothing is known to be lost", "see the server's log"))


def _field(item: dict[str, Any]) -> FieldProblem:
    place: tuple[object, ...] = tuple(item.get("loc", ()))
    location = str(place[0]) if place else "body"
    # Members of a union are named by their validators, which are no part of what was sent.
    given = [str(part) for part in place[1:] if not str(part).startswith("function-")]
    parts = [part.replace("~", "~0").replace("/", "~1")[:100] for part in given]
    pointer = "".join(f"/{part}" for part in parts)
    message = str(item.get("msg", "")).removeprefix("Value error, ")
    if item.get("type") == "extra_forbidden":
        message = "there is no such field"
    elif item.get("type") == "missing":
        message = "is required"
    return FieldProblem(location=location, pointer=pointer, detail=message[:500])
