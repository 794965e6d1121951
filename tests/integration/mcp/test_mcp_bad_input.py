"""Wrong calls: each answers with what is wrong and what to do, writes nothing, and leaves the server standing."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.mcp.server import Tools, make_server
from hindsight_graph.api.mcp.table import find_profile
from hindsight_graph.errors import StoreUnavailableError
from hindsight_graph.models.access import Principal
from tests.integration.mcp.answers import ask, refused, said
from tests.integration.mcp.connect import connected, opened

MISSING = "0198c0de-0000-7000-8000-000000000000"
WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no argument at all": ("memory_search", {}, "query is required"),
    "an unknown argument": ("memory_search", {"query": "x", "qury": 1}, "unknown argument 'qury' (did you mean 'query'?)"),
    "an unknown empty argument": ("memory_search", {"query": "x", "foo": None}, "unknown argument 'foo'"),
    "an unknown kind": ("memory_search", {"query": "x", "kinds": "facts"}, "kinds.0: input should be 'fact'"),
    "too many results": ("memory_search", {"query": "x", "top_k": 51}, "top_k: input should be less than or equal to 50"),
    "no number": ("memory_search", {"query": "x", "top_k": "many"}, "top_k: input should be a valid integer"),
    "no time": ("memory_search", {"query": "x", "since": "yesterday"}, "'yesterday' is not an ISO 8601 time"),
    "a time of another kind": ("memory_search", {"query": "x", "since": 5}, "since: is no text"),
    "a window that ends first": (
        "memory_search",
        {"query": "x", "since": "2026-05-02", "until": "2026-05-01"},
        "is not after since",
    ),
    "a damaged cursor": ("memory_search", {"query": "x", "cursor": "zzz"}, "is damaged"),
    "too many tokens": ("memory_search", {"query": "x", "max_tokens": 8001}, "less than or equal to 8000"),
    "an empty question": ("memory_search", {"query": "  "}, "is empty"),
    "a control character": ("memory_search", {"query": "a\u0000b"}, "control character U+0000"),
    "working without a session": ("memory_search", {"query": "x", "kinds": "working"}, "needs a session_id"),
    "an empty text": ("memory_write", {"content": ""}, "content: string should have at least 1 character"),
    "a text that is too long": ("memory_write", {"content": "x" * 32_001}, "at most 32000 characters"),
    "a text that is a list": ("memory_write", {"content": ["a"]}, "content: input should be a valid string"),
    "a relation nobody knows": (
        "memory_write",
        {"content": "A hates B.", "relations": ["A HATES B"]},
        "is not of the form 'A DEPENDS_ON B'",
    ),
    "too sure": ("memory_write", {"content": "x y", "confidence": 1.5}, "confidence: input should be less than or equal to 1"),
    "an idle argument of a turn": (
        "memory_write",
        {"kind": "working", "session_id": "s", "content": "x", "tags": "a"},
        "kind working takes no tags",
    ),
    "a chain from nowhere": ("memory_chain", {"start": "nothing at all"}, "nothing at all"),
    "too many hops": ("memory_chain", {"start": "x", "max_hops": 7}, "max_hops: input should be less than or equal to 6"),
    "an unknown relation": ("memory_chain", {"start": "x", "relations": "LIKES"}, "unknown relation 'LIKES'"),
    "an unknown direction": (
        "memory_chain",
        {"start": "x", "direction": "up"},
        "direction: input should be 'out', 'in' or 'both'",
    ),
    "an update of nothing": ("memory_update", {"id": MISSING}, "memory_update needs content or confidence"),
    "an update of a missing memory": ("memory_update", {"id": MISSING, "content": "x"}, f"no memory {MISSING}"),
    "an update that is too long": ("memory_update", {"id": MISSING, "content": "x" * 201}, "at most 200 characters"),
    "forgetting nothing": ("memory_forget", {"ids": []}, "ids: tuple should have at least 1 item"),
    "forgetting a missing memory": ("memory_forget", {"ids": [MISSING]}, f"no memory {MISSING}"),
    "a summary of everything": ("memory_summarize", {}, "needs a window, a session or an entity"),
    "a summary about nothing": ("memory_summarize", {"entity": "nobody"}, "nobody"),
    "a list of a missing thing": ("memory_list", {"entities": ["nobody"]}, "nobody"),
}


@pytest.mark.requirement("A-02")
@pytest.mark.parametrize("case", WRONG)
async def test_a_wrong_call_says_what_is_wrong_and_what_to_do(store_path: Path, case: str) -> None:
    tool, arguments, words = WRONG[case]
    async with connected("memory", "legacy", store_path) as client:
        found = await refused(client, tool, **arguments)
        assert (await ask(client, "memory_status")).data["memories"] == 0
    assert words in found.text
    assert found.text.startswith("error: ")
    assert "\nwhat to do: " in found.text


async def test_every_mistake_of_a_call_is_named_at_once(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path) as client:
        found = await refused(client, "memory_search", query="x", top_k="many", kinds="facts", until="soon", colour="red")
    for words in ("top_k", "kinds.0", "until", "colour"):
        assert words in found.data["error"]["message"]
    assert found.data["error"]["hint"].startswith("arguments are query, ")


async def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_those_there_are(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path) as client:
        with pytest.raises(MCPError, match=r"unknown tool 'remember'; this server has memory_search, memory_write"):
            await client.call_tool("remember", {})


async def test_what_arrives_as_text_is_taken_for_what_it_means(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path) as client:
        text = "The port of the ledger is 5433."
        await ask(client, "memory_write", content=text, tags='["a", "b"]', confidence="0.7", ttl_days="30")
        await ask(client, "memory_write", content=5433)
        found = await ask(
            client,
            "memory_search",
            query="ledger port",
            top_k="1",
            kinds="FACT, preference",
            tags="a,b",
            explain="true",
            include_history="no",
            session_id="",
            outcome=None,
            since="2020-01-01T00:00:00+08:00",
        )
    (only,) = found.data["results"]
    assert only["tags"] == ["a", "b"]
    assert only["confidence"] == 0.7
    assert "components" in only


async def test_a_call_that_takes_too_long_is_answered_in_time(store_path: Path) -> None:
    async with opened(store_path) as memory:

        async def late() -> AsyncHindsightGraph:
            import asyncio

            await asyncio.Event().wait()
            return memory

        async with Client(make_server(late, longest_call_s=0.05), mode="legacy") as client:
            found = await refused(client, "memory_write", content="The port is 5433.")
    assert found.data["error"]["code"] == "timeout"
    assert "took longer than 0.05 s" in found.text
    assert "idempotency_key" in found.text


async def test_a_fault_nobody_foresaw_shows_the_client_no_trace_and_the_server_goes_on(
    store_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(store_path) as memory:
        answers = iter([RuntimeError("secret detail"), None])

        async def broken() -> AsyncHindsightGraph:
            fault = next(answers)
            if fault is not None:
                raise fault
            return memory

        async with Client(make_server(broken), mode="legacy") as client:
            found = said(await client.call_tool("memory_status", {}))
            assert found.failed
            assert found.data["error"]["code"] == "internal"
            assert "secret detail" not in found.text
            assert "secret detail" in caplog.text
            assert (await ask(client, "memory_status")).data["memories"] == 0


@pytest.mark.parametrize(("caller", "is_told"), [(None, True), (Principal(tenant="t"), False)], ids=["stdio", "http"])
async def test_where_the_store_is_is_told_to_who_started_the_server_and_to_no_caller_over_http(
    caller: Principal | None, is_told: bool
) -> None:
    async def broken() -> AsyncHindsightGraph:
        raise StoreUnavailableError("/srv/secret/memory.db is locked")

    answer = await Tools(find_profile("default"), broken, 10).call("memory_status", {}, caller)
    assert answer.is_error
    assert ("/srv/secret" in answer.model_dump_json()) is is_told
