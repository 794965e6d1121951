"""How a model is asked: the ladder of forms, prompts of one's own, tokens and cost, doctor, who sees raw words, no LLM at all."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from hindsight_graph import AsyncHindsightGraph, HindsightGraph
from hindsight_graph.api.mcp.reading import _job  # pyright: ignore[reportPrivateUsage]
from hindsight_graph.api.metrics import Metrics
from hindsight_graph.api.rest import make_app
from hindsight_graph.errors import ConfigError, LlmError
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.llm.asking import Asker
from hindsight_graph.llm.base import Mode, Prompt
from hindsight_graph.llm.prompts import load_prompts
from hindsight_graph.models.access import KeyScope, Principal
from hindsight_graph.models.record import Job, JobState
from hindsight_graph.observe.observer import NOBODY
from hindsight_graph.readers import make_readers
from hindsight_graph.settings import Settings
from hindsight_graph.testing.patience import patient_settings
from hindsight_graph.testing.recorded_llm import Reply, recorded

Remembering = Callable[..., HindsightGraph]
SAID = [{"role": "user", "content": "checkout depends on payment."}]
STATED = {"message": 1, "text": "checkout depends on payment.", "kind": "fact", "entities": ["checkout"], "relations": []}
FOUND = json.dumps({"statements": [STATED | {"confidence": 0.9}]})


@pytest.mark.requirement("O-07")
def test_an_endpoint_that_refuses_a_form_is_asked_in_a_simpler_one_and_remembered(remembering: Remembering) -> None:
    with recorded(FOUND, refuses=("json_schema", "json_object")) as endpoint:
        memory = remembering(endpoint.url)
        assert memory.retain(SAID).notes == ()
        assert endpoint.forms == ["json_schema", "json_object", "text"]
        memory.retain([{"role": "user", "content": "billing depends on payment."}])
        assert set(endpoint.forms[3:]) == {"text"}
        assert '"maxItems"' in endpoint.asked[-1]["messages"][0]["content"], "the schema stands in the words"


@pytest.mark.requirement("O-07")
def test_a_schema_is_closed_and_bounds_every_string_and_array(remembering: Remembering) -> None:
    with recorded(FOUND) as endpoint:
        remembering(endpoint.url).retain(SAID)
        form = endpoint.asked[0]["response_format"]["json_schema"]
        assert form["strict"] is True
        unbounded: list[str] = []

        def look(node: Any, path: str) -> None:
            if isinstance(node, dict):
                node = cast("dict[str, Any]", node)
                kind = node.get("type")
                if (kind == "string" and not {"maxLength", "enum"} & set(node)) or (kind == "array" and "maxItems" not in node):
                    unbounded.append(path)
                if kind == "object":
                    assert node["additionalProperties"] is False
                    assert set(node["required"]) == set(node["properties"])
                for name, inner in node.items():
                    look(inner, f"{path}.{name}")

        look(form["schema"], "")
        assert unbounded == []


@pytest.mark.requirement("O-07")
async def test_tokens_cost_and_failures_of_the_model_are_counted(tmp_path: Path) -> None:
    metrics = Metrics()
    with recorded(FOUND, Reply(status=401)) as endpoint:
        settings = patient_settings(
            llm_base_url=endpoint.url, llm_model="m", llm={"price_prompt": 10.0, "price_completion": 100.0}
        )
        async with AsyncHindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", settings=settings, observer=metrics) as memory:
            await memory.retain(SAID)
            await memory.retain([{"role": "user", "content": "billing depends on payment."}])
    value = metrics.registry.get_sample_value
    tokens = {"purpose": "extraction", "model": "m"}
    assert value("hindsight_graph_llm_tokens_total", {**tokens, "of": "prompt"}) == 120
    assert value("hindsight_graph_llm_tokens_total", {**tokens, "of": "completion"}) == 30
    assert value("hindsight_graph_llm_cost_total", tokens) == pytest.approx(0.0042)
    assert value("hindsight_graph_llm_failures_total", {"purpose": "extraction", "error": "LlmError"}) == 1
    assert value("hindsight_graph_llm_seconds_count", tokens) == 2


@pytest.mark.requirement("O-07")
def test_without_an_llm_rules_do_the_work_and_doctor_says_so(tmp_path: Path) -> None:
    with HindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", embedder="hashing", settings=patient_settings()) as memory:
        assert memory.retain(SAID).notes == ()
        (found,) = [check for check in memory.doctor() if check.name == "llm"]
        assert (found.ok, found.detail) == (True, "none is configured: rules do all the work, and nothing is sent anywhere")


@pytest.mark.requirement("O-07")
@pytest.mark.requirement("O-06")
def test_doctor_asks_the_model_and_says_what_mends_it(remembering: Remembering) -> None:
    with recorded("yes", Reply(status=401)) as endpoint:
        memory = remembering(endpoint.url)
        (good,) = [check for check in memory.doctor() if check.name == "llm"]
        assert (good.ok, good.detail) == (True, "recorded answers; 120 + 30 tokens counted")
        (bad,) = [check for check in memory.doctor() if check.name == "llm"]
        assert (bad.ok, bad.fix) == (False, "check llm_api_key")
        assert "401" in bad.detail


@pytest.mark.requirement("O-07")
@pytest.mark.parametrize(
    ("given", "fix"),
    [
        ({"llm_base_url": "http://127.0.0.1:9/v1"}, "set LLM_MODEL"),
        ({"llm_model": "m"}, "set LLM_BASE_URL, or LLM_API_KEY for the provider's own"),
    ],
)
def test_half_a_configuration_asks_nobody_and_doctor_tells(tmp_path: Path, given: dict[str, str], fix: str) -> None:
    with HindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", embedder="hashing", settings=patient_settings(**given)) as memory:
        assert memory.retain(SAID).notes == ()
        (found,) = [check for check in memory.doctor() if check.name == "llm"]
        assert (found.ok, found.fix) == (False, fix)


@pytest.mark.requirement("O-07")
def test_an_endpoint_that_nobody_listens_at_leaves_the_rules(remembering: Remembering) -> None:
    memory = remembering("http://127.0.0.1:9/v1")
    receipt = memory.retain(SAID)
    assert [item.summary for item in receipt.memories] == ["checkout depends on payment."]
    assert "cannot be used" in receipt.notes[0]


@pytest.mark.requirement("M-05")
def test_prompts_of_ones_own_take_the_place_of_the_shipped_ones(remembering: Remembering, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "extraction.en.md").write_text("Write down what matters to a harbour master.")
    with recorded(FOUND) as endpoint:
        remembering(endpoint.url, prompts=str(folder)).retain(SAID)
        assert endpoint.asked[0]["messages"][0]["content"] == "Write down what matters to a harbour master."


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [("summary.en.md", "x", "no prompt is named summary.en.md"), ("extraction.en.md", " ", "0 characters"),
     ("reflection.zh.md", "长" * 20_001, "20001 characters")],
)  # fmt: skip
def test_a_wrong_file_of_prompts_is_refused_with_the_reason(tmp_path: Path, name: str, text: str, fault: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=fault):
        load_prompts(str(tmp_path))
    with pytest.raises(ConfigError, match="is no folder"):
        load_prompts(str(tmp_path / "missing"))


@pytest.mark.requirement("M-05")
def test_the_shipped_prompts_carry_good_and_bad_examples_in_both_languages() -> None:
    prompts = load_prompts()
    for purpose in ("extraction", "reflection"):
        assert "Good:" in prompts.of(purpose, "en")
        assert "Bad:" in prompts.of(purpose, "en")
        assert "好：" in prompts.of(purpose, "zh")
        assert "坏：" in prompts.of(purpose, "zh")


@pytest.mark.requirement("T-07")
async def test_only_an_administrator_reads_a_models_raw_words_over_http(tmp_path: Path) -> None:
    with recorded(FOUND) as endpoint:
        settings = patient_settings(llm_base_url=endpoint.url, llm_model="m")
        async with AsyncHindsightGraph(f"sqlite:///{tmp_path / 'm.db'}", settings=settings) as memory:
            await memory.retain(SAID)
            app = make_app(memory, cursor_key=b"a key for these tests")
            for scopes, sees in (({KeyScope.READ}, False), ({KeyScope.ADMIN}, True)):
                principal = Principal(tenant="default", scopes=frozenset(scopes))

                async def verified(scope: Any, receive: Any, send: Any, principal: Principal = principal) -> None:
                    scope["hindsight_graph.principal"] = principal
                    await app(scope, receive, send)

                async with httpx.AsyncClient(transport=httpx.ASGITransport(verified), base_url="http://localhost") as client:
                    (job,) = (await client.get("/v1/jobs")).json()["rows"]
                    one = (await client.get(f"/v1/jobs/{job['id']}")).json()
                assert ("llm" in job["result"], "llm" in one["result"]) == (sees, sees)
                assert one["result"]["kept"] == 1


@pytest.mark.requirement("T-07")
def test_an_agent_never_reads_a_models_raw_words() -> None:
    result = {"kept": 1, "llm": [{"raw": "secret words"}]}
    job = Job(id="j", kind="extract", payload={}, state=JobState.DONE, created_at=datetime(2026, 5, 1, tzinfo=UTC), result=result)
    reply = _job(job)
    assert "secret" not in reply.text
    assert reply.data["result"] == {"kept": 1}


@pytest.mark.requirement("O-07")
async def test_anthropics_api_is_asked_by_a_tool_and_by_words() -> None:
    with recorded('{"lesson": "x"}', "plain words", Reply(status=403)) as endpoint:
        base = endpoint.url.removesuffix("/v1")
        settings = Settings(llm_base_url=base, llm_model="claude", llm_api_key="k", llm={"provider": "anthropic"})  # pyright: ignore[reportArgumentType]
        readers = make_readers(settings, RuleExtractor(), NOBODY)
        (asker,) = readers.askers
        assert isinstance(asker, Asker)
        model = asker._model  # pyright: ignore[reportPrivateUsage]
        schema = {"type": "object", "properties": {"lesson": {"type": "string", "maxLength": 9}}}
        first = await model.complete(Prompt(system="s", turns=(("user", "u"),), json_schema=schema))
        assert (json.loads(first.text), first.prompt_tokens, first.completion_tokens) == ({"lesson": "x"}, 21, 9)
        assert endpoint.asked[0]["tool_choice"] == {"type": "tool", "name": "answer"}
        assert (await model.complete(Prompt(system="s", turns=(("user", "u"),)))).text == "plain words"
        with pytest.raises(LlmError, match="403"):
            await model.complete(Prompt(system="s", turns=(("user", "u"),)))
        with pytest.raises(LlmError, match="json_object"):
            await model.complete(Prompt(system="s", turns=(("user", "u"),), json_schema=schema, mode=Mode.OBJECT))
        await readers.close()
