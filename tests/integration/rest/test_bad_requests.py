"""Bad input: each wrong request gets a problem with a stable code, nothing is written, and no code of ours is shown."""

import json

import httpx
import pytest
from fastapi import FastAPI

from hindsight_graph.api.problem import PROBLEM_MEDIA_TYPE, PROBLEMS
from hindsight_graph.engine import AsyncHindsightGraph

JSON = {"content-type": "application/json"}
DEEP = '{"text": "x", "payload": ' + '{"a": ' * 40 + "1" + "}" * 41
CASES = [
    ("not JSON", b'{"text": ', "malformed-body"),
    ("not UTF-8", b'{"text": "\xff\xfe"}', "malformed-body"),
    ("a hundred thousand brackets", b"[" * 100_000, "malformed-body"),
    ("no object", b"[]", "invalid-input"),
    ("no text", b"{}", "invalid-input"),
    ("blank text", b'{"text": "  "}', "invalid-input"),
    ("a field that is none", b'{"text": "x", "colour": "red"}', "invalid-input"),
    ("a kind that is none", b'{"text": "x", "kind": "rumour"}', "invalid-input"),
    ("a confidence that is none", b'{"text": "x", "confidence": NaN}', "invalid-input"),
    ("a confidence above one", b'{"text": "x", "confidence": 1.5}', "invalid-input"),
    ("a time without a zone", b'{"text": "x", "occurred_at": "2026-05-01T10:00:00"}', "invalid-input"),
    ("a relation that is none", b'{"text": "x", "relations": ["a KNOWS b"]}', "invalid-input"),
    ("a text for a list", b'{"text": "x", "tags": "red"}', "invalid-input"),
    ("a lone surrogate", b'{"text": "\\ud800"}', "invalid-input"),
    ("a control character", b'{"text": "a\\u0000b"}', "invalid-input"),
    ("a lone surrogate in a payload", b'{"text": "x", "payload": {"a": "\\ud800"}}', "invalid-input"),
    ("a time before the year 1 in UTC", b'{"text": "x", "occurred_at": "0001-01-01T00:00:00+14:00"}', "invalid-input"),
    ("a time after the year 9999 in UTC", b'{"text": "x", "occurred_at": "9999-12-31T23:59:59-14:00"}', "invalid-input"),
    ("33 kB of text", json.dumps({"text": "字" * 11_000}).encode(), "invalid-input"),
    ("a payload of 40 levels", DEEP.encode(), "invalid-input"),
    ("a number of 5,000 digits", b'{"text": "x", "payload": {"n": ' + b"1" * 5_000 + b"}}", "malformed-body"),
    ("a name of no letters", b'{"text": "x", "entities": [" "]}', "invalid-input"),
    ("an end before the beginning", b'{"text": "x", "occurred_at": "2026-05-02T00:00:00Z", "valid_to": "2026-05-01T00:00:00Z"}',
     "invalid-input"),
]  # fmt: skip


@pytest.mark.requirement("T-02")
@pytest.mark.parametrize(("body", "code"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
async def test_a_wrong_body_is_refused_with_its_code_and_nothing_is_written(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph, body: bytes, code: str
) -> None:
    answered = await http.post("/v1/memories", content=body, headers=JSON)
    problem = answered.json()
    assert (answered.status_code, problem["code"]) == (PROBLEMS[code].status, code), problem
    assert answered.headers["content-type"] == PROBLEM_MEDIA_TYPE
    assert (problem["status"], problem["type"]) == (answered.status_code, f"urn:hindsight-graph:problem:{code}")
    assert "Traceback" not in answered.text
    assert "site-packages" not in answered.text
    assert "function" not in answered.text
    assert (await engine.status()).stats.episodes == 0


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not-found"),
        ("DELETE", "/v1/search", 405, "method-not-allowed"),
        ("GET", "/v1/memories?limit=0", 422, "invalid-input"),
        ("GET", "/v1/memories?colour=red", 422, "invalid-input"),
        ("GET", "/v1/memories?cursor=nonsense", 422, "cursor-invalid"),
        ("GET", "/v1/chains?start=nobody", 404, "not-found"),
        ("GET", "/v1/chains?start=nobody&max_hops=7", 422, "invalid-input"),
        ("GET", "/v1/chains?start=a&relations=KNOWS", 422, "invalid-input"),
        ("GET", "/v1/entities/%20", 422, "invalid-input"),
        ("GET", "/v1/memories/0198", 404, "not-found"),
    ],
)
async def test_a_wrong_place_or_question_is_a_problem_too(
    http: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    answered = await http.request(method, path)
    assert (answered.status_code, answered.json()["code"]) == (status, code), answered.text


async def test_each_wrong_part_is_named_with_its_place(http: httpx.AsyncClient) -> None:
    answered = await http.post("/v1/search", json={"query": "x", "top_k": 51, "tags": ["ok", 3], "colour": 1})
    errors = {(item["location"], item["pointer"]) for item in answered.json()["errors"]}
    assert errors == {("body", "/top_k"), ("body", "/tags/1"), ("body", "/colour")}


async def test_an_error_nobody_foresaw_shows_nothing_of_the_code(engine: AsyncHindsightGraph, app: FastAPI) -> None:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    await engine.close()
    app.state.service = None
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answered = await client.get("/v1/status")
    assert (answered.status_code, answered.json()["code"]) == (500, "internal")
    assert "NoneType" not in answered.text


async def test_a_store_that_cannot_be_used_is_a_503_that_says_when_to_try_again(
    engine: AsyncHindsightGraph, http: httpx.AsyncClient
) -> None:
    await engine.close()
    answered = await http.post("/v1/memories", json={"text": "The port is 5433."})
    assert (answered.status_code, answered.json()["code"]) == (503, "store-unavailable")
    assert answered.headers["retry-after"] == "1"
    ready = await http.get("/health/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "not ready")
    assert (await http.get("/health/live")).status_code == 200
