"""Over HTTP the verified caller decides on tenant, agent and what may be called; foreign things answer like missing ones."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from starlette.types import ASGIApp, Receive, Scope, Send

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.mcp.http import mcp_app
from hindsight_graph.api.mcp.table import PROFILES
from hindsight_graph.models.access import KeyScope, Principal
from tests.integration.mcp.answers import ask, refused, said
from tests.integration.mcp.connect import MODES, opened, served

_JOB = re.compile(r"'job_id': '[^']+'")
"""A call that starts a job names a new one each time."""
MISSING = "0198c0de-0000-7000-8000-000000000000"


def calling_as(app: ASGIApp, principal: Principal) -> ASGIApp:
    """Stand where the access middleware stands: leave the verified caller in the scope."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "hindsight_graph.principal": principal}, receive, send)

    return guarded


@asynccontextmanager
async def caller(
    memory: AsyncHindsightGraph, principal: Principal, mode: str = "legacy", profile: str = "default"
) -> AsyncGenerator[Client]:
    async with (
        served(calling_as(mcp_app(memory, profile=profile), principal)) as url,
        Client(f"{url}/mcp", mode=mode) as client,
    ):
        yield client


@pytest.mark.requirement("T-01", "A-02")
@pytest.mark.parametrize("mode", MODES)
async def test_the_tenant_and_the_agent_of_the_key_hold_in_every_call(store_path: Path, mode: str) -> None:
    async with opened(store_path) as memory:
        async with caller(memory, Principal(tenant="one", agent_id="a"), mode) as client:
            kept = await ask(client, "memory_write", content="The port of the ledger is 5433.")
            assert (await ask(client, "memory_status")).data["tenant"] == "one"
        stored = await memory.acting_for(tenant="one").get(kept.data["ids"][0])
        assert stored.agent_id == "a"
        async with caller(memory, Principal(tenant="one", agent_id="b"), mode) as client:
            assert (await ask(client, "memory_search", query="ledger port")).data["results"] == []
        async with caller(memory, Principal(tenant="two"), mode) as client:
            assert (await ask(client, "memory_search", query="ledger port")).data["results"] == []
            assert (await ask(client, "memory_list")).data["memories"] == []


FOREIGN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "update": ("default", "memory_update", {"id": "{id}", "content": "It is mine now."}),
    "confidence": ("default", "memory_update", {"id": "{id}", "confidence": 0.1}),
    "forget": ("default", "memory_forget", {"ids": ["{id}"]}),
    "chain from a memory": ("default", "memory_chain", {"start": "{id}"}),
    "chain from a thing": ("default", "memory_chain", {"start": "{entity}"}),
    "chain to a thing": ("default", "memory_chain", {"start": "own thing", "end": "{entity}"}),
    "search about a thing": ("default", "memory_search", {"query": "port", "entities": "{entity}"}),
    "search in a session": ("default", "memory_search", {"query": "port", "session_id": "{session}"}),
    "working memory": ("default", "memory_search", {"query": "port", "kinds": "working", "session_id": "{session}"}),
    "list of a thing": ("default", "memory_list", {"entities": "{entity}"}),
    "list of a session": ("default", "memory_list", {"session_id": "{session}"}),
    "summary of a thing": ("default", "memory_summarize", {"entity": "{entity}"}),
    "summary of a session": ("default", "memory_summarize", {"session_id": "{session}"}),
    "feedback": ("default", "memory_feedback", {"ids": ["{id}"], "outcome": "success", "task_id": "task of {id}"}),
    "status of a job": ("default", "memory_status", {"job_id": "{job}"}),
    "reflection in a session": (
        "default",
        "memory_reflect",
        {"messages": [{"role": "user", "content": "hello"}], "session_id": "{session}"},
    ),
    "layers: reflection on a memory": ("layers", "memory_reflect", {"episodic_id": "{id}"}),
    "layers: update": ("layers", "memory_update", {"id": "{id}", "content": "It is mine now."}),
    "layers: forget": ("layers", "memory_forget", {"ids": ["{id}"]}),
    "layers: working": ("layers", "memory_query", {"memory_type": "working", "metadata": {"session_id": "{session}"}}),
}
"""Every tool that takes the name of something: another tenant's must be answered as one that names nothing."""


def filled(arguments: Any, names: dict[str, str]) -> Any:
    """Return arguments with the names put in."""
    if isinstance(arguments, str):
        return arguments.format(**names)
    if isinstance(arguments, list):
        return [filled(item, names) for item in arguments]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(arguments, dict):
        return {key: filled(value, names) for key, value in arguments.items()}  # pyright: ignore[reportUnknownVariableType]
    return arguments


@pytest.mark.requirement("T-01")
@pytest.mark.parametrize("case", FOREIGN)
async def test_another_tenants_things_answer_like_missing_ones(store_path: Path, case: str) -> None:
    profile, tool, arguments = FOREIGN[case]
    async with opened(store_path) as memory:
        other = memory.acting_for(tenant="other")
        receipt = await other.remember(
            "The vault uses the ledger.", entities=["vault"], relations=["vault USES ledger"], session_id="s7"
        )
        await other.session("s7").goal("guard the vault")
        await memory.acting_for(tenant="mine").remember("Own thing is here.", entities=["own thing"])
        kept = receipt.memories[0].id
        job = await other.learning.reflect([{"role": "user", "content": "Guard the vault"}], session_id="s7")
        theirs = {"id": kept, "entity": "vault", "session": "s7", "job": job.id}
        nothing = {"id": MISSING, "entity": "attic", "session": "s8", "job": MISSING.replace("8000", "8001")}
        async with caller(memory, Principal(tenant="mine"), profile=profile) as client:
            foreign = said(await client.call_tool(tool, filled(arguments, theirs)))
            missing = said(await client.call_tool(tool, filled(arguments, nothing)))
        put = dict(zip(theirs.values(), nothing.values(), strict=True))

        def same(text: str) -> str:
            for word, instead in put.items():
                text = text.replace(word, instead)
            return text

        assert same(_JOB.sub("", foreign.text)) == _JOB.sub("", missing.text)
        assert same(_JOB.sub("", str(foreign.data))) == _JOB.sub("", str(missing.data))
        assert foreign.failed is missing.failed
        assert (await other.get(kept)).summary == "The vault uses the ledger."
        assert (await other.get(kept)).is_current


@pytest.mark.parametrize("profile", PROFILES)
async def test_each_tool_needs_its_scope(store_path: Path, profile: str) -> None:
    async with opened(store_path) as memory:
        for held in (KeyScope.READ, KeyScope.WRITE, KeyScope.REVIEW):
            async with caller(memory, Principal(tenant="t", scopes=frozenset({held})), profile=profile) as client:
                for entry in PROFILES[profile].tools:
                    if entry.needs is held:
                        continue
                    found = await refused(client, entry.name)
                    assert found.data["error"]["code"] == "forbidden"
                    assert f"needs a key with the scope {entry.needs.value}; this key has {held.value}" in found.text
        assert (await memory.acting_for(tenant="t").status()).stats.memories == 0


async def test_admin_may_call_everything(store_path: Path) -> None:
    admin = Principal(tenant="t", scopes=frozenset({KeyScope.ADMIN}))
    async with opened(store_path) as memory, caller(memory, admin) as client:
        await ask(client, "memory_write", content="The port of the ledger is 5433.")
        assert len((await ask(client, "memory_list")).data["memories"]) == 1
