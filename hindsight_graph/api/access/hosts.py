"""Which names a service answers to, and which web pages may call it.

A page on the web can point its own name at 127.0.0.1 (DNS rebinding) and then talk to a service there as if it were its own. It
cannot forge the Host and Origin headers: a name that is not on the list is not served, nor is a page from elsewhere. Addresses
need no listing, since nobody can rebind them.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from hindsight_graph.api.access.asgi import App, Receive, Scope, Send, header_values, refuse
from hindsight_graph.api.access.policy import AccessPolicy

_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?)\.?(?::([0-9]{1,5}))?", re.ASCII)
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class HostGate:
    """Lets in requests made to an allowed name, from no page or an allowed one."""

    app: App
    policy: AccessPolicy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        hosts, origins = header_values(scope, b"host"), header_values(scope, b"origin")
        host = parse_host(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self._is_served(host[0]):
            shown = ascii(hosts[0][:_SHOWN]) if hosts else "none"
            await refuse(
                scope, send, "misdirected", f"host {shown} is not served here",
                "call it by address or localhost, or have the operator add the name to access.allowed_hosts",
            )  # fmt: skip
        elif not all(self._may_call(origin, host) for origin in origins):
            await refuse(
                scope, send, "origin-refused", f"pages of {origins[0][:_SHOWN]!a} may not call this service",
                "have the operator add the origin to access.allowed_origins",
            )  # fmt: skip
        else:
            await self.app(scope, receive, send)

    def _is_served(self, name: str) -> bool:
        if _is_address(name) or name == "localhost" or name.endswith(".localhost"):
            return True
        return any(_matches(name, allowed) for allowed in self.policy.hosts)

    def _may_call(self, origin: str, host: tuple[str, str]) -> bool:
        if "*" in self.policy.origins or origin.lower() in self.policy.origins:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parse_host(parts.netloc) == host


def parse_host(text: str) -> tuple[str, str] | None:
    """Return name and port (empty when absent) of a Host header, the name in lower case; None for what is none."""
    found = _HOST.fullmatch(text.lower())
    return None if found is None else (found[1], found[2] or "")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _matches(name: str, allowed: str) -> bool:
    return allowed in ("*", name) or (allowed.startswith("*.") and name.endswith(allowed[1:]))
