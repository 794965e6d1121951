"""The gates around a served face: hosts, origins, sizes, rates, load, and where it may listen."""

import asyncio
import string
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.access import AccessPolicy, check_bind, is_loopback, protect
from hindsight_graph.api.access.asgi import Message, Receive, Scope, Send
from hindsight_graph.api.access.hosts import parse_host
from hindsight_graph.errors import ConfigError
from hindsight_graph.settings import AccessSettings, Settings
from tests.integration.access.conftest import Guarded, whoami

Read = Callable[[httpx.Response], tuple[int, str]]
pytestmark = pytest.mark.requirement("T-02")


@pytest.mark.parametrize(
    ("host", "is_served"),
    [
        ("127.0.0.1:8712", True), ("localhost", True), ("LOCALHOST:8712", True), ("app.localhost:1", True), ("[::1]:8712", True),
        ("192.168.1.5:8712", True), ("localhost.", True), ("memory.example.com", True), ("a.lab.example.com", True),
        ("evil.example", False), ("lab.example.com", False), ("localhost.evil.example", False), ("127.0.0.1.evil.example", False),
        ("localhost:8712:1", False), ("local host", False), ("", False), ("localhost@evil.example", False), ("[::1", False),
        ("localhost:x", False), ("a" * 300, False), ("汉.localhost", False),
    ],
)  # fmt: skip
async def test_only_addresses_localhost_and_listed_names_are_served(
    guarded: Guarded, problem: Read, host: str, is_served: bool
) -> None:
    async with guarded.client(hosts=frozenset({"memory.example.com", "*.lab.example.com"})) as client:
        answer = await client.get("/x", headers=[(b"host", host.encode())])
    assert answer.status_code == 200 if is_served else problem(answer) == (421, "misdirected")


async def test_a_page_that_rebinds_its_name_is_refused_before_anything_is_looked_up(guarded: Guarded, problem: Read) -> None:
    async with guarded.client(base_url="http://rebound.example:8712") as client:
        answer = await client.post("/v1/memories", json={}, headers={"Origin": "http://rebound.example:8712"})
    assert problem(answer) == (421, "misdirected")
    assert "host 'rebound.example:8712' is not served here" in answer.json()["detail"]


async def test_a_request_with_two_hosts_or_none_is_refused(guarded: Guarded) -> None:
    for hosts in ([], [b"localhost", b"localhost"]):
        sent = await call(protect(whoami, guarded.memory, AccessPolicy(keyless=True)), [(b"host", host) for host in hosts])
        assert sent[0]["status"] == 421


@pytest.mark.parametrize(
    ("origin", "is_served"),
    [
        ("http://127.0.0.1:8712", True), ("https://127.0.0.1:8712", True), ("https://app.example.com", True),
        ("HTTPS://APP.example.com", True), ("chrome-extension://abc", True),
        ("http://localhost:8712", False), ("http://127.0.0.1:3000", False), ("null", False), ("https://evil.example", False),
        ("file://127.0.0.1:8712", False), ("http://[", False), ("", False), ("https://app.example.com.evil.example", False),
    ],
)  # fmt: skip
async def test_pages_from_elsewhere_may_not_call(guarded: Guarded, problem: Read, origin: str, is_served: bool) -> None:
    origins = frozenset({"https://app.example.com", "chrome-extension://abc"})
    async with guarded.client(origins=origins) as client:
        answer = await client.post("/x", headers={"Origin": origin})
    assert answer.status_code == 200 if is_served else problem(answer) == (403, "origin-refused")


async def test_one_bad_origin_among_many_is_enough(guarded: Guarded, problem: Read) -> None:
    origins = [("Origin", "http://127.0.0.1:8712")] * 50 + [("Origin", "https://evil.example")]
    async with guarded.client() as client:
        assert problem(await client.get("/x", headers=origins)) == (403, "origin-refused")


async def test_an_allowed_page_may_ask_first_and_read_the_answer(guarded: Guarded) -> None:
    await guarded.memory.keys.create("any")
    page = {"Origin": "https://app.example.com"}
    asking = {**page, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    async with guarded.client(origins=frozenset({"https://app.example.com"})) as client:
        asked = await client.options("/x", headers=asking)
        assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (200, "https://app.example.com")
        refused = await client.get("/x", headers=page)
        assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, "https://app.example.com")


