"""The gates in their order around an application: host and origin, load, key, rate, body."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hindsight_graph.api.access.asgi import App, Receive, Scope, Send
from hindsight_graph.api.access.gates import PRINCIPAL, BodyGate, KeyGate, LoadGate, PerMinute, RateGate, RateLimiter, Unlimited
from hindsight_graph.api.access.hosts import HostGate
from hindsight_graph.api.access.policy import AccessPolicy

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph

__all__ = ["PRINCIPAL", "protect"]

_POLICY_VIOLATION = 1008
_EXPOSED = ("ETag", "Location", "Retry-After", "X-Request-ID")


def protect(app: App, memory: "AsyncHindsightGraph", policy: AccessPolicy, *, limiter: RateLimiter | None = None) -> App:
    """Return an application that lets in what the policy allows, with the caller's `Principal` in the ASGI scope.

    Args:
        app: A served face, or several behind one router.
        memory: The engine; open by the time the first request comes.
        policy: What is let in.
        limiter: Counts requests; in this process, by the policy, when absent. Two applications share one to share its bound.

    Raises:
        MissingExtraError: The package that counts requests is not installed.
    """
    if limiter is None:
        limiter = PerMinute(policy.requests_per_minute) if policy.requests_per_minute else Unlimited()
    gates: App = BodyGate(app, policy)
    gates = RateGate(gates, limiter)
    gates = KeyGate(gates, policy, memory.keys, memory.principal)
    gates = LoadGate(gates, policy)
    if policy.origins:
        gates = _with_cors(gates, policy)
    return Front(app, HostGate(gates, policy), policy)


def _with_cors(app: App, policy: AccessPolicy) -> App:
    """Return an application that tells browsers which pages may read its answers; preflights carry no key."""
    from starlette.middleware.cors import CORSMiddleware  # noqa: PLC0415 - only where pages of others are allowed

    return CORSMiddleware(
        app,  # pyright: ignore[reportArgumentType] - the same protocol under another name
        allow_origins=sorted(policy.origins),
        allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
        allow_headers=("*",),
        expose_headers=_EXPOSED,
    )  # pyright: ignore[reportReturnType]


@dataclass(frozen=True, slots=True)
class Front:
    """Tells apart what comes in: requests go through the gates, probes and the server's own messages do not."""

    app: App
    gated: App
    policy: AccessPolicy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        elif scope["type"] != "http" or scope["path"] in self.policy.open_paths:
            await self.app(scope, receive, send)
        else:
            await self.gated(scope, receive, send)
