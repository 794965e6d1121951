"""API keys: made once shown once, recognised in constant words, revoked at once."""

import hashlib
from collections.abc import Callable
from datetime import timedelta

import httpx
import pytest

from hindsight_graph.errors import InputError, NotFoundError
from hindsight_graph.models.access import KeyScope
from tests.integration.access.conftest import Guarded

Read = Callable[[httpx.Response], tuple[int, str]]
pytestmark = pytest.mark.requirement("T-02")


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_a_key_carries_its_tenant_agent_and_scopes_into_the_request(guarded: Guarded) -> None:
    made = await guarded.memory.acting_for(tenant="acme", agent_id="planner").keys.create("CI", scopes=["read"])
    async with guarded.client() as client:
        for headers in (bearer(made.token), {"X-API-Key": made.token}, {"authorization": f"bearer  {made.token} "}):
            answer = await client.post("/v1/search", headers=headers, content=b"12345")
            assert answer.json() == {
                "principal": {"tenant": "acme", "agent_id": "planner", "scopes": ["read"], "key_id": made.key.id}, "size": 5,
            }  # fmt: skip


async def test_the_store_holds_the_hash_of_256_random_bits_and_no_secret(guarded: Guarded) -> None:
    made = await guarded.memory.keys.create("laptop")
    prefix, key_id, secret = made.token.split("_", 2)
    assert (prefix, key_id, len(key_id), len(secret)) == ("hg", made.key.id, 16, 43)
    (stored,) = await guarded.memory.keys.list()
    assert stored == made.key
    assert stored.secret_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert stored.scopes == {KeyScope.READ, KeyScope.WRITE}
    assert secret not in repr(made)
    other = await guarded.memory.keys.create("laptop")
    assert other.token.split("_", 2)[2] != secret


async def test_every_key_that_opens_nothing_is_answered_alike(guarded: Guarded, problem: Read) -> None:
    keys = guarded.memory.keys
    good, revoked = await keys.create("good"), await keys.create("revoked")
    expiring = await keys.create("expiring", expires_at=guarded.clock.now() + timedelta(hours=1))
    await keys.revoke(revoked.key.id)
    guarded.clock.advance(timedelta(hours=1))
    wrong = good.token[:-1] + ("A" if good.token[-1] != "A" else "B")
    unknown = f"hg_{'a' * 16}_{good.token.split('_', 2)[2]}"
    refused = [
        {}, bearer(""), bearer(wrong), bearer(unknown), bearer(revoked.token), bearer(expiring.token), bearer("x" * 5000),
        bearer(good.token.upper()), bearer(good.token + "="), bearer("hg__"), {"Authorization": good.token},
        {"Authorization": f"Basic {good.token}"}, {"X-API-Key": wrong}, {"X-API-Key": "汉".encode()},
        {"Authorization": "Bearer", "X-API-Key": good.token},
    ]  # fmt: skip
    async with guarded.client() as client:
        answers = [await client.get("/v1/status", headers=headers) for headers in refused]  # pyright: ignore[reportArgumentType]
        twice = await client.get("/v1/status", headers=[("Authorization", f"Bearer {good.token}")] * 2)
        assert (await client.get("/v1/status", headers=bearer(good.token))).status_code == 200
    for answer in (*answers, twice):
        assert problem(answer) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.content == answers[0].content


async def test_callers_without_a_key_are_the_operator_until_the_first_key_is_made(guarded: Guarded, problem: Read) -> None:
    async with guarded.client() as open_door, guarded.client(keyless=False) as closed_door:
        principal = (await open_door.get("/x")).json()["principal"]
        assert (principal["tenant"], principal["key_id"], sorted(principal["scopes"])) == (
            "default", None, ["admin", "read", "review", "write"],
        )  # fmt: skip
        assert problem(await closed_door.get("/x")) == (401, "unauthenticated")
        made = await guarded.memory.acting_for(tenant="elsewhere").keys.create("first")
        assert problem(await open_door.get("/x")) == (401, "unauthenticated")
        await guarded.memory.acting_for(tenant="elsewhere").keys.revoke(made.key.id)
        assert problem(await open_door.get("/x")) == (401, "unauthenticated")


@pytest.mark.requirement("T-01")
async def test_a_key_of_another_tenant_is_a_missing_one(guarded: Guarded) -> None:
    made = await guarded.memory.keys.create("mine")
    other = guarded.memory.acting_for(tenant="other").keys
    assert await other.list() == ()
    for key_id in (made.key.id, "nothing"):
        with pytest.raises(NotFoundError, match=f"no key {key_id}"):
            await other.revoke(key_id)
    assert await other.list(everywhere=True) == (made.key,)


async def test_making_and_revoking_keys_is_audited_without_the_secret(guarded: Guarded) -> None:
    keys = guarded.memory.keys
    made = await keys.create("laptop", scopes=["read", "review"])
    first = await keys.revoke(made.key.id, reason="lost")
    guarded.clock.advance(timedelta(minutes=1))
    assert await keys.revoke(made.key.id) == first
    entries = await guarded.memory._store.scan_audit(guarded.memory._scope, target_id=made.key.id)  # pyright: ignore[reportPrivateUsage]
    assert [(entry.action, entry.actor, entry.reason) for entry in reversed(entries)] == [
        ("key_create", "operator", ""), ("key_revoke", "operator", "lost"),
    ]  # fmt: skip
    assert entries[-1].detail == {"name": "laptop", "scopes": ["read", "review"], "agent_id": None}


async def test_a_key_that_makes_no_sense_is_not_made(guarded: Guarded) -> None:
    keys = guarded.memory.keys
    with pytest.raises(InputError, match=r"unknown scope 'root' \(one of read, write, review, admin\)"):
        await keys.create("x", scopes=["root"])
    with pytest.raises(InputError, match="a key without a scope opens nothing"):
        await keys.create("x", scopes=[])
    with pytest.raises(InputError, match="a key needs a name"):
        await keys.create("  ")
    with pytest.raises(InputError, match=r"expires_at 2026-05-01T09:00:00\+00:00 is over"):
        await keys.create("x", expires_at=guarded.clock.now())
    assert not await keys.any_made()
