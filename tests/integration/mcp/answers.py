"""Calls of a tool as an agent makes them, with both forms of the answer."""

from dataclasses import dataclass
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent


@dataclass(frozen=True)
class Said:
    """What a tool answered.

    Attributes:
        text: In words. data: as JSON. failed: it is an error.
    """

    text: str
    data: dict[str, Any]
    failed: bool


def said(result: object) -> Said:
    """Return an answer in both forms; there is exactly one text."""
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return Said(content.text, result.structured_content, result.is_error)


async def ask(client: Client, tool: str, /, **arguments: Any) -> Said:
    """Call a tool that has to succeed."""
    found = said(await client.call_tool(tool, arguments))
    assert not found.failed, found.text
    return found


async def refused(client: Client, tool: str, /, **arguments: Any) -> Said:
    """Call a tool that has to answer with an error."""
    found = said(await client.call_tool(tool, arguments))
    assert found.failed, found.text
    assert found.text == found.text.strip()
    assert "Traceback" not in found.text
    error = found.data["error"]
    assert error["message"] in found.text
    assert error["hint"] in found.text
    return found
