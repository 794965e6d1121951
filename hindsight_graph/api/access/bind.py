"""Where a service may listen: beyond this machine only when callers must show a key."""

import ipaddress
import socket
from typing import TYPE_CHECKING

from hindsight_graph.errors import ConfigError

if TYPE_CHECKING:
    from hindsight_graph.engine import AsyncHindsightGraph


def is_loopback(host: str) -> bool:
    """Whether listening there reaches this machine only; a name counts by every address it stands for."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        pass
    if not host:
        return False
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(ipaddress.ip_address(address.split("%")[0]).is_loopback for address in found)


async def check_bind(memory: "AsyncHindsightGraph", host: str) -> None:
    """Refuse to listen beyond loopback while no key was ever made, unless the setting allows it.

    Args:
        memory: The open engine.
        host: The address to listen on.

    Raises:
        ConfigError: Anybody in the network could read and write.
    """
    if is_loopback(host) or memory.settings.access.allow_keyless or await memory.keys.any_made():
        return
    raise ConfigError(
        f"refusing to listen on {host or 'all addresses'}: no key exists, so anybody who reaches it could read and write",
        hint="`hindsight-graph keys create NAME`, or listen on 127.0.0.1, or set HINDSIGHT_GRAPH_ACCESS_ALLOW_KEYLESS=true",
    )
