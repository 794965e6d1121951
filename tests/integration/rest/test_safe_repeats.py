"""Idempotency keys, ETags and cursors: what makes a service safe to call twice, together, and page by page."""

import asyncio

import httpx
import pytest

from hindsight_graph.engine import AsyncHindsightGraph
from hindsight_graph.models.access import Principal

from .conftest import As

BODY = {"text": "checkout depends on payment", "relations": ["checkout DEPENDS_ON payment"]}
KEY = {"Idempotency-Key": "k-1"}


@pytest.mark.requirement("A-03")
@pytest.mark.parametrize(
    ("path", "body", "other"),
    [
        ("/v1/memories", BODY, {"text": "something else"}),
        ("/v1/memories/batch", {"memories": [BODY]}, {"memories": [{"text": "something else"}]}),
        ("/v1/conversations", {"messages": [{"content": "The port is 5433."}]}, {"messages": [{"content": "It is 5434."}]}),
        ("/v1/conversations", {"messages": [{"content": "The port is 5433."}], "defer": True}, {"messages": [{"content": "x"}]}),
        ("/v1/episodes", {"content": "The port is 5433."}, {"content": "The port is 5434."}),
        ("/v1/sessions/s/messages", {"messages": [{"content": "hello"}]}, {"messages": [{"content": "bye"}]}),
        ("/memory/write", {"summary": "The port is 5433."}, {"summary": "The port is 5434."}),
        ("/memory/store", {"context": "a", "lesson": "Look at the order first."}, {"context": "a", "lesson": "Do not."}),
    ],
)
async def test_the_same_key_gives_the_same_answer_once_and_another_body_is_refused(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph, path: str, body: dict[str, object], other: dict[str, object]
) -> None:
    first = await http.post(path, json=body, headers=KEY)
    assert first.status_code in (200, 201, 202), first.text
    before = (await engine.status()).stats
    again = await http.post(path, json=body, headers=KEY)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers.get("location") == first.headers.get("location")
    refused = await http.post(path, json=other, headers=KEY)
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency-key-reused")
    assert (await engine.status()).stats == before


@pytest.mark.requirement("A-03")
async def test_a_change_is_repeated_by_its_key_even_though_the_memory_is_another_by_then(http: httpx.AsyncClient) -> None:
    kept = (await http.post("/v1/memories", json=BODY)).json()["memories"][0]
    tag = (await http.get(f"/v1/memories/{kept['id']}")).headers["etag"]
    change = {"text": "checkout depends on billing"}
    headers = {**KEY, "If-Match": tag}
    first = await http.patch(f"/v1/memories/{kept['id']}", json=change, headers=headers)
    again = await http.patch(f"/v1/memories/{kept['id']}", json=change, headers=headers)
    assert (first.status_code, again.json()) == (200, first.json())
    back = {"Idempotency-Key": "k-2"}
    reverted = await http.post(f"/v1/memories/{kept['id']}/revert", json={}, headers=back)
    assert (await http.post(f"/v1/memories/{kept['id']}/revert", json={}, headers=back)).json() == reverted.json()
    versions = (await http.get(f"/v1/memories/{kept['id']}/history")).json()["versions"]
    assert [version["version"] for version in versions] == [1, 2, 3]


@pytest.mark.requirement("A-03")
async def test_a_key_whose_request_is_being_worked_on_is_a_409_that_says_when_to_come_back(
    http: httpx.AsyncClient, engine: AsyncHindsightGraph
) -> None:
    async with engine._retain._planning:  # pyright: ignore[reportPrivateUsage]
        both = [asyncio.create_task(http.post("/v1/memories", json=BODY, headers=KEY)) for _ in range(2)]
        (done,), (first,) = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        second = done.result()
        assert (second.status_code, second.json()["code"]) == (409, "idempotency-in-flight")
        assert second.headers["retry-after"] == "1"
    assert (await first).status_code == 201
    assert (await http.post("/v1/memories", json=BODY, headers=KEY)).json() == (await first).json()


@pytest.mark.requirement("A-03")
async def test_an_etag_names_the_state_and_guards_each_change(http: httpx.AsyncClient) -> None:
    kept = (await http.post("/v1/memories", json=BODY)).json()["memories"][0]
    place = f"/v1/memories/{kept['id']}"
    tag = (await http.get(place)).headers["etag"]
    unchanged = await http.get(place, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    changed = await http.patch(place, json={"confidence": 0.4}, headers={"If-Match": tag})
    assert changed.headers["etag"] != tag
    for method, path, body in (
        ("PATCH", place, {"confidence": 0.3}),
        ("POST", f"{place}/revert", {}),
        ("DELETE", place, None),
    ):
        stale = await http.request(method, path, json=body, headers={"If-Match": tag})
        assert (stale.status_code, stale.json()["code"]) == (412, "precondition-failed")
    archived = await http.delete(place, headers={"If-Match": changed.headers["etag"]})
    assert archived.json()["status"] == "archived"


@pytest.mark.requirement("R-08")
async def test_pages_join_to_the_whole_list_and_a_cursor_is_worth_nothing_to_others(
    http: httpx.AsyncClient, calling_as: As
) -> None:
    for number in range(5):
        await http.post("/v1/memories", json={"text": f"Crane {number} moved at dawn", "entities": [f"crane {number}"]})
    seen: list[str] = []
    cursor = None
    while True:
        page = (await http.get("/v1/memories", params={"limit": 2, **({"cursor": cursor} if cursor else {})})).json()
        seen += [row["id"] for row in page["rows"]]
        last, cursor = cursor, page["cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5
    assert last is not None
    for wrong in (last[:-1] + ("A" if last[-1] != "A" else "B"), last[1:], "x" + last, last.partition(".")[2]):
        refused = await http.get("/v1/memories", params={"limit": 2, "cursor": wrong})
        assert (refused.status_code, refused.json()["code"]) == (422, "cursor-invalid")
    async with calling_as(Principal(tenant="other")) as other:
        assert (await other.get("/v1/memories", params={"limit": 2, "cursor": last})).json()["code"] == "cursor-invalid"


@pytest.mark.requirement("R-08")
async def test_a_search_goes_on_where_its_first_page_ended(http: httpx.AsyncClient) -> None:
    for number in range(5):
        await http.post("/v1/memories", json={"text": f"Crane {number} moved at dawn", "entities": [f"crane {number}"]})
    first = (await http.post("/v1/search", json={"query": "crane dawn", "top_k": 3})).json()
    assert first["truncated"]
    second = (await http.post("/v1/search", json={"query": "crane dawn", "top_k": 3, "cursor": first["cursor"]})).json()
    ids = [hit["memory"]["id"] for hit in (*first["results"], *second["results"])]
    assert len(ids) == len(set(ids)) == 5
