"""Every HTTP request gets an id: the caller's own where it is sane, else a new one. It is in every log line and in the answer."""

import logging
import time
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindsight_graph.observe.logs import REQUEST_ID, is_request_id

__all__ = ["HEADER", "SCOPE_KEY", "RequestIds"]

HEADER = "X-Request-ID"
SCOPE_KEY = "hindsight_graph.request_id"
"""Where the id is in the ASGI scope."""
_LOG = logging.getLogger("hindsight_graph.requests")


class RequestIds:
    """ASGI middleware, the outermost one: names each request and writes its line when it ends, without query or path values."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        name = given if is_request_id(given) else uuid4().hex
        scope[SCOPE_KEY] = name
        token = REQUEST_ID.set(name)
        began = time.perf_counter()
        status = 0

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = name
            await send(message)

        try:
            await self._app(scope, receive, named)
        finally:
            seconds = round(time.perf_counter() - began, 6)
            extra = {"method": scope["method"], "route": route_of(scope), "status": status, "seconds": seconds}
            _LOG.info("request", extra=extra)
            REQUEST_ID.reset(token)


def route_of(scope: Scope) -> str:
    """Return the pattern of the path that answered (`/v1/memories/{memory_id}`), or its first part: paths may hold names."""
    pattern = getattr(scope.get("route"), "path", None)
    if isinstance(pattern, str):
        return pattern
    return "/" + str(scope["path"]).lstrip("/").split("/", 1)[0][:32]
