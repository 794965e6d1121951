"""The port: what is asked of a chat model, and what comes back. Adapters implement `ChatModel`; `asking.Asker` uses it."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Protocol

from pydantic import Field

from hindsight_graph.models.base import Model

__all__ = ["RAW_KEY", "RAW_LIMIT", "ChatModel", "Completion", "Exchange", "Mode", "Prompt", "raw_words"]

RAW_LIMIT = 8_000
"""Characters of a model's raw words that are kept with a job."""

RAW_KEY = "llm"
"""Key of a job's result under which its exchanges are kept; served faces show it to administrators only."""


class Mode(IntEnum):
    """How an answer's form is asked for, the strictest first; an endpoint that refuses one is asked by the next."""

    SCHEMA = 0
    """The endpoint is given the JSON schema, and keeps to it."""
    OBJECT = 1
    """The endpoint is told to answer a JSON object; the schema stands in the words."""
    TEXT = 2
    """The schema stands in the words; the JSON is looked for in the answer."""

    @property
    def word(self) -> str:
        """Its name as APIs have it."""
        return ("json_schema", "json_object", "text")[self]


class Prompt(Model):
    """One request.

    Attributes:
        system: What the model is to do. turns: (role, words) in order; role is `user` or `assistant`.
        name: Of the answer's form, letters and underscores. schema: JSON schema of the answer; None asks for free words.
        mode: How the form is asked for. max_tokens: of the answer.
    """

    system: str
    turns: tuple[tuple[str, str], ...]
    name: str = "answer"
    json_schema: dict[str, Any] | None = None
    mode: Mode = Mode.SCHEMA
    max_tokens: int = Field(default=2_000, ge=1)


class Completion(Model):
    """What a model answered.

    Attributes:
        text: Its words; empty when it gave none. is_cut: it stopped at the limit of tokens.
        prompt_tokens, completion_tokens: As the endpoint counted them; 0 where it does not.
    """

    text: str
    is_cut: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Exchange(Model):
    """One request as it went, kept with the job it was made for: an administrator may read the raw words.

    Attributes:
        mode: `json_schema`, `json_object` or `text`. raw: the model's words, at most RAW_LIMIT characters.
        fault: Why the answer was not taken; empty when it was.
        cost: By the configured prices; 0 without them.
    """

    model: str
    mode: str
    raw: str = ""
    fault: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


def raw_words(exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """Return what a job keeps of its exchanges; empty when no model was asked."""
    return {RAW_KEY: [exchange.model_dump(mode="json") for exchange in exchanges]} if exchanges else {}


class ChatModel(Protocol):
    """A chat model at an endpoint."""

    @property
    def name(self) -> str:
        """The model's name, recorded with what it made."""
        ...

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer a request.

        Raises:
            LlmFormError: The endpoint refuses the request's mode or schema.
            LlmError: It refused otherwise, is not there, or answered no chat completion.
        """
        ...

    async def close(self) -> None:
        """Release its connections."""
        ...
