"""Metrics as a scraper reads them: after known calls the numbers are known."""

import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from hindsight_graph import AsyncHindsightGraph
from hindsight_graph.api.metrics import Metrics, metrics_app
from hindsight_graph.embedding.hashing import HashingEmbedder
from hindsight_graph.errors import NotFoundError
from hindsight_graph.models.record import StoreTotals
from hindsight_graph.settings import Settings
from hindsight_graph.testing.faults import Stall, StallingEmbedder

PATIENT = Settings.model_validate({"recall": {"deadline_ms": 60_000}, "chain": {"deadline_ms": 60_000}})
Numbers = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def numbers(text: str) -> Numbers:
    return {
        (sample.name.removeprefix("hindsight_graph_"), tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scrape(metrics: Metrics, memory: AsyncHindsightGraph) -> Numbers:
    transport = httpx.ASGITransport(metrics_app(metrics, memory.totals))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
        answer = await client.get("/metrics")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert (await client.post("/metrics")).status_code == 405
    return numbers(answer.text)


@pytest.fixture
async def counted(store_url: str) -> AsyncGenerator[tuple[AsyncHindsightGraph, Metrics]]:
    metrics = Metrics()
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=PATIENT, observer=metrics) as memory:
        yield memory, metrics


async def test_calls_are_counted_by_what_became_of_them(counted: tuple[AsyncHindsightGraph, Metrics]) -> None:
    memory, metrics = counted
    first = await memory.remember("The ferry depends on the slipway.", relations=["ferry DEPENDS_ON slipway"])
    await memory.remember("The ferry depends on the slipway.", relations=["ferry DEPENDS_ON slipway"])
    await memory.remember("The slipway is made of oak.", kind="fact")
    await memory.forget(first.memories[0].id)
    assert (await memory.recall("slipway oak")).results
    assert not (await memory.recall("slipway", kinds=["action"])).results
    await memory.chain("ferry")
    with pytest.raises(NotFoundError):
        await memory.update("0198c0de-0000-7000-8000-000000000000", "nothing")
    found = await scrape(metrics, memory)
    assert found["writes_total", (("action", "kept"),)] == 2
    assert found["writes_total", (("action", "merged"),)] == 1
    assert found["writes_total", (("action", "archived"),)] == 1
    assert found["write_seconds_count", (("verb", "remember"),)] == 3
    assert found["write_failures_total", (("error", "NotFoundError"), ("verb", "update"))] == 1
    assert found["recalls_total", (("result", "hit"),)] == 1
    assert found["recalls_total", (("result", "empty"),)] == 1
    assert found["recall_seconds_count", ()] == 2
    assert found["stage_seconds_count", (("stage", "plan"),)] == 2
    assert found["chain_seconds_count", (("verb", "chain"),)] == 1
    assert found["embed_seconds_count", (("of", "question"),)] == 2
    assert found["memories", (("kind", "fact"), ("status", "active"))] == 1
    assert found["memories", (("kind", "fact"), ("status", "archived"))] == 1
    assert found["store_up", ()] == 1
    assert found["conflicts", ()] == 0
    assert found["storage_bytes", ()] > 0
    assert found["storage_free_bytes", (("disk", "store"),)] > 0
    assert found["breaker_state", (("dependency", "store"),)] == 0
    assert not [labels for _, labels in found if "tenant" in dict(labels)]


async def test_degraded_answers_and_the_open_breaker_show(store_url: str) -> None:
    metrics, stall = Metrics(), Stall()
    settings = Settings.model_validate({"recall": {"deadline_ms": 200}})
    embedder = StallingEmbedder(HashingEmbedder(), stall)
    async with AsyncHindsightGraph(store_url, embedder=embedder, settings=settings, observer=metrics) as memory:
        await memory.remember("The ferry is late.")
        stall.close()
        for turn in range(7):
            await memory.recall(f"ferry {turn}")
        stall.open()
        found = await scrape(metrics, memory)
    assert found["degraded_total", (("verb", "recall"),)] == 7
    assert found["stages_degraded_total", (("stage", "embed"),)] == 7
    assert found["embed_failures_total", (("of", "question"),)] == 7
    assert found["breaker_state", (("dependency", "embedder"),)] == 2


async def test_the_tenant_is_a_label_only_where_it_is_asked_for(store_url: str) -> None:
    metrics = Metrics(tenant_label=True)
    async with AsyncHindsightGraph(store_url, embedder="hashing", settings=PATIENT, observer=metrics) as memory:
        await memory.acting_for(tenant="harbour").remember("The ferry is late.")
        await memory.acting_for(tenant="harbour").recall("ferry")
        found = await scrape(metrics, memory)
    assert found["writes_total", (("action", "kept"), ("tenant", "harbour"))] == 1
    assert found["recall_seconds_count", (("tenant", "harbour"),)] == 1


async def test_a_store_that_does_not_answer_leaves_its_numbers_out(counted: tuple[AsyncHindsightGraph, Metrics]) -> None:
    memory, metrics = counted
    await memory.remember("The ferry is late.")
    assert ("memories", (("kind", "fact"), ("status", "active"))) in await scrape(metrics, memory)
    await memory.close()
    found = await scrape(metrics, memory)
    assert found["store_up", ()] == 0
    assert not [name for name, _ in found if name in {"memories", "jobs", "storage_free_bytes"}]


async def nothing() -> StoreTotals:
    return StoreTotals()


@pytest.mark.parametrize("name", ["prometheus/alerts.yml", "grafana/hindsight-graph.json"])
async def test_every_metric_that_rules_and_dashboard_name_exists(project: Path, name: str) -> None:
    exposed = (await Metrics().render(nothing)).decode()
    known = {family.name for family in text_string_to_metric_families(exposed)}
    named = set(re.findall(r"hindsight_graph_[a-z_]+", (project / "deploy" / name).read_text(encoding="utf-8")))
    assert len(named) > 5
    assert {re.sub(r"_(total|bucket|count|sum)$", "", metric) for metric in named} <= known


def test_the_alert_rules_are_whole_and_watch_what_was_promised(project: Path) -> None:
    groups = yaml.safe_load((project / "deploy" / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    rules = {rule["alert"]: rule for group in groups for rule in group["rules"]}
    for rule in rules.values():
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert set(rule["annotations"]) == {"summary", "action"}
        assert rule["expr"].count("(") == rule["expr"].count(")")
    limits = {
        "HindsightWriteLoadHigh": "> 100", "HindsightRecallSlow": "> 0.5", "HindsightHitRateLow": "< 0.6",
        "HindsightExperiencesMany": "> 50000", "HindsightConflictsOpen": "> 10", "HindsightJobsFailing": "> 3",
    }  # fmt: skip
    assert all(limit in rules[name]["expr"] for name, limit in limits.items())
    assert rules["HindsightWriteLoadHigh"]["for"] == "5m"


async def test_the_dashboard_has_a_panel_for_every_metric_of_calls(project: Path) -> None:
    dashboard = json.loads((project / "deploy" / "grafana" / "hindsight-graph.json").read_text(encoding="utf-8"))
    shown = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    metrics = {family.name for family in text_string_to_metric_families((await Metrics().render(nothing)).decode())}
    assert [name for name in sorted(metrics) if name not in shown and not name.endswith("_created")] == []


async def test_the_page_on_metrics_names_each_with_its_labels(project: Path) -> None:
    page = (project / "docs" / "observability.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(hindsight_graph_\w+)` \| ([a-z, ]*?) ?\|", page, re.MULTILINE))
    rendered = (await Metrics().render(nothing)).decode()
    exposed = {family.name: family.type for family in text_string_to_metric_families(rendered)}
    names = {name + ("_total" if kind == "counter" else "") for name, kind in exposed.items() if not name.endswith("_created")}
    assert set(rows) == names
