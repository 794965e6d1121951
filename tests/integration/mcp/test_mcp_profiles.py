"""The name profiles: other names over the same memory."""

from pathlib import Path

import pytest

from hindsight_graph.models.enums import Kind, Outcome
from hindsight_graph.models.learning import Experience
from tests.integration.mcp.answers import ask, refused
from tests.integration.mcp.connect import connected, opened


@pytest.mark.requirement("A-08")
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_an_experience_is_stored_retrieved_and_listed_in_its_own_words(store_path: Path, transport: str) -> None:
    async with connected(transport, "legacy", store_path, "experience") as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"store_memory", "retrieve_memory", "list_memories"}
        kept = await ask(
            client,
            "store_memory",
            context="A customer wants the money for order 88 back",
            action="called refund without looking at the order",
            outcome="failure",
            lesson="Check the order status before a refund.",
            tags=["refund"],
            tools="refund_api",
        )
        assert kept.data["status"] == "kept"
        found = await ask(client, "retrieve_memory", query="refund an order", tags="refund")
        (only,) = found.data["results"]
        assert only == {
            "id": kept.data["id"],
            "context": "A customer wants the money for order 88 back",
            "action": "called refund without looking at the order",
            "outcome": "failure",
            "lesson": "Check the order status before a refund.",
            "tags": ["refund"],
            "weight": only["weight"],
            "score": only["score"],
        }
        assert found.data["degraded"] is False
        for words in ("Check the order status before a refund.", "called refund without looking", kept.data["id"]):
            assert words in found.text
        assert [row["id"] for row in (await ask(client, "list_memories", outcome="failure")).data["memories"]] == [only["id"]]
        assert (await ask(client, "list_memories", outcome="success")).data["memories"] == []
        assert (await ask(client, "retrieve_memory", query="customer wants money")).data["results"][0]["id"] == only["id"]
        wrong = await refused(client, "store_memory", context="x", action="y", outcome="bad")
        assert "outcome: input should be 'success', 'failure' or 'partial'" in wrong.text


async def test_an_experience_longer_than_a_summary_is_one_memory_and_keeps_every_word(store_path: Path) -> None:
    story, lesson = "A long story. " * 200, "Do this and then that. " * 30
    async with connected("memory", "legacy", store_path, "experience") as client:
        kept = await ask(client, "store_memory", context=story, action="much", outcome="partial", lesson=lesson)
        (row,) = (await ask(client, "list_memories", max_tokens=8000)).data["memories"]
    assert row["context"] == story.strip()
    assert row["lesson"].strip() == lesson.strip()
    async with opened(store_path) as memory:
        stored = await memory.get(kept.data["id"])
    assert len(stored.summary) <= 200
    assert stored.summary.endswith("…")
    assert (stored.kind, stored.outcome) == (Kind.EXPERIENCE, Outcome.PARTIAL)
    learned = Experience.of(stored.payload)
    assert learned is not None
    assert (learned.context, learned.reflected) == (story.strip(), False)


@pytest.mark.requirement("A-08", "X-07")
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_the_three_layers_hold_what_is_written_to_them(store_path: Path, transport: str) -> None:
    async with connected(transport, "2026-07-28", store_path, "layers") as client:
        await ask(client, "memory_write", memory_type="working", content="goal: refund order 88", metadata={"session_id": "s"})
        await ask(client, "memory_update", content="step: ask the warehouse", metadata='{"session_id": "s"}')
        state = await ask(client, "memory_query", memory_type="working", metadata={"session_id": "s"})
        assert "refund order 88" in state.text
        assert "ask the warehouse" in state.text

        done = {"task_type": "refund", "status": "failed", "tools_used": ["refund_api"], "timestamp": "2026-05-01T10:00:00Z"}
        kept = await ask(
            client, "memory_write", memory_type="episodic", content="The refund failed: the order was not paid.", metadata=done
        )
        for filters in (
            {"metadata": {"status": "failed"}},
            {"metadata": {"task_type": "refund", "tools_used": "refund_api"}},
            {"metadata": {"timestamp": "2026-05-01"}},
            {"time_range": "2026-05-01/2026-05-02"},
            {"time_range": {"start": "2026-04-30"}},
        ):
            found = await ask(client, "memory_query", memory_type="episodic", query_text="refund", **filters)
            assert [row["id"] for row in found.data["results"]] == kept.data["ids"], filters
            assert found.data["results"][0]["outcome"] == "failure"
        for filters in ({"metadata": {"status": "success"}}, {"time_range": "2026-05-02/"}, {"time_range": ["", "2026-05-01"]}):
            found = await ask(client, "memory_query", memory_type="episodic", query_text="refund", **filters)
            assert found.data["results"] == [], filters

        rule = await ask(client, "memory_write", memory_type="semantic", content="Check that an order is paid before a refund.")
        assert rule.data["items"][0]["status"] == "pending"
        assert (await ask(client, "memory_query", memory_type="semantic", query_text="refund")).data["results"] == []

        new = await ask(client, "memory_update", id=kept.data["ids"][0], content="The refund failed: order 88 was never paid.")
        gone = await ask(client, "memory_forget", ids=[new.data["memory"]["id"]])
        assert gone.data["count"] == 1


@pytest.mark.requirement("A-08")
async def test_a_query_of_a_layer_gives_five_results_unless_asked(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path, "layers") as client:
        for number in range(7):
            await ask(client, "memory_write", memory_type="episodic", content=f"Refund number {number} was done by hand.")
        found = await ask(client, "memory_query", memory_type="episodic", query_text="refund by hand")
        assert len(found.data["results"]) == 5
        more = await ask(client, "memory_query", memory_type="episodic", query_text="refund by hand", cursor=found.data["cursor"])
        assert len(more.data["results"]) == 2


WRONG = {
    "a layer nobody knows": ({"memory_type": "deep", "query_text": "x"}, "memory_type: input should be 'working'"),
    "no question": ({"memory_type": "episodic"}, "query_text is required for the layer episodic"),
    "metadata that is no object": (
        {"memory_type": "episodic", "query_text": "x", "metadata": "refund"},
        "metadata: is no JSON object",
    ),
    "metadata nobody knows": ({"memory_type": "episodic", "query_text": "x", "metadata": {"mood": 1}}, "metadata.mood"),
    "two tools": (
        {"memory_type": "episodic", "query_text": "x", "metadata": {"tools_used": ["a", "b"]}},
        "tools_used names 2 tools, a query takes one",
    ),
    "a range that is none": (
        {"memory_type": "episodic", "query_text": "x", "time_range": "lately"},
        "'lately' is not an ISO 8601 time",
    ),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_wrong_query_of_a_layer_says_what_is_wrong(store_path: Path, case: str) -> None:
    arguments, words = WRONG[case]
    async with connected("memory", "legacy", store_path, "layers") as client:
        assert words in (await refused(client, "memory_query", **arguments)).text
