"""Messages of Anthropic's API, through its SDK; the schema becomes a tool that the model has to call."""

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hindsight_graph.errors import LlmError, LlmFormError, MissingExtraError
from hindsight_graph.llm.base import Completion, Mode, Prompt

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

__all__ = ["AnthropicChat"]

_FORM_REFUSED = frozenset({400, 404, 422})


class AnthropicChat:
    """One of Anthropic's models.

    Args:
        model: Its name. base_url: of the endpoint; Anthropic's own when absent. api_key: for it.
        timeout_s: Seconds one request may take, connecting included.
    """

    def __init__(self, model: str, *, base_url: str | None, api_key: str | None, timeout_s: float) -> None:
        """Build it; opens nothing. Raises MissingExtraError when the SDK is not installed."""
        if find_spec("anthropic") is None:
            raise MissingExtraError("this LLM needs the anthropic package", hint="pip install 'hindsight-graph[anthropic]'")
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._client: AsyncAnthropic | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer a request; see `ChatModel.complete`. There is no mode between a schema and free words."""
        import anthropic  # noqa: PLC0415 - heavy and optional

        if prompt.mode is Mode.OBJECT:
            raise LlmFormError("this API knows no json_object")
        given: dict[str, Any] = {}
        if prompt.json_schema is not None and prompt.mode is Mode.SCHEMA:
            given["tools"] = [{"name": prompt.name, "description": "Gives the answer.", "input_schema": prompt.json_schema}]
            given["tool_choice"] = {"type": "tool", "name": prompt.name}
        turns: list[Any] = [{"role": role, "content": words} for role, words in prompt.turns]
        sdk: Any = self._connected()
        try:
            answer: Any = await sdk.messages.create(
                model=self._model, system=prompt.system, messages=turns, max_tokens=prompt.max_tokens, **given
            )
        except anthropic.APIStatusError as error:
            kind = LlmFormError if given and error.status_code in _FORM_REFUSED else LlmError
            raise kind(
                f"the LLM endpoint answered {error.status_code}: {error.message[:200]}", hint="check llm_api_key and llm_model"
            ) from error
        except anthropic.APITimeoutError as error:
            raise LlmError(f"the LLM did not answer within {self._timeout_s:g} s", hint="raise llm.timeout_s") from error
        except anthropic.AnthropicError as error:
            raise LlmError(f"the LLM endpoint cannot be used: {str(error)[:200]}", hint="check llm_base_url") from error
        return Completion(
            text="".join(_words(block) for block in answer.content),
            is_cut=answer.stop_reason == "max_tokens",
            prompt_tokens=answer.usage.input_tokens,
            completion_tokens=answer.usage.output_tokens,
        )

    async def close(self) -> None:
        """Release the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _connected(self) -> "AsyncAnthropic":
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - as above

        if self._client is None:
            self._client = AsyncAnthropic(api_key=self._api_key, base_url=self._base_url, timeout=self._timeout_s, max_retries=1)
        return self._client


def _words(block: object) -> str:
    """Return a block's text, or the arguments of the tool it calls as JSON."""
    if getattr(block, "type", "") == "tool_use":
        return json.dumps(getattr(block, "input", {}), ensure_ascii=False)
    return str(getattr(block, "text", "") or "")
