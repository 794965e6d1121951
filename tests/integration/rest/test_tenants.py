"""Another tenant's id answers exactly like a missing one, at every endpoint there is."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI

from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.models.access import Principal
from hindsight_graph.pipelines.learn.reflect import REFLECT

from .conftest import As
from .test_learning_routes import taught

ID = "0198f0c2-7a3e-7c41-9d1e-2f6b8a90c111"
MISSING = {"memory": ID, "reflection": ID, "strategy": ID, "report": ID,
           "episode": ID, "job": ID, "entity": ID, "merged": ID, "name": "nobody-knows-this",
           "session": "no-such-session", "key": "no-such-key", "cursor": "YWJjZGVmZ2hpamtsbW5v.nothing"}  # fmt: skip
"""What a request may name, and a value of each that is nobody's."""
VARYING = re.compile(r'"milliseconds":\s*[\d.e-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"etag": "[^"]+"')


@dataclass(frozen=True)
class Row:
    """One way to name a thing in a call: its kind, and where it goes in path, query, body or headers (as `{}`)."""

    thing: str
    path: str = ""
    query: dict[str, Any] = field(default_factory=dict[str, Any])
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def filled(self, part: Any, value: str) -> Any:
        """Return a part with the value in its place."""
        if isinstance(part, dict):
            return {name: self.filled(inner, value) for name, inner in part.items()}  # pyright: ignore[reportUnknownVariableType]
        if isinstance(part, list):
            return [self.filled(inner, value) for inner in part]  # pyright: ignore[reportUnknownVariableType]
        return value if part == "{}" else part


KEYED = {"Idempotency-Key": "{}"}
SAID: dict[str, Any] = {"messages": [{"content": "The port is 5433."}]}
TABLE: dict[str, tuple[Row, ...]] = {
    "summarize": (Row("session", body={"session_id": "{}"}), Row("name", body={"entity": "{}"})),
    "writeMemory": (Row("key", body={"text": "The port is 5433."}, headers=KEYED),),
    "writeMemories": (Row("key", body={"memories": [{"text": "The port is 5433."}]}, headers=KEYED),),
    "listMemories": (
        Row("name", query={"entities": "{}"}),
        Row("entity", query={"entities": "{}"}),
        Row("session", query={"session_id": "{}"}),
        Row("cursor", query={"cursor": "{}", "limit": 1}),
    ),
    "forgetMemories": (Row("memory", body={"ids": ["{}"]}),),
    "getMemory": (Row("memory"),),
    "updateMemory": (
        Row("memory", body={"confidence": 0.5}),
        Row("memory", body={"text": "checkout depends on billing"}, headers={"If-Match": '"x"'}),
    ),
    "getHistory": (Row("memory"),),
    "revertMemory": (Row("memory", body={}), Row("memory", body={}, headers={"If-Match": '"x"'})),
    "forgetMemory": (Row("memory"), Row("memory", headers={"If-Match": '"x"'})),
    "search": (
        Row("session", body={"query": "what does checkout depend on?", "session_id": "{}"}),
        Row("name", body={"query": "what does checkout depend on?", "entities": ["{}"]}),
        Row("cursor", body={"query": "what does checkout depend on?", "cursor": "{}"}),
    ),
    "followChains": (
        Row("name", query={"start": "{}"}),
        Row("entity", query={"start": "{}"}),
        Row("entity", query={"start": "{}", "end": "{}"}),
    ),
    "findImpact": (Row("name", query={"name": "{}"}), Row("entity", query={"name": "{}"})),
    "findCauses": (Row("name", query={"name": "{}"}), Row("entity", query={"name": "{}"})),
    "findPaths": (Row("entity", query={"first": "{}", "second": "x"}), Row("name", query={"first": "{}", "second": "x"})),
    "findCycles": (),
    "listEntities": (Row("name", query={"prefix": "{}"}), Row("cursor", query={"cursor": "{}"})),
    "mergeEntities": (
        Row("entity", body={"source": "{}", "target": "x"}),
        Row("name", body={"source": "x", "target": "{}", "force": True}),
    ),
    "splitEntity": (Row("merged", body={"name": "{}"}), Row("name", body={"name": "{}"})),
    "listNeighbours": (Row("entity"), Row("name")),
    "getEntity": (Row("entity"), Row("name"), Row("merged")),
    "retainConversation": (Row("key", body=SAID, headers=KEYED), Row("key", body={**SAID, "defer": True}, headers=KEYED)),
    "retainEpisode": (Row("key", body={"content": "The port is 5433."}, headers=KEYED),),
    "getEpisode": (Row("episode"),),
    "getSessionMarkdown": (Row("session"),),
    "putSession": (Row("session", body={"goal": "Migrate"}),),
    "appendToSession": (Row("session", body=SAID), Row("key", "/v1/sessions/s/messages", body=SAID, headers=KEYED)),
    "endSession": (Row("session", body={}),),
    "getSession": (Row("session"),),
    "listJobs": (Row("cursor", query={"cursor": "{}"}),),
    "getJob": (Row("job"),),
    "cancelJob": (Row("job", body={}),),
    "retryJob": (Row("job", body={}),),
    "writeExperience": (Row("key", body={"context": "a", "lesson": "Check first.", "outcome": "failure"}, headers=KEYED),),
    "listExperiences": (Row("session", query={"session_id": "{}"}), Row("cursor", query={"cursor": "{}"})),
    "startReflection": (),
    "getReflection": (Row("reflection"),),
    "confirmReflection": (Row("reflection", body={}),),
    "giveFeedback": (Row("memory", body={"ids": ["{}"], "outcome": "success"}),),
    "consolidate": (),
    "listStrategies": (Row("cursor", query={"cursor": "{}"}),),
    "getStrategy": (Row("strategy"),),
    "getStrategyHistory": (Row("strategy"),),
    "getReviewQueue": (),
    "approveStrategy": (Row("strategy", body={}),),
    "editStrategy": (Row("strategy", body={"guidance": "Check the order status before any refund."}),),
    "rejectStrategy": (Row("strategy", body={}),),
    "retireStrategy": (Row("strategy", body={}),),
    "undoConsolidation": (Row("report", body={}),),
    "plainReflect": (),
    "health": (),
    "live": (),
    "ready": (),
    "getStatus": (),
    "plainWrite": (Row("key", body={"summary": "The port is 5433."}, headers=KEYED),),
    "plainSearch": (Row("name", body={"query": "checkout", "entities": ["{}"]}),),
    "storeExperience": (Row("key", body={"context": "a", "lesson": "Check the order first."}, headers=KEYED),),
    "retrieveExperiences": (Row("name", body={"query": "checkout", "tags": ["{}"]}),),
}
"""By operation: every way to name somebody else's thing. No row: the call names nothing, and its second test below applies."""


