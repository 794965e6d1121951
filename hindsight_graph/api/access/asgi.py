"""The few words of ASGI that the gates share."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from hindsight_graph.api.problem import Problem, make_problem, problem_body, problem_headers

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

REQUEST_ID = "hindsight_graph.request_id"
"""Where the middleware that names requests leaves the name in the ASGI scope."""


def header_values(scope: Scope, name: bytes) -> list[str]:
    """Return the values of every header of that name (lower case), as Latin-1 text."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


async def refuse(scope: Scope, send: Send, code: str, detail: str, hint: str = "", **headers: str) -> None:
    """Answer with a problem; header names are written with underscores."""
    await answer(scope, send, make_problem(code, detail, hint), **headers)


async def answer(scope: Scope, send: Send, problem: Problem, **headers: str) -> None:
    """Answer with this problem."""
    name = scope.get(REQUEST_ID)
    if isinstance(name, str):
        problem = problem.model_copy(update={"request_id": name})
    body = problem_body(problem)
    more = {key.replace("_", "-"): value for key, value in headers.items()}
    lines = {**problem_headers(problem), "content-length": str(len(body)), "cache-control": "no-store", **more}
    encoded = [(key.encode("latin-1"), value.encode("latin-1")) for key, value in lines.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
