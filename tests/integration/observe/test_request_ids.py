"""Each request has an id: in the answer, in the problem, in every log line of its work."""

import io
import json

import httpx
import pytest

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.request_ids import HEADER, RequestIds
from hindsight_graph.api.rest.app import make_app
from hindsight_graph.observe.logs import configure_logging
from hindsight_graph.testing.patience import patient_settings


async def ask(store_url: str, path: str, name: str | None, **body: str) -> tuple[httpx.Response, list[dict[str, object]]]:
    stream = io.StringIO()
    configure_logging("debug", "json", stream=stream)
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=patient_settings()) as memory:
        transport = httpx.ASGITransport(RequestIds(make_app(memory)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            headers = {} if name is None else {HEADER: name}
            answer = await client.request("POST" if body else "GET", path, headers=headers, json=body or None)
    configure_logging()
    return answer, [json.loads(line) for line in stream.getvalue().splitlines()]


async def test_a_sane_id_of_the_caller_is_taken_over(store_url: str) -> None:
    answer, lines = await ask(store_url, "/v1/search", "deploy-7.step_2", query="ferry")
    assert answer.status_code == 200
    assert answer.headers[HEADER] == "deploy-7.step_2"
    stages = [line["stage"] for line in lines if line["message"] == "recall stage"]
    assert stages[0] == "embed"
    assert {line.get("request_id") for line in lines} == {"deploy-7.step_2"}
    last = lines[-1]
    assert (last["logger"], last["message"], last["method"], last["status"]) == (
        "hindsight_graph.requests", "request", "POST", 200,
    )  # fmt: skip


@pytest.mark.parametrize("name", [None, "", "two words", "x" * 65, "a\tb", "<script>"])
async def test_any_other_gets_a_new_one(store_url: str, name: str | None) -> None:
    answer, _ = await ask(store_url, "/health/live", name)
    assert len(answer.headers[HEADER]) == 32
    assert answer.headers[HEADER] != name


async def test_a_problem_names_its_request(store_url: str) -> None:
    answer, lines = await ask(store_url, "/v1/memories/0198c0de-0000-7000-8000-000000000000", "lost-1")
    assert answer.status_code == 404
    assert answer.json()["request_id"] == "lost-1"
    assert lines[-1]["route"] == "/v1/memories/{memory_id}"
