"""The whole engine on a Neo4j store, through its public face."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import LiteralString, cast

import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.clock import ManualClock
from hindsight_graph.cypher import load, names
from hindsight_graph.errors import ConfigError, MissingExtraError
from hindsight_graph.settings import Settings
from hindsight_graph.testing.neo4j_server import Neo4jServer
from hindsight_graph.testing.patience import patient_settings

STORY = (
    "Checkout depends on the payment service.",
    "The payment service depends on the ledger.",
    "The ledger uses Postgres.",
    "Do not use Redis for the cart, use Memcached.",
    "支付服务依赖账本。",
)
QUESTIONS = ("What does checkout need?", "Which cache should the cart use?", "支付服务依赖什么?")
PATIENT = patient_settings()
"""A server that plans a statement for the first time may take longer than an answer should, on a busy machine."""


def tell(url: str) -> tuple[list[list[str]], list[tuple[str, ...]], list[str]]:
    """Tell the story to a store; return what is recalled, the chains from Checkout, and what breaks with Postgres."""
    clock = ManualClock(datetime(2026, 5, 1, 9, 0, tzinfo=UTC))
    with HindsightGraph(url, embedder="hashing", settings=PATIENT, clock=clock) as memory:
        for text in STORY:
            memory.remember(text)
        memory.update(memory.recall("cart cache", top_k=1).results[0].id, "Use Valkey for the cart.")
        assert all(check.ok for check in memory.doctor())
        recalled = [[hit.summary for hit in memory.recall(question, top_k=3).results] for question in QUESTIONS]
        chains = [path.nodes for path in memory.chain("Checkout").paths]
        impact = sorted({path.nodes[-1] for path in memory.impact("Postgres").paths})
    return recalled, chains, impact


@pytest.mark.requirement("G-06")
@pytest.mark.timeout(300)
def test_recall_chains_and_impact_are_those_of_the_embedded_store(
    empty: Neo4jServer, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    on_neo4j = tell(empty.url)
    assert on_neo4j == tell(f"sqlite:///{tmp_path / 'memory.db'}")
    assert on_neo4j[1][0][:3] == ("Checkout", "payment service", "ledger")
    assert list(recwarn) == []


@pytest.mark.timeout(300)
async def test_two_engines_that_state_values_of_one_slot_at_once_leave_one_current(empty: Neo4jServer) -> None:
    async with (
        AsyncHindsightGraph(empty.url, embedder="hashing", settings=PATIENT) as one,
        AsyncHindsightGraph(empty.url, embedder="hashing", settings=PATIENT) as other,
    ):
        for number in range(6):
            said = [
                engine.remember(f"The owner of gate {number} is {name}.", occurred_at=f"2026-04-0{day}T00:00:00Z")
                for day, (engine, name) in enumerate([(one, "Anna"), (other, "Ben")], 1)
            ]
            await asyncio.gather(*said)
        current = sorted(row.summary for row in (await one.list()).rows)
        assert current == [f"The owner of gate {number} is Ben." for number in range(6)]
        assert all(check.ok for check in await other.doctor())


def test_a_password_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    settings = Settings(neo4j_password_file=str(tmp_path / "secret"))
    with pytest.raises(ConfigError, match=r"neo4j_password_file .*secret cannot be read"):
        HindsightGraph("bolt://localhost", settings=settings)


def test_without_the_driver_the_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        assert name == "neo4j"

    finder: Callable[[str], None] = nothing
    monkeypatch.setattr("hindsight_graph.parts.find_spec", finder)
    with pytest.raises(MissingExtraError, match=r"pip install 'hindsight-graph\[neo4j\]'"):
        HindsightGraph("neo4j://localhost", settings=Settings())


@pytest.mark.requirement("G-06")
@pytest.mark.timeout(300)
async def test_the_saved_queries_show_a_person_what_the_engine_says(empty: Neo4jServer) -> None:
    async with AsyncHindsightGraph(empty.url, embedder="hashing", settings=Settings()) as memory:
        for text in STORY:
            await memory.remember(text, session_id="s1")
        first = (await memory.list()).rows[-1]
        version = await memory.update(first.id, "Checkout depends on the billing service.")
    asked = {"tenant": "default", "name": "payment service", "other": "postgres", "id": first.id, "session_id": "s1"}
    asked |= {"tool": "kubectl", "words": "账本"}

    async def rows(name: str) -> list[dict[str, object]]:
        query = load(f"explore/{name}")
        parameters = {parameter: asked[parameter] for parameter in query.parameters}
        return await empty.run(cast("LiteralString", query.text), **parameters)

    found = {name.split("/")[1]: await rows(name.split("/")[1]) for name in names("explore")}
    assert len(found) == 16
    assert [len(found[name]) for name in ("chain_from", "causes_of", "paths_between")] == [2, 0, 1]
    assert found["hubs"][0]["name"] == "ledger"
    assert len(found["history_of"]) == 2
    assert len(found["session_timeline"]) == len(STORY)
    assert found["tenant_sizes"] == [{"tenant": "default", "memories": len(STORY) + 1, "active": len(STORY)}]
    assert found["find_text"]
    assert version is not None
