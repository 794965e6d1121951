"""MCP over streamable HTTP: stateless, answers as plain JSON, at /mcp.

Who calls, from which host and origin, and how much is checked before by the access middleware (`hindsight_graph.api.access`),
which leaves the verified caller in the ASGI scope.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight_graph.api.mcp.server import PRINCIPAL, Opener, make_server
from hindsight_graph.api.mcp.table import Profile

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph

PATH = "/mcp"
_OLD_PATH = "/sse"
_BODY_LIMIT = 1024 * 1024
"""Bytes of a request at most (1 MiB)."""
_INVALID_REQUEST = -32600


def mcp_app(memory: "AsyncHindsightGraph | Opener", *, profile: str | Profile = "default", path: str = PATH) -> Starlette:
    """Return the ASGI app with the tools of one profile at `path`.

    Its lifespan has to run: alone it does; a host that mounts it (at `/`, last) enters `app.router.lifespan_context(app)` in its
    own. It knows no keys: put the access middleware around it. Without, it answers requests to this machine's own names only.

    Raises:
        InputError: There is no such profile.
    """
    app = make_server(memory, profile=profile).streamable_http_app(
        streamable_http_path=path,
        json_response=True,
        stateless_http=True,
        max_request_body_size=_BODY_LIMIT,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    async def other_transport(request: Request) -> Response:
        return _wrong_transport(request, path)

    # Before the SDK's own route: there is no stream to open here, and an SSE client would wait for one for ever.
    app.router.routes.insert(0, Route(path, other_transport, methods=["GET", "DELETE", "PUT", "PATCH"]))
    app.router.routes.append(Route(_OLD_PATH, other_transport))
    app.add_middleware(OnlyLocal)
    return app


class OnlyLocal:
    """Refuses requests that no access middleware verified, unless they name this machine: no web page can rebind its name.

    Args:
        app: What answers the others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and PRINCIPAL not in scope:
            headers = Headers(scope=scope)
            foreign = [name for name in ("host", "origin") if not _is_local(headers.get(name), required=name == "host")]
            if foreign:
                message = f"the {foreign[0]} {headers.get(foreign[0])!r} is not served; only this machine's own names are"
                await _refusal(message, 403 if foreign[0] == "origin" else 421)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _is_local(name: str | None, *, required: bool) -> bool:
    if name is None:
        return not required
    host = urlsplit(name if "://" in name else f"//{name}").hostname
    return host in ("localhost", "127.0.0.1", "::1")


def _wrong_transport(request: Request, path: str) -> Response:
    """Return the error of a request that is not a POST: a client of the old SSE transport learns which one to name."""
    where = str(request.url.replace(path=path, query=""))
    message = (
        f"{request.method} is not served: this is MCP over streamable HTTP, without a session or an event stream. "
        f'Configure the client with the transport streamable HTTP (type "http", not "sse") and the URL {where}, '
        "and POST JSON-RPC to it."
    )
    return _refusal(message, 405, {"Allow": "POST"})


def _refusal(message: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": message}}
    return Response(json.dumps(body), status_code=status, media_type="application/json", headers=dict(headers or {}))
