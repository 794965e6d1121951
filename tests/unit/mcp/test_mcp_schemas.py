"""What a client reads before the first call: names, schemas, hints, words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from hindsight_graph.api.mcp.arguments import KindName, parse
from hindsight_graph.api.mcp.clients import CLIENTS, snippet
from hindsight_graph.api.mcp.schema import input_schema
from hindsight_graph.api.mcp.server import listed
from hindsight_graph.api.mcp.table import NAME_LIMIT, PROFILES, ToolEntry, find_profile
from hindsight_graph.errors import InputError
from hindsight_graph.models.access import KeyScope
from hindsight_graph.models.enums import Kind, RelationType
from hindsight_graph.text.tokens import estimate_tokens

ENTRIES = [pytest.param(entry, id=f"{profile.name}-{entry.name}") for profile in PROFILES.values() for entry in profile.tools]
PLAIN = {"string", "integer", "number", "boolean", "array", "object"}


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every schema inside a schema."""
    for part in schema.get("properties", {}).values():
        yield part
        yield from nodes(part)
    if "items" in schema:
        yield schema["items"]
        yield from nodes(schema["items"])


@pytest.mark.requirement("A-02")
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_schema_is_one_flat_object_in_which_everything_is_typed_and_bounded(entry: ToolEntry) -> None:
    schema = input_schema(entry.arguments)
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema)
    for word in ("$ref", "$defs", "anyOf", "oneOf", "allOf", '"null"', '"title"'):
        assert word not in text
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    for node in nodes(schema):
        assert node["type"] in PLAIN
        if node["type"] == "array":
            assert node["maxItems"] <= 200
            assert node["items"]["type"] in ("string", "object")
        if node["type"] == "string":
            assert "enum" in node or node["maxLength"] <= 32_000
        if node["type"] in ("integer", "number"):
            assert {"minimum", "maximum"} <= node.keys()
    assert all(part.get("description") for part in schema["properties"].values())
    assert list(schema["properties"])[: len(schema.get("required", []))] == schema.get("required", [])


@pytest.mark.requirement("A-02")
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_name_is_short_and_the_hints_tell_what_a_call_does(entry: ToolEntry) -> None:
    assert len(entry.name) <= NAME_LIMIT
    assert entry.read_only is (entry.needs is KeyScope.READ)
    hints = listed(entry).annotations
    assert hints is not None
    assert hints.read_only_hint is entry.read_only
    assert hints.destructive_hint is (entry.name == "memory_forget")
    assert hints.open_world_hint is False


@pytest.mark.requirement("A-02", "A-08")
def test_a_profile_has_at_most_ten_tools_and_introduces_itself_in_under_two_kilobytes() -> None:
    assert set(PROFILES) == {"default", "experience", "layers"}
    for profile in PROFILES.values():
        assert len(profile.tools) <= 10
        assert len({entry.name for entry in profile.tools}) == len(profile.tools)
        assert len(profile.instructions.encode()) < 2_000
        named = {entry.name for entry in profile.tools}
        words = {word.strip(".,;:()\"'`") for word in profile.instructions.split()}
        spoken = {
            word for word in words if word.startswith(("memory_", "store_", "retrieve_", "list_")) and word != "memory_type"
        }
        assert spoken <= named
    with pytest.raises(InputError, match="unknown profile 'x'"):
        find_profile("x")


def test_listing_the_tools_costs_a_model_little() -> None:
    tools = [listed(entry).model_dump(mode="json", by_alias=True, exclude_none=True) for entry in PROFILES["default"].tools]
    assert estimate_tokens(json.dumps(tools, ensure_ascii=False)) < 3_500


def test_the_kinds_and_relations_that_are_told_are_those_there_are() -> None:
    kinds = set(input_schema(find_profile("default").tools[0].arguments)["properties"]["kinds"]["items"]["enum"])
    assert kinds == {*Kind, "working"}
    write = next(entry for entry in PROFILES["default"].tools if entry.name == "memory_write")
    said = input_schema(write.arguments)["properties"]["relations"]["description"]
    assert all(relation in said for relation in RelationType)
    assert KindName is not None


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_unknown_argument_is_refused_by_every_tool(entry: ToolEntry) -> None:
    with pytest.raises(InputError, match="unknown argument 'nonsense'"):
        parse(entry.arguments, {"nonsense": 1})


STDIO = {
    "claude-code": "claude mcp add hindsight-graph -- '/a b/hindsight-graph' mcp",
    "claude-desktop": {"mcpServers": {"hindsight-graph": {"command": "/a b/hindsight-graph", "args": ["mcp"]}}},
    "cursor": {"mcpServers": {"hindsight-graph": {"command": "/a b/hindsight-graph", "args": ["mcp"]}}},
    "vscode": {"servers": {"hindsight-graph": {"type": "stdio", "command": "/a b/hindsight-graph", "args": ["mcp"]}}},
    "codex": {"mcp_servers": {"hindsight-graph": {"command": "/a b/hindsight-graph", "args": ["mcp"]}}},
    "gemini": {"mcpServers": {"hindsight-graph": {"command": "/a b/hindsight-graph", "args": ["mcp"]}}},
}
URL = "http://127.0.0.1:8712/mcp"
HTTP = {
    "claude-code": f"claude mcp add --transport http hindsight-graph {URL}",
    "cursor": {"mcpServers": {"hindsight-graph": {"url": URL}}},
    "vscode": {"servers": {"hindsight-graph": {"type": "http", "url": URL}}},
    "codex": {"mcp_servers": {"hindsight-graph": {"url": URL, "bearer_token_env_var": "HINDSIGHT_GRAPH_API_KEY"}}},
    "gemini": {"mcpServers": {"hindsight-graph": {"httpUrl": URL}}},
}


def read(client: str, text: str) -> object:
    """Return a snippet as its client reads it."""
    import tomllib

    return text if client == "claude-code" else tomllib.loads(text) if client == "codex" else json.loads(text)


@pytest.mark.requirement("A-07")
@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_gets_its_own_form(client: str) -> None:
    assert read(client, snippet(client, command=("/a b/hindsight-graph", "mcp")).text) == STDIO[client]
    if client in HTTP:
        assert read(client, snippet(client, url=URL).text) == HTTP[client]


def test_a_client_that_cannot_is_told_so() -> None:
    with pytest.raises(InputError, match="claude-desktop takes no URL"):
        snippet("claude-desktop", url=URL)
    with pytest.raises(InputError, match="unknown client 'emacs'") as refusal:
        snippet("emacs")
    assert refusal.value.hint == "one of claude-code, claude-desktop, cursor, vscode, codex, gemini"
