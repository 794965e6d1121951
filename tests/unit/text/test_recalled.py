"""What came out of the memory is told from what was said."""

import pytest

from hindsight_graph.api.mcp.table import PROFILES
from hindsight_graph.text.recalled import MEMORY_TOOLS, is_memory_tool, without_recalled


@pytest.mark.requirement("X-05")
def test_our_tools_are_known_by_every_name_they_have() -> None:
    names = {entry.name for profile in PROFILES.values() for entry in profile.tools}
    assert names - MEMORY_TOOLS == {"reflect"}
    assert names >= MEMORY_TOOLS
    assert is_memory_tool("mcp__hindsight-graph__memory_search")
    assert is_memory_tool("mcp__hindsight-graph__reflect")
    assert is_memory_tool("mcp__notes__memory_search")
    assert not any(is_memory_tool(name) for name in (None, "", "reflect", "search", "mcp__notes__search"))


@pytest.mark.requirement("X-05")
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Refund order 17", "Refund order 17"),
        ("Known:\n<memory_context>\n- **fact**: x\n</memory_context>\nRefund order 17", "Known:\n\nRefund order 17"),
        ("<memory_context>a</memory_context>b<memory_context>c</memory_context>", "b"),
        ("b<memory_context>\n- cut off", "b"),
    ],
)
def test_a_block_of_memories_is_left_out_of_a_text(text: str, left: str) -> None:
    assert without_recalled(text) == left
