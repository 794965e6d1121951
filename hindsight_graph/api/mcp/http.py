"""MCP over streamable HTTP: stateless, answers as plain JSON, at /mcp.

Who calls, from which host and origin, and how much is checked before by the access middleware (`hindsight_graph.api.access`),
which leaves the verified caller in the ASGI scope.
"""

import json
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hindsight_graph.api.mcp.server import Opener, make_server

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph

PATH = "/mcp"
_OLD_PATH = "/sse"
_BODY_LIMIT = 1024 * 1024
"""Bytes of a request at most (1 MiB)."""
_INVALID_REQUEST = -32600


def mcp_app(memory: "AsyncHindsightGraph | Opener", *, profile: str = "default", path: str = PATH) -> Starlette:
    """Return the ASGI app with the tools of one profile at `path`.

    Its lifespan has to run: alone it does; a host that mounts it (at `/`, last) enters `app.router.lifespan_context(app)` in its
    own. It checks neither keys nor hosts: put the access middleware around it.

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
    return app


def _wrong_transport(request: Request, path: str) -> Response:
    """Return the error of a request that is not a POST: a client of the old SSE transport learns which one to name."""
    where = str(request.url.replace(path=path, query=""))
    message = (
        f"{request.method} is not served: this is MCP over streamable HTTP, without a session or an event stream. "
        f'Configure the client with the transport streamable HTTP (type "http", not "sse") and the URL {where}, '
        "and POST JSON-RPC to it."
    )
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": message}}
    return Response(json.dumps(body), status_code=405, media_type="application/json", headers={"Allow": "POST"})
