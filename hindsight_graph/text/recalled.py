"""What came out of this memory and comes back with a conversation: nothing is learned from it a second time (promise X-05)."""

import re

__all__ = ["MEMORY_TOOLS", "is_memory_tool", "without_recalled"]

MEMORY_TOOLS = frozenset(
    {
        "memory_write", "memory_search", "memory_chain", "memory_update", "memory_forget", "memory_summarize", "memory_reflect",
        "memory_feedback", "memory_list", "memory_status", "memory_query", "store_memory", "retrieve_memory", "list_memories",
    }
)  # fmt: skip
"""Our own tools by name; `reflect` of one profile is left out, since it may be anybody's."""
_BLOCK = re.compile(r"<memory_context>.*?(?:</memory_context>|\Z)", re.DOTALL)
_OURS = "hindsight"
_SEPARATOR = "__"
"""Clients put the server's name before the tool's: `mcp__hindsight-graph__memory_search`."""


def is_memory_tool(name: str | None) -> bool:
    """Whether a tool of this name is one of ours, also with a client's prefix before it."""
    if not name:
        return False
    prefix, _, last = name.rpartition(_SEPARATOR)
    return last in MEMORY_TOOLS or _OURS in prefix


def without_recalled(text: str) -> str:
    """Return a text without the memories that were put into it between `<memory_context>` tags; one without tags as it is."""
    return _BLOCK.sub("", text) if "<memory_context>" in text else text