def operations(app: FastAPI) -> dict[str, tuple[str, str]]:
    """Return operation id to method and path, of every endpoint."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    return {one["operationId"]: (way.upper(), path) for path, item in paths.items() for way, one in item.items()}


@pytest.fixture
async def theirs(engine: AsyncHindsightGraph, http: httpx.AsyncClient) -> dict[str, str]:
    """What a tenant has: a value of each kind of thing."""
    strategy = await taught(http, engine)
    (reflection, *_) = [job.id for job in (await engine.jobs.list(kinds=(REFLECT,))).rows]
    for lesson in ("Open the valve before the pump.", "Open the valve before starting the pump."):
        await engine.learning.record(context="start the pump", outcome="failure", lesson=lesson, tools=["start_pump"])
    report = (await engine.learning.consolidate()).report_id
    assert report
    written = await engine.remember(
        "checkout depends on payment-9f3a",
        relations=["checkout DEPENDS_ON payment-9f3a"],
        tags=["payment-9f3a"],
        session_id="their-session",
        idempotency_key="their-key",
    )
    (memory,) = written.memories
    await engine.remember("cash desk uses x", relations=["cash desk USES x"])
    await engine.remember(
        "lesson of payment-9f3a: look first", kind="experience", tags=["payment-9f3a"], session_id="their-session"
    )
    await engine.merge_entities("cash desk", "checkout", force=True)
    await engine.session("their-session").goal("Keep it")
    job = (await engine.retain([{"content": "Deferred."}], defer=True)).job_id
    page = (await http.get("/v1/memories", params={"limit": 1})).json()
    return {
        "memory": memory.id,
        "episode": memory.episode_ids[0],
        "job": str(job),
        "strategy": strategy,
        "reflection": reflection,
        "report": report,
        "entity": (await engine.entity("payment-9f3a")).id,
        "merged": (await engine.entity("cash desk")).id,
        "name": "payment-9f3a",
        "session": "their-session",
        "key": "their-key",
        "cursor": page["cursor"],
    }


async def call(client: httpx.AsyncClient, place: tuple[str, str], row: Row, value: str) -> tuple[int, dict[str, str], str]:
    """Make a call and return its answer without what no two answers share: times, new ids, the named value itself."""
    method, path = place
    answered = await client.request(
        method,
        row.path or re.sub(r"{\w+}", quote(value, safe=""), path),
        params=row.filled(row.query, value),
        json=row.filled(row.body, value),
        headers=row.filled(row.headers, value),
    )
    headers = {name: text for name, text in answered.headers.items() if name not in {"content-length", "etag"}}
    text = answered.text.replace(value, "<it>").replace(value[:24], "<it>")
    named = {name: VARYING.sub("-", text.replace(value, "<it>")) for name, text in headers.items()}
    return answered.status_code, named, VARYING.sub("-", text)


def test_every_endpoint_has_its_rows(app: FastAPI) -> None:
    assert set(operations(app)) == set(TABLE)
    named = {name for name, (_, path) in operations(app).items() if "{" in path}
    assert named <= {name for name, rows in TABLE.items() if rows}


@pytest.mark.requirement("T-01")
async def test_a_foreign_thing_answers_like_a_missing_one_and_its_owner_gets_another_answer(
    app: FastAPI, http: httpx.AsyncClient, theirs: dict[str, str], calling_as: As
) -> None:
    places = operations(app)
    wrong: list[str] = []
    for name, rows in TABLE.items():
        for at, row in enumerate(rows):
            async with (
                calling_as(Principal(tenant=f"a-{name}-{at}")) as one,
                calling_as(Principal(tenant=f"b-{name}-{at}")) as two,
            ):
                foreign = await call(one, places[name], row, theirs[row.thing])
                missing = await call(two, places[name], row, MISSING[row.thing])
            own = await call(http, places[name], row, theirs[row.thing])
            if foreign != missing:
                wrong.append(f"{name} {at} {row.thing}: foreign {foreign}\n  missing {missing}")
            if own == foreign:
                wrong.append(f"{name} {at} {row.thing}: the owner's answer is the same, so this row tests nothing: {own}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.requirement("T-01")
async def test_a_call_that_names_nothing_shows_nothing_of_others(app: FastAPI, theirs: dict[str, str], calling_as: As) -> None:
    for name in [name for name, rows in TABLE.items() if not rows and operations(app)[name][0] == "GET"]:
        async with calling_as(Principal(tenant="one")) as one:
            answered = await one.request(*operations(app)[name])
        assert answered.status_code == 200
        assert not [value for value in (*theirs.values(), "checkout", "cash desk") if value in answered.text]
        if name == "getStatus":
            assert {answered.json()["stats"][count] for count in ("memories", "episodes", "entities")} == {0}