@pytest.mark.parametrize("size", [0, 1, 1000])
async def test_a_body_up_to_the_bound_is_handed_on_whole(guarded: Guarded, size: int) -> None:
    async with guarded.client(max_body_bytes=1000) as client:
        for body in (b"x" * size, chunks([b"x" * (size // 2), b"", b"x" * (size - size // 2)])):
            assert (await client.post("/x", content=body)).json()["size"] == size


async def chunks(parts: list[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def test_a_larger_body_is_refused_with_or_without_its_length(guarded: Guarded, problem: Read) -> None:
    reached: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(1)

    async with guarded.client(app, max_body_bytes=1000) as client:
        for body in (b"x" * 1001, chunks([b"x" * 600, b"x" * 401])):
            answer = await client.post("/x", content=body)
            assert problem(answer) == (413, "body-too-large")
            assert answer.headers["connection"] == "close"
        for length in ("1001", "9" * 400, "-1", "1e3", "١"):
            answer = await client.post("/x", headers=[(b"content-length", length.encode())])
            assert problem(answer)[0] in (400, 413)
    assert reached == []


async def test_the_bound_is_one_mebibyte_unless_set(guarded: Guarded, problem: Read) -> None:
    async with guarded.client() as client:
        assert (await client.post("/x", content=b"x" * 1_048_576)).json()["size"] == 1_048_576
        assert problem(await client.post("/x", content=b"x" * 1_048_577)) == (413, "body-too-large")


async def test_a_compressed_body_is_refused_before_it_is_read(guarded: Guarded, problem: Read) -> None:
    async with guarded.client() as client:
        for encoding in ("gzip", "identity, br", "GZIP"):
            answer = await client.post("/x", content=b"{}", headers={"content-encoding": encoding})
            assert problem(answer) == (415, "encoding-unsupported")
        assert (await client.post("/x", content=b"{}", headers={"content-encoding": "identity"})).json()["size"] == 2


async def test_a_body_that_does_not_arrive_is_given_up(guarded: Guarded) -> None:
    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    app = protect(whoami, guarded.memory, AccessPolicy(keyless=True, body_seconds=0))
    sent = await call(app, [(b"host", b"localhost")], never)
    assert sent[0]["status"] == 408


async def test_a_caller_that_leaves_before_its_body_gets_no_answer(guarded: Guarded) -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    assert await call(protect(whoami, guarded.memory, AccessPolicy(keyless=True)), [(b"host", b"localhost")], gone) == []


async def test_one_key_is_held_to_its_rate_and_told_when_to_come_back(guarded: Guarded, problem: Read) -> None:
    one, two = [await guarded.memory.keys.create(name) for name in ("one", "two")]
    async with guarded.client(requests_per_minute=3) as client:
        for _ in range(3):
            assert (await client.get("/x", headers={"X-API-Key": one.token})).status_code == 200
        answer = await client.get("/x", headers={"X-API-Key": one.token})
        assert problem(answer) == (429, "rate-limited")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert (await client.get("/x", headers={"X-API-Key": two.token})).status_code == 200


async def test_no_bound_on_the_rate_means_none(guarded: Guarded) -> None:
    async with guarded.client(requests_per_minute=0) as client:
        assert {(await client.get("/x")).status_code for _ in range(50)} == {200}


async def test_more_requests_at_once_than_allowed_are_sent_away_and_later_ones_served(guarded: Guarded, problem: Read) -> None:
    gate, inside = asyncio.Event(), asyncio.Semaphore(0)

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        inside.release()
        await gate.wait()
        await whoami(scope, receive, send)

    async with guarded.client(slow, max_concurrent=2) as client:
        held = [asyncio.create_task(client.get("/x")) for _ in range(2)]
        for _ in held:
            await inside.acquire()
        away = await client.get("/x")
        assert problem(away) == (503, "overloaded")
        assert away.headers["retry-after"] == "1"
        gate.set()
        assert [answer.status_code for answer in await asyncio.gather(*held)] == [200, 200]
        assert (await client.get("/x")).status_code == 200


async def test_an_application_that_fails_frees_its_place(guarded: Guarded) -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("odd")

    async with guarded.client(fails, max_concurrent=1) as client:
        for _ in range(3):
            with pytest.raises(RuntimeError, match="odd"):
                await client.get("/x")


async def test_probes_need_no_key_no_name_and_wait_in_no_queue(guarded: Guarded) -> None:
    async with guarded.client(keyless=False, max_concurrent=0, base_url="http://10-0-0-7.pod.cluster") as client:
        for path in ("/health", "/health/live", "/health/ready"):
            assert (await client.get(path)).json()["principal"] is None
        assert (await client.get("/health/")).status_code == 421


async def test_a_store_that_is_away_answers_503_and_not_401(guarded: Guarded, problem: Read) -> None:
    made = await guarded.memory.keys.create("one")
    async with guarded.client() as client:
        await guarded.memory.close()
        answer = await client.get("/x", headers={"X-API-Key": made.token})
    assert problem(answer) == (503, "store-unavailable")


async def test_what_is_no_request_passes_and_a_web_socket_is_closed(guarded: Guarded) -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    front, sent = protect(app, guarded.memory, AccessPolicy()), list[Message]()

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await front({"type": "lifespan"}, receive, send)
    await front({"type": "websocket", "path": "/health", "headers": []}, receive, send)
    assert (seen, sent) == (["lifespan"], [{"type": "websocket.close", "code": 1008}])


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("localhost", True), ("0.0.0.0", False),
        ("::", False), ("", False), ("192.168.0.1", False), ("no such name.invalid", False), ("\ud800", False),
    ],
)  # fmt: skip
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


async def test_listening_beyond_loopback_needs_a_key_or_the_setting(guarded: Guarded) -> None:
    await check_bind(guarded.memory, "127.0.0.1")
    for host in ("0.0.0.0", "", "192.168.0.1"):
        with pytest.raises(ConfigError, match=r"refusing to listen on .*: no key exists.*hindsight-graph keys create"):
            await check_bind(guarded.memory, host)
    await guarded.memory.keys.create("first")
    await check_bind(guarded.memory, "0.0.0.0")
    allowed = Settings(access=AccessSettings(allow_keyless=True))
    async with AsyncHindsightGraph("sqlite:///:memory:", embedder="hashing", settings=allowed) as other:
        await check_bind(other, "0.0.0.0")


def test_the_policy_is_made_of_the_settings_and_where_it_listens() -> None:
    settings = AccessSettings.model_validate(
        {"allowed_hosts": " Memory.example.com, *.lab.example.com,", "allowed_origins": ["https://App.example.com/"]}
    )
    local = AccessPolicy.of(settings, "127.0.0.1", open_paths=["/"])
    assert (local.keyless, AccessPolicy.of(settings, "0.0.0.0").keyless) == (True, False)
    assert AccessPolicy.of(settings.model_copy(update={"allow_keyless": True}), "0.0.0.0").keyless
    assert local.hosts == {"memory.example.com", "*.lab.example.com"}
    assert local.origins == {"https://app.example.com"}
    assert local.open_paths == {"/", "/health", "/health/live", "/health/ready"}
    assert (local.max_body_bytes, local.requests_per_minute, local.max_concurrent) == (1_048_576, 3000, 100)


async def call(app: Any, headers: list[tuple[bytes, bytes]], receive: Receive | None = None) -> list[Message]:
    """Call an application without a client between: what it sent."""
    sent: list[Message] = []

    async def empty() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/x", "headers": headers, "client": ("127.0.0.1", 1)}
    await app(scope, receive or empty, send)
    return sent


_VALUE = st.binary(max_size=40) | st.binary(min_size=4000, max_size=5000) | st.text(string.printable, max_size=40).map(str.encode)
_NAME = st.sampled_from(
    [b"host", b"origin", b"authorization", b"x-api-key", b"content-length", b"transfer-encoding", b"X-API-KEY", b"\x00"]
)


@given(headers=st.lists(st.tuples(_NAME, _VALUE), max_size=12), body=st.binary(max_size=200))
def test_whatever_the_headers_hold_the_answer_is_a_problem_or_the_applications(
    headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    class Nothing:
        """Keys of a store that has some, none of which is ever shown."""

        async def verify(self, token: str) -> None:
            assert token.isprintable() or len(token) <= 200

        async def any_made(self) -> bool:
            return False

    class Engine:
        keys = Nothing()
        principal = AsyncHindsightGraph("sqlite:///:memory:", embedder="hashing", settings=Settings()).principal

    policy = AccessPolicy(keyless=True, max_body_bytes=100, requests_per_minute=0)

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    sent = asyncio.run(call(protect(whoami, Engine(), policy), headers, receive))  # pyright: ignore[reportArgumentType]
    status = sent[0]["status"]
    assert status in {200, 400, 401, 403, 413, 415, 421}
    assert len(sent) == 2
    for name, value in sent[0]["headers"]:
        assert not set(name + value) & set(b"\r\n\x00")


@given(st.text(max_size=300))
def test_a_host_header_is_read_or_refused_and_never_half_read(text: str) -> None:
    found = parse_host(text)
    if found is not None:
        name, port = found
        assert not set(name) & set(" /@?#\\\r\n\t%")
        assert port == "" or (port.isascii() and port.isdecimal())
