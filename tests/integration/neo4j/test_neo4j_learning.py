"""Learning on a Neo4j store: the three-task check through REST and through MCP; one version of the server is enough."""

import time
from typing import Any

import httpx
import pytest
from mcp import Client

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.mcp.server import make_server
from hindsight_graph.api.rest import make_app
from hindsight_graph.resilience.breaker import Breaker, Policy
from hindsight_graph.settings import RecallSettings, Settings
from hindsight_graph.testing.neo4j_server import REUSED, VERSIONS, Neo4jServer
from tests.integration.mcp.answers import ask
from tests.integration.mcp.test_mcp_learning import FAILED, WORKED

PATIENT = Settings(recall=RecallSettings(deadline_ms=60_000, loading_ms=60_000))
"""A server that is asked for the first time may take longer than an answer should, on a busy machine."""


def unhurried(memory: AsyncHindsightGraph) -> AsyncHindsightGraph:
    """Return the engine with a breaker that slow answers do not open: a server plans each statement for the first time here."""
    guard = memory._guards[0]  # pyright: ignore[reportPrivateUsage]
    guard.breaker = Breaker(Policy(slow=60.0), timer=time.monotonic)
    return memory


ONE = pytest.mark.parametrize("server", ["reused" if REUSED else VERSIONS[-1]], indirect=True, scope="session")


@ONE
@pytest.mark.requirement("X-11")
@pytest.mark.timeout(300)
async def test_the_three_tasks_through_rest(empty: Neo4jServer) -> None:
    async with unhurried(AsyncHindsightGraph(empty.url, embedder="hashing", settings=PATIENT)) as memory:
        transport = httpx.ASGITransport(make_app(memory))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as http:

            async def post(path: str, **body: Any) -> Any:
                answered = await http.post(path, json=body)
                assert answered.status_code < 300, answered.text
                return answered.json()

            await post("/v1/reflections", messages=FAILED, session_id="first", task_type="refund")
            await memory.jobs.work()
            best = (await post("/v1/search", query="Refund order 18", task_type="refund"))["results"][0]["memory"]
            assert (best["kind"], best["outcome"]) == ("experience", "failure")
            await post("/v1/reflections", messages=WORKED, session_id="second", task_type="refund")
            await memory.jobs.work()
            (item,) = (await http.get("/v1/review")).json()["items"]
            rule = item["memory"]["id"]
            assert (await post("/v1/search", query="process_refund", kinds=["strategy"]))["results"] == []
            await post(f"/v1/review/{rule}/approve", reviewer="ann")
            third = await post("/v1/search", query="Give a goodwill credit with process_refund", kinds=["strategy"])
            assert [hit["memory"]["id"] for hit in third["results"]] == [rule]
            await post("/v1/feedback", ids=[rule], outcome="success", task_id="t3")
            shown = (await http.get(f"/v1/strategies/{rule}")).json()
            assert (shown["strategy"]["support"]["uses"], len(shown["supporting"])) == (1, 2)


@ONE
@pytest.mark.requirement("X-11")
@pytest.mark.timeout(300)
async def test_the_three_tasks_through_mcp(empty: Neo4jServer) -> None:
    async with (
        unhurried(AsyncHindsightGraph(empty.url, embedder="hashing", settings=PATIENT)) as memory,
        Client(make_server(memory, longest_call_s=60), mode="legacy") as client,
    ):
        await ask(client, "memory_reflect", messages=FAILED, session_id="first", task_type="refund")
        again = await ask(client, "memory_search", query="Refund order 18", task_type="refund")
        assert again.data["results"][0]["outcome"] == "failure"
        second = await ask(client, "memory_reflect", messages=WORKED, session_id="second", task_type="refund")
        (rule,) = second.data["proposed"]
        await memory.learning.approve(rule["id"], reviewer="ann")
        third = await ask(client, "memory_search", query="Give a goodwill credit with process_refund", kinds="strategy")
        assert [row["id"] for row in third.data["results"]] == [rule["id"]]
