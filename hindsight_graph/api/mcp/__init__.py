"""The MCP face: memory as tools for agents, over stdio and streamable HTTP. Thin: a table of tools over the engine's verbs.

`table` says which tools there are, `arguments` what each takes, `writing`, `reading` and `profiles` do them, `render` puts
answers into words. Only `server`, `http` and `stdio` import the SDK, and this package only once a name of it is asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hindsight_graph.api.mcp.http import mcp_app
    from hindsight_graph.api.mcp.server import make_server

__all__ = ["make_server", "mcp_app"]


def __getattr__(name: str) -> object:
    """Import the SDK when it is needed."""
    if name == "mcp_app":
        from hindsight_graph.api.mcp.http import mcp_app  # noqa: PLC0415 - heavy and optional

        return mcp_app
    if name == "make_server":
        from hindsight_graph.api.mcp.server import make_server  # noqa: PLC0415 - heavy and optional

        return make_server
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
