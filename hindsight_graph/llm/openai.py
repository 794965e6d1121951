"""Chat completions of any endpoint that speaks the OpenAI API, through the `openai` SDK."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hindsight_graph.errors import LlmError, LlmFormError, MissingExtraError
from hindsight_graph.llm.base import Completion, Mode, Prompt

if TYPE_CHECKING:
    from openai import AsyncOpenAI

__all__ = ["OpenAIChat"]

_FORM_REFUSED = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses with which gateways answer a `response_format` they do not know; 500 is what some local servers give."""
_NO_KEY = "none"
"""Sent where no key is set: local servers take any, and the SDK takes no empty one."""


class OpenAIChat:
    """One model behind one base URL.

    Args:
        model: Its name. base_url: of the endpoint; OpenAI's own when absent. api_key: for it.
        timeout_s: Seconds one request may take, connecting included.
    """

    def __init__(self, model: str, *, base_url: str | None, api_key: str | None, timeout_s: float) -> None:
        """Build it; opens nothing. Raises MissingExtraError when the SDK is not installed."""
        if find_spec("openai") is None:
            raise MissingExtraError("an LLM endpoint needs the openai package", hint="pip install 'hindsight-graph[llm]'")
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._client: AsyncOpenAI | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer a request; see `ChatModel.complete`."""
        import openai  # noqa: PLC0415 - heavy, and needed only where an LLM is used

        given: dict[str, Any] = {}
        form = _response_format(prompt)
        if form is not None:
            given["response_format"] = form
        messages: list[Any] = [{"role": "system", "content": prompt.system}]
        messages += [{"role": role, "content": words} for role, words in prompt.turns]
        sdk: Any = self._connected()
        try:
            answer: Any = await sdk.chat.completions.create(
                model=self._model, messages=messages, max_tokens=prompt.max_tokens, temperature=0, **given
            )
        except openai.APIStatusError as error:
            kind = LlmFormError if form is not None and error.status_code in _FORM_REFUSED else LlmError
            raise kind(
                f"the LLM endpoint answered {error.status_code}: {_first_line(error.message)}", hint=_hint(error)
            ) from error
        except openai.APITimeoutError as error:
            raise LlmError(f"the LLM did not answer within {self._timeout_s:g} s", hint="raise llm.timeout_s") from error
        except openai.OpenAIError as error:
            raise LlmError(f"the LLM endpoint cannot be used: {_first_line(str(error))}", hint="check llm_base_url") from error
        # What a gateway sends is not validated by the SDK: anything may be missing.
        choices: list[Any] = getattr(answer, "choices", None) or []
        message: Any = getattr(choices[0], "message", None) if choices else None
        usage = getattr(answer, "usage", None)
        return Completion(
            text=str(getattr(message, "content", None) or ""),
            is_cut=bool(choices) and getattr(choices[0], "finish_reason", "") == "length",
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
        )

    async def close(self) -> None:
        """Release the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _connected(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI  # noqa: PLC0415 - as above

        if self._client is None:
            self._client = AsyncOpenAI(
                api_key=self._api_key or _NO_KEY, base_url=self._base_url, timeout=self._timeout_s, max_retries=1
            )
        return self._client


def _response_format(prompt: Prompt) -> dict[str, Any] | None:
    if prompt.json_schema is None or prompt.mode is Mode.TEXT:
        return None
    if prompt.mode is Mode.OBJECT:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": prompt.name, "schema": prompt.json_schema, "strict": True}}


def _count(usage: object, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value > 0 else 0


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[0][:200]


def _hint(error: object) -> str:
    status = getattr(error, "status_code", 0)
    if status in (401, 403):
        return "check llm_api_key"
    return "check llm_model and llm_base_url" if status in (400, 404) else "is the endpoint up, and within its limits?"
