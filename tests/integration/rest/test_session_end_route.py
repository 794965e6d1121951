"""A session's end over HTTP: what it met is learned from."""

import httpx
import pytest

from hindsight_graph.engine import AsyncHindsightGraph

TURNS = [
    {"role": "user", "content": "Refund order 17"},
    {"role": "tool", "name": "refund", "content": "Error: order 17 is not paid"},
    {"role": "assistant", "content": "I could not refund it."},
]


@pytest.mark.requirement("S-03")
@pytest.mark.requirement("X-03")
async def test_the_end_of_a_session_names_the_job_that_looks_back(http: httpx.AsyncClient, engine: AsyncHindsightGraph) -> None:
    assert (await http.post("/v1/sessions/s1/messages", json={"messages": TURNS})).status_code == 200
    ended = (await http.post("/v1/sessions/s1/end", json={})).json()
    await engine.jobs.work()
    found = (await http.get(f"/v1/reflections/{ended['reflection_id']}")).json()
    assert found["drafts"][0]["experience"]["errors"] == ["Error: order <n> is not paid"]
    (kept,) = (await http.get("/v1/experiences")).json()["rows"]
    assert kept["id"] == found["memory_ids"][0]


@pytest.mark.requirement("X-03")
async def test_a_session_is_ended_without_looking_back_when_the_caller_says_so(http: httpx.AsyncClient) -> None:
    await http.post("/v1/sessions/s1/messages", json={"messages": TURNS})
    ended = (await http.post("/v1/sessions/s1/end", json={"reflect": False})).json()
    assert ended["ended_at"] is not None
    assert ended["reflection_id"] is None
