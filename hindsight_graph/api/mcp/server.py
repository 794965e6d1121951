"""The MCP server: the table of tools behind the official SDK, for both revisions of the protocol.

It is the SDK's low-level `Server` and not its `MCPServer`, which would make schemas from signatures (unions, no bounds), drop
unknown arguments silently, announce prompts and resources that are not there, and take over the process's logging (ADR-0006).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)

from hindsight_graph.api.mcp.arguments import MEND, parse
from hindsight_graph.api.mcp.render import Reply
from hindsight_graph.api.mcp.schema import input_schema
from hindsight_graph.api.mcp.table import Profile, ToolEntry, find_profile
from hindsight_graph.api.problem import problem_of
from hindsight_graph.errors import HindsightGraphError, InputError
from hindsight_graph.models.access import PRINCIPAL, Principal

if TYPE_CHECKING:
    from hindsight_graph.api.mcp.elsewhere import Elsewhere
    from hindsight_graph.engine import AsyncHindsightGraph

_LOG = logging.getLogger(__name__)
NAME = "hindsight-graph"
LONGEST_CALL_S = 10.0
"""Seconds after which a call is answered with an error; clients give up not much later."""
_LIST_TTL_MS = 3_600_000

Memory: TypeAlias = "AsyncHindsightGraph | Elsewhere"
"""An open engine, or a running service that has one."""
Opener = Callable[[], "Awaitable[Memory]"]
"""Gives the memory; called at the first tool call, so that a client that only looks round waits for no store."""


def make_server(
    memory: "Memory | Opener",
    *,
    profile: str | Profile = "default",
    on_listed: Callable[[], None] | None = None,
    longest_call_s: float = LONGEST_CALL_S,
) -> Server[Any]:
    """Return a server of one profile's tools.

    Args:
        memory: The open engine, a running service, or what opens one of them.
        profile: Which names the tools have: `default`, `experience` or `layers`; or a table of one's own.
        on_listed: Called after tools were listed: a client that lists will call soon.
        longest_call_s: Seconds a call may take.

    Raises:
        InputError: There is no such profile.
    """
    opener = memory if callable(memory) else _already(memory)
    tools = Tools(find_profile(profile) if isinstance(profile, str) else profile, opener, longest_call_s)

    async def on_list(_: ServerRequestContext[Any, Any], params: PaginatedRequestParams | None) -> ListToolsResult:
        del params
        if on_listed is not None:
            on_listed()
        return ListToolsResult(tools=list(tools.listed))

    async def on_call(context: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        return await tools.call(params.name, params.arguments or {}, principal_of(context.request))

    return Server(
        NAME,
        title="Hindsight Graph",
        description="A memory for agents: facts, preferences, results and lessons, with the graph between them.",
        version=version("hindsight-graph"),
        instructions=tools.profile.instructions,
        cache_hints={"tools/list": CacheHint(ttl_ms=_LIST_TTL_MS, scope="public")},
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


def _already(memory: "Memory") -> Opener:
    async def opened() -> "Memory":
        return memory

    return opened


def principal_of(request: object) -> Principal | None:
    """Return the verified caller of an HTTP request; None over stdio and where no access middleware stands before the app."""
    scope = cast("Mapping[str, Any] | None", getattr(request, "scope", None))
    return None if scope is None else scope.get(PRINCIPAL)


class Tools:
    """Calls the tools of a profile: checks who and what, keeps the time, and turns every error into words for a model."""

    def __init__(self, profile: Profile, opener: Opener, longest_call_s: float) -> None:
        self.profile = profile
        self.listed = tuple(listed(entry) for entry in profile.tools)
        self._entries = {entry.name: entry for entry in profile.tools}
        self._opener = opener
        self._longest = longest_call_s

    async def call(self, name: str, given: Mapping[str, Any], principal: Principal | None) -> CallToolResult:
        """Return the answer of a tool; an error the model can mend is an answer too.

        Raises:
            MCPError: There is no such tool.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise MCPError(INVALID_PARAMS, f"unknown tool {name!r}; this server has {', '.join(self._entries)}")
        if principal is not None and not principal.may(entry.needs):
            have = ", ".join(sorted(principal.scopes)) or "none"
            return _error("forbidden", f"{name} needs a key with the scope {entry.needs.value}; this key has {have}", _KEY_HINT)
        try:
            arguments = parse(entry.arguments, given)
            async with asyncio.timeout(self._longest):
                memory = await self._opener()
                if not hasattr(memory, "acting_for"):
                    return await cast("Elsewhere", memory).call(name, given)
                return _answer(await entry.run(_acting(cast("AsyncHindsightGraph", memory), principal), arguments))
        except HindsightGraphError as error:
            problem = problem_of(error)
            told = error if principal is None else problem  # over HTTP, the server's own paths and addresses stay in its log
            words = told.message if isinstance(told, HindsightGraphError) else told.detail
            return _error(problem.code, words, told.hint or (MEND if isinstance(error, InputError) else ""))
        except TimeoutError:
            return _error("timeout", f"{name} took longer than {self._longest:g} s and was given up", _timeout_hint(entry))
        except Exception:  # noqa: BLE001 - one bad call must not end a server; the log has it, the client no trace
            _LOG.exception("tool %s failed", name)
            return _error(
                "internal", f"{name} failed in a way nobody foresaw; the server's log has it", "try again, or otherwise"
            )


def _acting(memory: "AsyncHindsightGraph", principal: Principal | None) -> "AsyncHindsightGraph":
    return memory if principal is None else memory.acting_for(tenant=principal.tenant, agent_id=principal.agent_id)


_KEY_HINT = "ask the operator for a key that has it: hindsight-graph keys create --scope ..."


def listed(entry: ToolEntry) -> Tool:
    """Return a tool as clients see it."""
    return Tool(
        name=entry.name,
        title=entry.title,
        description=entry.description,
        input_schema=input_schema(entry.arguments),
        annotations=ToolAnnotations(
            read_only_hint=entry.read_only,
            destructive_hint=entry.destructive,
            idempotent_hint=entry.idempotent,
            open_world_hint=False,
        ),
    )


def _answer(reply: Reply) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=reply.text)], structured_content=reply.data)


def _error(code: str, message: str, hint: str = "") -> CallToolResult:
    text = f"error: {_line(message)}" + (f"\nwhat to do: {_line(hint)}" if hint else "")
    data = {"error": {"code": code, "message": message, "hint": hint}}
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data, is_error=True)


def _line(text: str) -> str:
    return " ".join(text.splitlines())


def _timeout_hint(entry: ToolEntry) -> str:
    if entry.read_only:
        return "ask for less: a narrower question, fewer hops"
    return "it may still have been written: look before you write again, or repeat it with the same idempotency_key"
