"""What a running `hindsight-graph serve` shows: the printed requests, MCP beside and apart, metrics, keys, jobs, a warm start."""

import json
import shutil
import subprocess
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from hindsight_graph import HindsightGraph
from hindsight_graph.client import Client
from hindsight_graph.errors import ForbiddenError, ServiceError
from hindsight_graph.models.access import KeyScope

from .test_plain_endpoints import SEARCH, WRITE
from .test_serve_process import serving

LISTED: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def tools(url: str, **headers: str) -> httpx.Response:
    return httpx.post(f"{url}/mcp", json=LISTED, headers={**MCP, **headers})


@pytest.mark.requirement("A-04")
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_both_curl_commands_work_as_printed(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        for path, body in (("write", WRITE), ("search", SEARCH)):
            line = f"curl -s -X POST localhost:8712/memory/{path} -H 'Content-Type: application/json' -d '{body}'"
            done = subprocess.run(
                line.replace("localhost:8712", f"localhost:{service.port}"), shell=True, capture_output=True, check=True
            )
            answer: dict[str, Any] = json.loads(done.stdout)
            if path == "write":
                assert answer == {"id": answer["id"], "status": "active"}
            else:
                assert [found["summary"] for found in answer["results"]] == [json.loads(WRITE)["summary"]]
                assert answer["degraded"] is False


@pytest.mark.requirement("A-02")
@pytest.mark.requirement("O-04")
def test_one_port_serves_rest_the_tools_and_the_metrics_and_two_ports_serve_them_apart(tmp_path: Path) -> None:
    with serving(tmp_path) as service, Client(service.url) as client:
        names = {tool["name"] for tool in tools(service.url).json()["result"]["tools"]}
        assert {"memory_write", "memory_search", "memory_chain", "memory_status"} <= names
        client.remember("The ledger runs on port 5433.")
        client.recall("Which port has the ledger?")
        shown = httpx.get(f"{service.url}/metrics").text
        assert 'hindsight_graph_recalls_total{result="hit"} 1.0' in shown
        assert 'hindsight_graph_memories{kind="fact",status="active"} 1.0' in shown
        assert "default" not in [line.partition("tenant=")[2].strip('"} 1.0') for line in shown.splitlines()]
    with serving(tmp_path, "--mcp-port", "0") as service:
        ports = [int(line.rsplit(" ", 1)[1]) for line in service.lines if "Server started on port" in line]
        assert len(set(ports)) == 2
        assert httpx.get(f"http://127.0.0.1:{ports[0]}/health").json() == {"status": "ok"}
        assert tools(f"http://127.0.0.1:{ports[0]}").status_code == 404
        assert {tool["name"] for tool in tools(f"http://127.0.0.1:{ports[1]}").json()["result"]["tools"]} == names


@pytest.mark.requirement("T-02")
@pytest.mark.requirement("T-01")
def test_a_key_opens_what_its_scopes_and_tenant_allow_on_both_faces(tmp_path: Path) -> None:
    with HindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        all_of_it = memory.keys.create("writer", scopes=(KeyScope.READ, KeyScope.WRITE)).token
        look = memory.keys.create("reader", scopes=(KeyScope.READ,)).token
        everything = memory.keys.create("operator", scopes=(KeyScope.ADMIN,)).token
        gone = memory.keys.create("gone", scopes=(KeyScope.READ,))
        memory.keys.revoke(gone.key.id)
    with serving(tmp_path) as service:
        for token in (None, "nonsense", gone.token):
            with Client(service.url, api_key=token) as client, pytest.raises((ServiceError, ForbiddenError)) as refused:
                client.status()
            assert "key" in str(refused.value)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            assert httpx.get(f"{service.url}/v1/status", headers=headers).status_code == 401
            assert tools(service.url, **headers).status_code == 401
        with Client(service.url, api_key=all_of_it) as writer, Client(service.url, api_key=look) as reader:
            kept = writer.remember("The ledger runs on port 5433.").memories[0]
            assert reader.get(kept.id) == kept
            with pytest.raises(ForbiddenError, match="write"):
                reader.remember("The ledger runs on port 5434.")
        assert tools(service.url, Authorization=f"Bearer {look}").status_code == 200
        for token, status in ((all_of_it, 403), (everything, 200)):
            assert httpx.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == status
        assert httpx.get(f"{service.url}/health").status_code == 200


@pytest.mark.requirement("O-05")
@pytest.mark.requirement("L-04")
def test_jobs_end_are_cancelled_and_tried_again_and_a_session_is_summed_up(tmp_path: Path) -> None:
    with serving(tmp_path) as service, Client(service.url) as client:
        said = [{"content": "The ledger runs on port 5433."}, {"content": "Lea owns the ledger."}]
        receipt = client.retain(said, session_id="s", defer=True)
        place = f"{service.url}/v1/jobs/{receipt.job_id}"
        ends = monotonic() + 60
        while (job := httpx.get(place).json())["state"] != "done":
            assert monotonic() < ends, job
        assert [one["id"] for one in httpx.get(f"{service.url}/v1/jobs").json()["rows"]] == [receipt.job_id]
        for verb in ("cancel", "retry"):
            refused = httpx.post(f"{place}/{verb}", json={"reason": "too late"})
            assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
        summary = client.summarize(session_id="s")
        assert {sentence.text for sentence in summary.sentences} == {one["content"] for one in said}


@pytest.mark.requirement("R-05")
def test_the_first_search_of_a_cold_service_is_whole(tmp_path: Path) -> None:
    with HindsightGraph(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        memory.remember_many(
            [{"text": f"Crane {number} moved at dawn", "entities": [f"crane {number}"]} for number in range(2_000)]
        )
        expected = [hit.id for hit in memory.recall("crane 1042 dawn", deadline_ms=60_000).results]
    with serving(tmp_path) as service, Client(service.url) as client:
        answer = client.recall("crane 1042 dawn")
    assert (answer.degraded, [hit.id for hit in answer.results]) == (False, expected)
