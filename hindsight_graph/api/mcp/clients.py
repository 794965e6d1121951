"""What to put where, so that a client starts or reaches this server. The forms are those of each client's own documentation."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hindsight_graph.errors import InputError

NAME = "hindsight-graph"
KEY_VARIABLE = "HINDSIGHT_GRAPH_API_KEY"
"""Environment variable in which a client finds its key, where it can read one."""


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is had: a command to start, or a URL to reach (one of the two is empty)."""

    command: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Snippet:
    """What to paste.

    Attributes:
        client: Which client. place: the file it belongs into, or "a shell". text: the snippet.
    """

    client: str
    place: str
    text: str


def _json(key: str, entry: Mapping[str, Any]) -> str:
    return json.dumps({key: {NAME: entry}}, ensure_ascii=False, indent=2)


def _stdio(server: Server) -> dict[str, Any]:
    return {"command": server.command[0], "args": list(server.command[1:])}


def _claude_code(server: Server) -> str:
    if server.url:
        return f"claude mcp add --transport http {NAME} {shlex.quote(server.url)}"
    return f"claude mcp add {NAME} -- {shlex.join(server.command)}"


def _claude_desktop(server: Server) -> str:
    if server.url:
        raise InputError(
            "claude-desktop takes no URL in its file", hint="leave --url out, or add the URL as a connector in its settings"
        )
    return _json("mcpServers", _stdio(server))


def _cursor(server: Server) -> str:
    return _json("mcpServers", {"url": server.url} if server.url else _stdio(server))


def _vscode(server: Server) -> str:
    return _json("servers", {"type": "http", "url": server.url} if server.url else {"type": "stdio", **_stdio(server)})


def _codex(server: Server) -> str:
    head = f"[mcp_servers.{NAME}]"
    if server.url:
        return f'{head}\nurl = {json.dumps(server.url)}\nbearer_token_env_var = "{KEY_VARIABLE}"'
    return f"{head}\ncommand = {json.dumps(server.command[0])}\nargs = {json.dumps(list(server.command[1:]))}"


def _gemini(server: Server) -> str:
    return _json("mcpServers", {"httpUrl": server.url} if server.url else _stdio(server))


_CLIENTS: Mapping[str, tuple[str, Callable[[Server], str]]] = {
    "claude-code": ("a shell", _claude_code),
    "claude-desktop": ("claude_desktop_config.json (Settings, Developer, Edit Config)", _claude_desktop),
    "cursor": ("~/.cursor/mcp.json, or .cursor/mcp.json in a project", _cursor),
    "vscode": (".vscode/mcp.json in a project", _vscode),
    "codex": ("~/.codex/config.toml", _codex),
    "gemini": ("~/.gemini/settings.json", _gemini),
}
CLIENTS = tuple(_CLIENTS)
"""Names of the clients that are known."""


def snippet(client: str, *, command: Sequence[str] = (), url: str = "") -> Snippet:
    """Return what to paste for a client: to start `command`, or to reach `url`.

    Raises:
        InputError: The client is not known, or cannot reach a URL by its file.
    """
    found = _CLIENTS.get(client)
    if found is None:
        raise InputError(f"unknown client {client!r}", hint=f"one of {', '.join(CLIENTS)}")
    place, form = found
    return Snippet(client, place, form(Server(url=url) if url else Server(command=tuple(command))))
