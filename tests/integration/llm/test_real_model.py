"""The wire, against a real OpenAI-compatible server with a small local model: what it says is nonsense."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from hindsight_graph import HindsightGraph
from hindsight_graph.errors import LlmError, LlmFormError
from hindsight_graph.llm.asking import Asker
from hindsight_graph.llm.base import Mode, Prompt
from hindsight_graph.llm.openai import OpenAIChat
from hindsight_graph.observe.observer import NOBODY
from hindsight_graph.resilience.guard import llm_guard

pytestmark = [pytest.mark.llm, pytest.mark.requirement("O-07"), pytest.mark.timeout(600)]
Remembering = Callable[..., HindsightGraph]


class Colours(BaseModel):
    colours: list[str] = Field(max_length=2)
    warm: bool


class Bounded(BaseModel):
    name: str = Field(max_length=20)
    warm: bool


def chat(url: str, timeout_s: float = 300.0) -> OpenAIChat:
    return OpenAIChat("smollm2", base_url=url, api_key=None, timeout_s=timeout_s)


async def test_a_schema_is_kept_to_and_tokens_are_counted(local_model: str) -> None:
    asker = Asker(chat(local_model), llm_guard(), NOBODY, timeout_s=300, max_tokens=60)
    found = await asker.ask("test", "Answer in JSON.", "Name a colour, and say whether it is warm.", Bounded)
    assert isinstance(found.value, Bounded), found
    (exchange,) = found.exchanges
    assert exchange.mode == "json_schema"
    assert exchange.prompt_tokens > 10
    assert exchange.completion_tokens > 5
    await asker.close()


async def test_words_come_without_a_form_and_are_cut_at_the_limit(local_model: str) -> None:
    model = chat(local_model)
    answer = await model.complete(Prompt(system="You talk.", turns=(("user", "Tell a story."),), max_tokens=5))
    assert answer.is_cut
    assert 0 < answer.completion_tokens <= 5
    with pytest.raises(LlmFormError, match="400"):
        await model.complete(Prompt(system="s", turns=(("user", "u"),), json_schema={"type": "weird"}, max_tokens=5))
    found = await model.complete(
        Prompt(system="Answer JSON.", turns=(("user", "a"),), json_schema={}, mode=Mode.OBJECT, max_tokens=5)
    )
    assert found.text.lstrip().startswith("{")
    await model.close()


async def test_a_schema_without_a_bound_is_refused_before_anybody_is_asked(local_model: str) -> None:
    asker = Asker(chat(local_model), llm_guard(), NOBODY)
    with pytest.raises(ValueError, match=r"the string Colours\.colours\[\] has no maxLength"):
        await asker.ask("test", "s", "q", Colours)
    await asker.close()


async def test_a_request_that_takes_too_long_is_given_up(local_model: str) -> None:
    model = chat(local_model, timeout_s=0.05)
    with pytest.raises(LlmError, match=r"did not answer within 0\.05 s"):
        await model.complete(Prompt(system="You talk.", turns=(("user", "Tell a long story."),), max_tokens=50))
    await model.close()


@pytest.mark.requirement("M-05")
def test_messages_are_kept_whatever_a_model_makes_of_them(remembering: Remembering, local_model: str, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "extraction.en.md").write_text('Write statements as JSON. Example: {"statements": []}')
    memory = remembering(local_model, model="smollm2", timeout_s=300, max_tokens=60, prompts=str(folder))
    receipt = memory.retain([{"role": "user", "content": "checkout depends on payment."}])
    assert [item.summary for item in receipt.memories] == ["checkout depends on payment."]
    assert [hop.target for hop in memory.chain("checkout").paths[0].hops] == ["payment"]
    (job,) = memory.jobs.list(kinds=("extract",)).rows
    assert job.result["llm"][0]["model"] == "smollm2"
    (found,) = [check for check in memory.doctor() if check.name == "llm"]
    assert found.ok
    assert found.detail.startswith("smollm2 answers; ")
