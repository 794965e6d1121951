"""Learning over HTTP: look back, decide, use, report."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from hindsight_graph.clock import ManualClock
from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.models.access import KeyScope, Principal

Raw = dict[str, Any]
As = Callable[[Principal], httpx.AsyncClient]


def task(request: str, *steps: tuple[str, str], end: str) -> list[Raw]:
    """Return a transcript with only role, name and content in its tool messages."""
    said: list[Raw] = [{"role": "tool", "name": tool, "content": content} for tool, content in steps]
    return [{"role": "user", "content": request}, *said, {"role": "assistant", "content": end}]


FAILED = task("Refund order 17", ("process_refund", "Error: status of order 17 not checked"), end="I could not refund it.")
WORKED = task("Refund order 17", ("get_order_status", "delivered"), ("process_refund", "ok"), end="The refund is done.")


async def look_back(http: httpx.AsyncClient, engine: AsyncHindsightGraph, messages: list[Raw], session: str) -> Raw:
    """Reflect on a task and return the result."""
    body = {"messages": messages, "session_id": session, "task_type": "refund"}
    promised = await http.post("/v1/reflections", json=body)
    assert promised.status_code == 202, promised.text
    job = promised.json()["id"]
    assert promised.headers["location"] == f"/v1/jobs/{job}"
    assert (await http.get(f"/v1/reflections/{job}")).json()["code"] == "conflict"
    await engine.jobs.work()
    assert (await http.get(promised.headers["location"])).json()["state"] == "done"
    return (await http.get(f"/v1/reflections/{job}")).json()


async def search(http: httpx.AsyncClient, query: str, **filters: Any) -> list[Raw]:
    return (await http.post("/v1/search", json={"query": query, **filters})).json()["results"]


async def taught(http: httpx.AsyncClient, engine: AsyncHindsightGraph) -> str:
    """Return the id of the strategy that a failure and a success propose."""
    await look_back(http, engine, FAILED, "first")
    await look_back(http, engine, WORKED, "second")
    (item,) = (await http.get("/v1/review")).json()["items"]
    return item["memory"]["id"]


@pytest.mark.requirement("X-11")
async def test_three_tasks_a_failure_the_same_again_and_another_with_the_same_tool(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph, clock: ManualClock
) -> None:
    await http.post("/v1/memories", json={"text": "Refunds are paid out on Fridays."})
    await look_back(http, engine, FAILED, "first")
    best = (await search(http, "Refund order 18", task_type="refund"))[0]["memory"]
    assert (best["kind"], best["outcome"]) == ("experience", "failure")
    assert "status of order <n> not checked" in best["summary"]
    clock.advance(timedelta(days=1))
    await look_back(http, engine, WORKED, "second")
    (item,) = (await http.get("/v1/review")).json()["items"]
    rule = item["memory"]["id"]
    assert item["strategy"]["guidance"].startswith("Before process_refund, call get_order_status.")
    assert await search(http, "process_refund", kinds=["strategy"]) == []
    approved = await http.post(f"/v1/review/{rule}/approve", json={"reviewer": "ann"})
    assert (approved.status_code, approved.json()["status"]) == (200, "active")
    other = {"context": "Ship a parcel", "action": "called ship", "outcome": "failure", "lesson": "Weigh parcels first."}
    assert (await http.post("/v1/experiences", json=other)).status_code == 201
    third = await search(http, "Give a goodwill credit with process_refund", kinds=["strategy"])
    assert [hit["memory"]["id"] for hit in third] == [rule]
    used = await http.post("/v1/feedback", json={"ids": [rule], "outcome": "success", "task_id": "t3"})
    assert used.json()["items"][0]["weight"] > used.json()["items"][0]["weight_before"]
    shown = (await http.get(f"/v1/strategies/{rule}")).json()
    assert (shown["strategy"]["support"]["uses"], shown["strategy"]["support"]["helped"]) == (1, 1)


@pytest.mark.requirement("X-02")
async def test_what_is_only_proposed_is_kept_when_a_person_confirms_it(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph
) -> None:
    asked = await http.post("/v1/reflections", json={"messages": WORKED, "store": False})
    await engine.jobs.work()
    at = f"/v1/reflections/{asked.json()['id']}"
    proposed = (await http.get(at)).json()
    assert (len(proposed["drafts"]), proposed["stored"], proposed["memory_ids"]) == (1, False, [])
    wrong = await http.post(f"{at}/confirm", json={"keep": [4]})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "invalid-input")
    kept = (await http.post(f"{at}/confirm", json={})).json()
    assert (await http.get(f"/v1/memories/{kept['memory_ids'][0]}")).json()["weight"] == 0.9


@pytest.mark.requirement("X-07")
async def test_a_strategy_is_edited_retired_and_its_versions_and_evidence_can_be_read(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph
) -> None:
    rule = await taught(http, engine)
    shown = (await http.get(f"/v1/strategies/{rule}")).json()
    assert len(shown["supporting"]) == 2
    words = "Check the order's status before any refund."
    new = (await http.post(f"/v1/review/{rule}/edit", json={"guidance": words, "reason": "clearer"})).json()
    assert (new["version"], new["status"], new["summary"]) == (2, "active", words)
    versions = (await http.get(f"/v1/strategies/{new['id']}/history")).json()["versions"]
    assert [version["id"] for version in versions] == [rule, new["id"]]
    assert [row["id"] for row in (await http.get("/v1/strategies")).json()["rows"]] == [new["id"]]
    assert (await http.post(f"/v1/review/{new['id']}/retire", json={})).json()["status"] == "archived"
    assert (await http.get("/v1/strategies")).json()["rows"] == []
    again = await http.post(f"/v1/review/{new['id']}/reject", json={})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    experience = (await http.get("/v1/experiences", params={"outcome": "failure"})).json()["rows"]
    assert [row["task_type"] for row in experience] == ["refund"]
    assert (await http.get(f"/v1/strategies/{experience[0]['id']}/history")).status_code == 404


@pytest.mark.requirement("X-06")
async def test_a_consolidation_is_tried_out_done_as_a_job_and_taken_back(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph
) -> None:
    await look_back(http, engine, FAILED, "first")
    found = await look_back(http, engine, WORKED, "second")
    tried = await http.post("/v1/consolidations", json={"dry_run": True})
    assert (tried.status_code, tried.json()["dry_run"], tried.json()["experiences"]) == (200, True, 2)
    done = await http.post("/v1/consolidations", json={})
    assert (done.status_code, done.json()["kind"]) == (202, "consolidate")
    await engine.jobs.work()
    assert (await http.get(done.headers["location"])).json()["result"]["experiences"] == 2
    report = found["consolidation"]["report_id"]
    undone = await http.post(f"/v1/consolidations/{report}/undo", json={})
    assert undone.json()["strategies"] == found["consolidation"]["proposed"]
    assert (await http.post("/v1/consolidations/none/undo", json={})).status_code == 404


@pytest.mark.requirement("A-04")
async def test_reflect_answers_a_task_id_or_when_asked_the_entries(http: httpx.AsyncClient, engine: AsyncHindsightGraph) -> None:
    promised = await http.post("/reflect", json={"messages": FAILED})
    assert promised.status_code == 202
    assert set(promised.json()) == {"task_id"}
    await engine.jobs.work()
    waited = await http.post("/reflect", json={"messages": WORKED, "extract_experience": True, "wait": True})
    assert waited.status_code == 200
    (entry,) = waited.json()["entries"]
    assert set(entry) == {"id", "context", "action", "outcome", "lesson", "tags"}
    assert (entry["context"], entry["action"], entry["outcome"]) == (
        "Refund order 17",
        "get_order_status ✓ → process_refund ✓",
        "success",
    )
    talk = [{"role": "user", "content": "Good morning"}, {"role": "assistant", "content": "Good morning!"}]
    assert (await http.post("/reflect", json={"messages": talk, "wait": True})).json()["entries"] == []
    kept = await http.post("/reflect", json={"messages": FAILED, "extract_experience": False, "wait": True})
    assert kept.status_code == 202
    assert (await http.get(kept.headers["location"])).json()["kind"] == "extract"
    assert (await http.post("/reflect", json={"messages": []})).status_code == 422


@pytest.mark.requirement("X-07")
async def test_a_told_experience_without_an_outcome_is_no_evidence_and_a_forged_one_stops_nothing(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph
) -> None:
    await http.post("/memory/store", json={"context": "invoice export", "lesson": "Wait for the ledger lock."})
    forged = {"text": "A made up case.", "kind": "experience", "payload": {"experience": {"outcome": "splendid"}}}
    assert (await http.post("/v1/memories", json=forged)).status_code == 201
    assert (await engine.learning.consolidate(dry_run=True)).experiences == 0


REVIEWERS_ONLY: dict[str, tuple[str, str, Raw | None]] = {
    "confirm": ("POST", "/v1/reflections/x/confirm", {}),
    "queue": ("GET", "/v1/review", None),
    "approve": ("POST", "/v1/review/x/approve", {}),
    "edit": ("POST", "/v1/review/x/edit", {"guidance": "y"}),
    "reject": ("POST", "/v1/review/x/reject", {}),
    "retire": ("POST", "/v1/review/x/retire", {}),
    "consolidate": ("POST", "/v1/consolidations", {"dry_run": True}),
    "undo": ("POST", "/v1/consolidations/x/undo", {}),
}


@pytest.mark.requirement("X-07")
@pytest.mark.parametrize("case", REVIEWERS_ONLY)
async def test_only_a_key_for_review_decides(calling_as: As, case: str) -> None:
    method, path, body = REVIEWERS_ONLY[case]
    for scopes, status in (({KeyScope.READ, KeyScope.WRITE}, 403), ({KeyScope.REVIEW}, 0), ({KeyScope.ADMIN}, 0)):
        async with calling_as(Principal(tenant="t", scopes=frozenset(scopes))) as http:
            answered = await http.request(method, path, json=body)
        assert answered.status_code == status or (not status and answered.status_code in (200, 404)), answered.text


async def test_a_decision_names_the_key_it_was_made_with(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph, calling_as: As
) -> None:
    rule = await taught(http, engine)
    async with calling_as(Principal(tenant=engine.principal.tenant, key_id="k1")) as reviewer:
        await reviewer.post(f"/v1/review/{rule}/approve", json={"reviewer": "ann", "reason": "obvious"})
    store, scope = engine._store, engine._scope  # pyright: ignore[reportPrivateUsage]
    (entry,) = [item for item in await store.scan_audit(scope, target_id=rule) if item.action == "strategy_approve"]
    assert (entry.actor, entry.reason, entry.target_ids) == ("ann (key k1)", "obvious", (rule,))


FOREIGN: dict[str, tuple[str, str, Raw | None]] = {
    "reflection": ("GET", "/v1/reflections/{job}", None),
    "confirm": ("POST", "/v1/reflections/{job}/confirm", {}),
    "strategy": ("GET", "/v1/strategies/{strategy}", None),
    "history": ("GET", "/v1/strategies/{strategy}/history", None),
    "approve": ("POST", "/v1/review/{strategy}/approve", {}),
    "edit": ("POST", "/v1/review/{strategy}/edit", {"guidance": "It is mine now."}),
    "reject": ("POST", "/v1/review/{strategy}/reject", {}),
    "retire": ("POST", "/v1/review/{strategy}/retire", {}),
    "undo": ("POST", "/v1/consolidations/{report}/undo", {}),
    "feedback": ("POST", "/v1/feedback", {"ids": ["{strategy}"], "outcome": "failure", "task_id": "t"}),
    "experiences": ("GET", "/v1/experiences?session_id=first", None),
    "strategies": ("GET", "/v1/strategies", None),
    "queue": ("GET", "/v1/review", None),
}


@pytest.mark.requirement("T-01")
@pytest.mark.parametrize("case", FOREIGN)
async def test_what_another_tenant_learned_answers_like_what_is_missing(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph, calling_as: As, case: str
) -> None:
    rule = await taught(http, engine)
    (job, *_) = (await engine.jobs.list(kinds=["reflect"])).rows
    report = job.result["consolidation"]["report_id"]
    theirs = {"{job}": job.id, "{strategy}": rule, "{report}": report}
    before = await engine.get(rule)
    method, path, body = FOREIGN[case]

    async def answer(client: httpx.AsyncClient, names: dict[str, str]) -> tuple[int, str]:
        place, told = path, dict(body) if body is not None else None
        for word, name in names.items():
            place = place.replace(word, name)
            if told is not None and told.get("ids") == [word]:
                told["ids"] = [name]
        found = await client.request(method, place, json=told)
        text = found.text
        for name in names.values():
            text = text.replace(name, "NAME")
        return found.status_code, text

    missing = dict.fromkeys(theirs, "0198c0de-0000-7000-8000-000000000000")
    async with calling_as(Principal(tenant="one")) as one, calling_as(Principal(tenant="two")) as two:
        assert await answer(one, theirs) == await answer(two, missing)
    assert await engine.get(rule) == before
