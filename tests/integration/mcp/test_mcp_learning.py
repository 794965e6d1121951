"""Learning through the tools: look back, use what was approved, report how it went."""

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from hindsight_graph.api.mcp.server import make_server
from tests.integration.mcp.answers import ask, refused
from tests.integration.mcp.connect import MODES, TRANSPORTS, connected, opened

Raw = dict[str, Any]


def task(request: str, *steps: tuple[str, str], end: str) -> list[Raw]:
    """Return a transcript with only role, name and content in its tool messages."""
    said: list[Raw] = [{"role": "tool", "name": tool, "content": content} for tool, content in steps]
    return [{"role": "user", "content": request}, *said, {"role": "assistant", "content": end}]


FAILED = task("Refund order 17", ("process_refund", "Error: status of order 17 not checked"), end="I could not refund it.")
WORKED = task("Refund order 17", ("get_order_status", "delivered"), ("process_refund", "ok"), end="The refund is done.")


@pytest.mark.requirement("X-11")
async def test_three_tasks_a_failure_the_same_again_and_another_with_the_same_tool(store_path: Path) -> None:
    async with opened(store_path) as memory, Client(make_server(memory), mode="legacy") as client:
        await ask(client, "memory_write", content="Refunds are paid out on Fridays.")
        first = await ask(client, "memory_reflect", messages=FAILED, session_id="first", task_type="refund")
        assert (first.data["status"], len(first.data["ids"])) == ("stored", 1)
        again = await ask(client, "memory_search", query="Refund order 18", task_type="refund")
        assert (again.data["results"][0]["id"], again.data["results"][0]["outcome"]) == (first.data["ids"][0], "failure")
        second = await ask(client, "memory_reflect", messages=WORKED, session_id="second", task_type="refund")
        (rule,) = second.data["proposed"]
        assert rule["guidance"].startswith("Before process_refund, call get_order_status.")
        assert f"proposed, for a person to approve: {rule['guidance'].replace('<', '&lt;').replace('>', '&gt;')}" in second.text
        assert (await ask(client, "memory_search", query="process_refund", kinds="strategy")).data["results"] == []
        await memory.learning.approve(rule["id"], reviewer="ann")
        await memory.learning.record(context="Ship a parcel", action="ship", outcome="failure", lesson="Weigh parcels first")
        third = await ask(client, "memory_search", query="Give a goodwill credit with process_refund", kinds="strategy")
        (only,) = third.data["results"]
        assert only["id"] == rule["id"]
        assert only["when"] == "calling process_refund, after “Error: status of order <n> not checked”"
        assert only["support"].startswith("2 of 2 cases speak for it, ")
        assert (only["version"], f"support {only['support']}" in third.text) == ("1", True)
        used = await ask(client, "memory_feedback", ids=rule["id"], outcome="success", task_id="t3")
        assert used.data["items"][0]["weight"] > used.data["items"][0]["weight_before"]
        told = await ask(client, "memory_search", query="process_refund", kinds="strategy")
        assert "worked in 1 of 1 uses" in told.text
        assert (await refused(client, "memory_feedback", ids=rule["id"], outcome="failure", task_id="t3")).data["error"][
            "code"
        ] == "idempotency-key-reused"


@pytest.mark.requirement("X-02", "A-02")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_reflection_is_stored_or_only_shown_and_may_find_nothing(transport: str, mode: str, store_path: Path) -> None:
    async with connected(transport, mode, store_path) as client:
        shown = await ask(client, "memory_reflect", messages=json.dumps(WORKED), store="false")
        assert (shown.data["status"], shown.data["ids"], len(shown.data["experiences"])) == ("proposed", [], 1)
        assert shown.data["experiences"][0]["action"] == "get_order_status ✓ → process_refund ✓"
        kept = await ask(client, "memory_reflect", messages=FAILED)
        assert kept.data["experiences"][0]["id"] == kept.data["ids"][0]
        assert (await ask(client, "memory_status", job_id=kept.data["job_id"])).data["state"] == "done"
        nothing = await ask(client, "memory_reflect", messages=[{"role": "user", "content": "Good morning"}])
        assert (nothing.data["status"], nothing.data["experiences"]) == ("nothing", [])
        assert nothing.text.startswith("nothing reusable in these messages")


WRONG: dict[str, tuple[str, Raw, str]] = {
    "no messages": ("memory_reflect", {"messages": []}, "messages"),
    "words": ("memory_reflect", {"messages": "it failed"}, "messages.0: input should be a valid dictionary"),
    "no role that is known": ("memory_reflect", {"messages": [{"role": "user", "content": 7}]}, "message 0: content is int"),
    "no outcome": ("memory_feedback", {"ids": "x"}, "outcome is required"),
    "another outcome": ("memory_feedback", {"ids": "x", "outcome": "fine"}, "outcome: input should be 'success'"),
}


@pytest.mark.parametrize("case", WRONG)
async def test_a_wrong_call_says_what_is_wrong(store_path: Path, case: str) -> None:
    tool, arguments, words = WRONG[case]
    async with connected("memory", "legacy", store_path) as client:
        assert words in (await refused(client, tool, **arguments)).text
        assert (await ask(client, "memory_status")).data["episodes"] == 0


async def test_feedback_for_what_is_not_there_says_so(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path) as client:
        found = await ask(client, "memory_feedback", ids="nobody", outcome="partial")
        assert found.data["items"] == [{"id": "nobody", "note": "no such memory"}]


@pytest.mark.requirement("A-08")
async def test_the_profile_experience_reflects_or_only_keeps(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path, "experience") as client:
        kept = await ask(client, "reflect", messages=FAILED, task_type="refund")
        (row,) = (await ask(client, "retrieve_memory", query="refund an order", task_type="refund")).data["results"]
        assert (row["id"], row["context"], row["outcome"]) == (kept.data["ids"][0], "Refund order 17", "failure")
        only = await ask(client, "reflect", messages=WORKED, extract_experience=False)
        assert (only.data["status"], len(only.data["episode_ids"])) == ("kept", 4)


@pytest.mark.requirement("A-08")
async def test_the_profile_layers_reflects_on_messages_or_on_an_episodic_memory(store_path: Path) -> None:
    async with connected("memory", "legacy", store_path, "layers") as client:
        kept = await ask(client, "memory_reflect", messages=FAILED, task_type="refund")
        again = await ask(client, "memory_reflect", episodic_id=kept.data["ids"][0], task_type="refund")
        assert again.data["ids"] == kept.data["ids"]
        assert "known already" in again.text
        assert "one of the two" in (await refused(client, "memory_reflect")).text
        missing = await refused(client, "memory_reflect", episodic_id="nobody")
        assert missing.data["error"]["code"] == "not-found"


@pytest.mark.requirement("S-03", "X-03")
async def test_the_end_of_a_session_is_looked_back_on(store_path: Path) -> None:
    async with opened(store_path) as memory, Client(make_server(memory), mode="legacy") as client:
        for content in ("user: Refund order 17", "tool: Error: status of order 17 not checked", "I could not refund it."):
            await ask(client, "memory_write", kind="working", session_id="s1", content=content)
        ended = await ask(client, "memory_write", kind="working", session_id="s1", content="end session")
        assert "looked back on it: 1 experience kept" in ended.text
        assert (await memory.jobs.get(ended.data["job_id"])).state == "done"
        (kept,) = (await ask(client, "memory_search", query="Refund order 18", kinds="experience")).data["results"]
        assert kept["outcome"] == "failure"
