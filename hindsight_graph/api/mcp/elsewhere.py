"""Tools whose memory is in a running service: each call goes on to the service's own MCP face (promise O-03).

The client here sees one server over stdin and stdout; the service sees one more caller over HTTP, with its key. Nothing is
remembered between calls, so a service that was restarted is found again at the next.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from hindsight_graph.errors import ServiceError

if TYPE_CHECKING:
    from hindsight_graph.settings import Settings

__all__ = ["Elsewhere"]

PATH = "/mcp"
_PROTOCOL = "2026-07-28"
"""Without a handshake: each call is one request."""
_SECONDS = 12.0
"""For one request: a little more than the service takes at most, so that it is the service that says what took too long."""
_UNAUTHORIZED, _FORBIDDEN = 401, 403


class Elsewhere:
    """A running service's tools.

    Args:
        url: The service, as `http://127.0.0.1:8712`, or its MCP face itself, which ends in `/mcp`.
        api_key: What it asks for; none for a keyless service on this machine.
        transport: How requests travel; for tests and proxies.
    """

    def __init__(self, url: str, api_key: str | None = None, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        base = url.rstrip("/")
        self.url = base if base.endswith(PATH) else base + PATH
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = httpx2.AsyncClient(
            headers=headers, timeout=_SECONDS, transport=transport, event_hooks={"response": [self._check]}
        )

    @classmethod
    def of(cls, settings: "Settings") -> "Elsewhere | None":
        """Return the service the settings name; None when they name none."""
        if settings.hindsight_api_url is None:
            return None
        key = settings.hindsight_api_key
        return cls(settings.hindsight_api_url, None if key is None else key.get_secret_value())

    async def open(self) -> "Elsewhere":
        """Return itself: there is nothing to open before the first call."""
        return self

    async def close(self) -> None:
        """Close the connections; safe to call twice."""
        await self._http.aclose()

    async def call(self, name: str, given: Mapping[str, Any]) -> CallToolResult:
        """Return the service's answer of a tool, errors that a model can mend included.

        Raises:
            ServiceError: It is not reachable, refuses the key, or has no such tool.
        """
        try:
            async with Client(streamable_http_client(self.url, http_client=self._http), mode=_PROTOCOL) as client:
                return await client.call_tool(name, dict(given))
        except* ServiceError as errors:
            raise _first(errors) from None
        except* httpx2.TransportError as errors:
            raise self._unreachable(_first(errors)) from errors
        except* MCPError as errors:
            told = _first(errors)
            raise ServiceError(
                f"{self.url} refused {name}: {told}",
                hint="start the service with the same --profile as this server",
                code="refused",
            ) from errors
        raise AssertionError("unreachable: the call returns or raises")

    async def _check(self, response: httpx2.Response) -> None:
        if response.is_success:
            return
        status = response.status_code
        if status in (_UNAUTHORIZED, _FORBIDDEN):
            hint = "set HINDSIGHT_API_KEY to a key that `hindsight-graph keys create` printed there"
            raise ServiceError(f"{self.url} refuses the key ({status})", hint=hint, status=status, code="unauthenticated")
        hint = "is this a hindsight-graph service with its MCP face on?"
        raise ServiceError(f"{self.url} answered {status}", hint=hint, status=status, code="refused")

    def _unreachable(self, error: BaseException) -> ServiceError:
        why = str(error) or type(error).__name__
        return ServiceError(f"no answer from {self.url}: {why}", hint="start it there with `hindsight-graph serve`")


def _first(errors: BaseExceptionGroup[Any]) -> Any:
    """Return one error of a group: the SDK's tasks raise the same one several times."""
    return next(_each(errors))


def _each(error: BaseException) -> Iterator[BaseException]:
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    inside = cast("tuple[BaseException, ...]", error.exceptions)
    for one in inside:
        yield from _each(one)
