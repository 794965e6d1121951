"""The endpoints without a version, with the very requests their documentation prints."""

import json

import httpx
import pytest

WRITE = '{"type":"fact","entities":["Redis","主从"],"summary":"Redis主从配置中master端口6379，slave端口6380","confidence":0.95}'
SEARCH = '{"query":"Redis主从端口配置","top_k":3}'
JSON = {"Content-Type": "application/json"}


@pytest.mark.requirement("A-04")
async def test_the_two_requests_of_the_readme_work_as_printed(http: httpx.AsyncClient) -> None:
    written = await http.post("/memory/write", content=WRITE.encode(), headers=JSON)
    assert written.status_code == 201
    assert set(written.json()) == {"id", "status"}
    assert written.json()["status"] == "active"
    found = await http.post("/memory/search", content=SEARCH.encode(), headers=JSON)
    assert found.status_code == 200
    assert set(found.json()) == {"results", "degraded"}
    (result,) = found.json()["results"]
    assert set(result) == {"id", "type", "summary", "entities", "confidence", "timestamp", "score"}
    assert result["id"] == written.json()["id"]
    assert result["summary"] == json.loads(WRITE)["summary"]
    assert result["entities"] == ["Redis", "主从"]
    assert result["confidence"] == 0.95
    assert result["timestamp"] == "2026-05-01T09:00:00Z"
    assert found.json()["degraded"] is False


@pytest.mark.requirement("A-04")
async def test_an_experience_comes_back_in_its_own_words(http: httpx.AsyncClient) -> None:
    experience = {
        "context": "refund of order 1042",
        "action": "called refund without looking at the order",
        "outcome": "failed: the order was already shipped",
        "lesson": "Check the order status before a refund.",
    }
    stored = await http.post("/memory/store", json=experience)
    assert stored.status_code == 201
    assert set(stored.json()) == {"id"}
    found = await http.post("/memory/retrieve", json={"query": "refund an order"})
    (result,) = found.json()["results"]
    assert set(result) == {"id", "context", "action", "outcome", "lesson", "tags", "weight", "score"}
    assert result["id"] == stored.json()["id"]
    assert {name: result[name] for name in experience} == experience
    kept = (await http.get(f"/v1/memories/{stored.json()['id']}")).json()
    assert (kept["kind"], kept["outcome"]) == ("experience", "failure")


@pytest.mark.requirement("A-04")
async def test_an_experience_is_found_by_the_words_of_its_context(http: httpx.AsyncClient) -> None:
    await http.post("/memory/store", json={"context": "nightly invoice export", "lesson": "Wait for the ledger lock."})
    await http.post("/memory/store", json={"context": "login page", "lesson": "Reload after the cookie expires."})
    found = await http.post("/memory/retrieve", json={"query": "invoice export", "top_k": 1})
    assert [item["lesson"] for item in found.json()["results"]] == ["Wait for the ledger lock."]


@pytest.mark.requirement("M-03")
async def test_a_lesson_longer_than_a_summary_is_kept_whole_and_comes_once(http: httpx.AsyncClient) -> None:
    lesson = "Check the order status before a refund. " + " ".join(
        f"Step {number} is to read page {number}." for number in range(12)
    )
    await http.post("/memory/store", json={"context": "refund", "lesson": lesson.strip()})
    found = await http.post("/memory/retrieve", json={"query": "refund order status", "top_k": 20})
    assert [item["lesson"] for item in found.json()["results"]] == [lesson.strip()]


@pytest.mark.requirement("A-04")
async def test_health_says_ok(http: httpx.AsyncClient) -> None:
    answered = await http.get("/health")
    assert (answered.status_code, answered.json()) == (200, {"status": "ok"})
    assert (await http.get("/health/live")).json() == {"status": "ok"}
    ready = (await http.get("/health/ready")).json()
    assert ready["status"] == "ready"
    assert [check["name"] for check in ready["checks"]] == ["store", "embedder"]


async def test_an_unknown_field_is_refused_and_named(http: httpx.AsyncClient) -> None:
    refused = await http.post("/memory/search", json={"query": "x", "topk": 3})
    assert refused.status_code == 422
    assert refused.json()["detail"] == "topk: there is no such field"
