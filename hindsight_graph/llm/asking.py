"""Asking: one question, the strictest form the endpoint takes, one more try with the fault named, and an honest account."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Generic, TypeVar

from pydantic import BaseModel

from hindsight_graph.errors import HindsightGraphError, LlmFormError
from hindsight_graph.llm.base import RAW_LIMIT, ChatModel, Completion, Exchange, Mode, Prompt
from hindsight_graph.llm.forms import JsonNotFoundError, bounded_schema, read_answer
from hindsight_graph.observe.events import LlmAsked
from hindsight_graph.observe.observer import Observer
from hindsight_graph.resilience.guard import Guard
from hindsight_graph.resilience.limits import within

__all__ = ["Answered", "Asker", "Price"]

M = TypeVar("M", bound=BaseModel)
_ASKS = 2
"""The question, and once more with what was wrong with the answer."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in whatever currency the bill is; 0 where nobody asks."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, completion: Completion) -> float:
        """Return the cost of one request."""
        return (completion.prompt_tokens * self.prompt + completion.completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Answered(Generic[M]):
    """What asking came to.

    Attributes:
        value: The checked answer; None when there is none. fault: why there is none.
        exchanges: Every request that was answered, or refused, in order.
    """

    value: M | None
    fault: str = ""
    exchanges: tuple[Exchange, ...] = ()


class Asker:
    """Asks one model.

    Args:
        model: Which. guard: of its endpoint, with the breaker; several askers of one endpoint share it.
        timeout_s: Seconds one request may take.
        max_tokens: Of an answer. price: of tokens. observer: told of every request.
    """

    def __init__(
        self,
        model: ChatModel,
        guard: Guard,
        observer: Observer,
        *,
        timeout_s: float = 30.0,
        max_tokens: int = 2_000,
        price: Price | None = None,
    ) -> None:
        self._model = model
        self._guard = guard
        self._observer = observer
        self._timeout_s = timeout_s
        self._max_tokens = max_tokens
        self._price = price or Price()
        self._mode = Mode.SCHEMA

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def mode(self) -> Mode:
        """The strictest mode that the endpoint did not refuse so far."""
        return self._mode

    async def ask(
        self, purpose: str, system: str, question: str, form: type[M], check: Callable[[M], str | None] | None = None
    ) -> Answered[M]:
        """Return the answer to a question, in a form; never raises for what the model or its endpoint does.

        Args:
            purpose: What for, one word: `extraction`, `reflection`; a label of metrics.
            system: What the model is to do.
            question: The input.
            form: Of the answer; every string and array in it is bounded.
            check: Says what is wrong with an answer of the right form, None when nothing is.
        """
        schema = bounded_schema(form)
        turns: list[tuple[str, str]] = [("user", question)]
        exchanges: list[Exchange] = []
        fault = ""
        for _ in range(_ASKS):
            try:
                completion = await self._complete(purpose, system, turns, schema, exchanges)
            except HindsightGraphError as error:
                return Answered(None, error.message, tuple(exchanges))
            value: M | None = None
            try:
                value = read_answer(completion.text, form, is_cut=completion.is_cut)
                fault = (check(value) if check is not None else None) or ""
            except JsonNotFoundError as error:
                fault = str(error)
            exchanges.append(self._exchange(completion, fault))
            if value is not None and not fault:
                return Answered(value, "", tuple(exchanges))
            again = f"That answer cannot be used: {fault}. Answer again, with one JSON object of the given form and nothing else."
            turns += [("assistant", completion.text[:RAW_LIMIT] or "(nothing)"), ("user", again)]
        return Answered(None, fault, tuple(exchanges))

    async def probe(self) -> Completion:
        """Ask for a word, to see whether the endpoint answers; raises LlmError, and is not counted by the breaker."""
        with within(self._timeout_s):
            return await self._model.complete(
                Prompt(system="Answer with one word.", turns=(("user", "Are you there?"),), max_tokens=8)
            )

    async def close(self) -> None:
        """Release the model's connections."""
        await self._model.close()

    async def _complete(
        self, purpose: str, system: str, turns: list[tuple[str, str]], schema: dict[str, object], exchanges: list[Exchange]
    ) -> Completion:
        """Return the answer in the strictest mode that is not refused; each refusal is an exchange of its own."""
        while True:
            mode = self._mode
            told = system if mode is Mode.SCHEMA else f"{system}\n\n{_in_words(schema)}"
            prompt = Prompt(system=told, turns=tuple(turns), json_schema=schema, mode=mode, max_tokens=self._max_tokens)
            try:
                return await self._timed(purpose, prompt)
            except LlmFormError as error:
                exchanges.append(Exchange(model=self.name, mode=mode.word, fault=error.message))
                if mode is Mode.TEXT:
                    raise
                self._mode = max(self._mode, Mode(mode + 1))
            except HindsightGraphError as error:
                exchanges.append(Exchange(model=self.name, mode=mode.word, fault=error.message))
                raise

    async def _timed(self, purpose: str, prompt: Prompt) -> Completion:
        began = perf_counter()
        with within(self._timeout_s):
            try:
                completion = await self._guard.run(partial(self._model.complete, prompt))
            except HindsightGraphError as error:
                self._observer.observe(
                    LlmAsked(purpose, self.name, prompt.mode.word, perf_counter() - began, failed=type(error).__name__)
                )
                raise
        self._observer.observe(
            LlmAsked(
                purpose,
                self.name,
                prompt.mode.word,
                perf_counter() - began,
                completion.prompt_tokens,
                completion.completion_tokens,
                self._price.of(completion),
            )
        )
        return completion

    def _exchange(self, completion: Completion, fault: str) -> Exchange:
        return Exchange(
            model=self.name,
            mode=self._mode.word,
            raw=completion.text[:RAW_LIMIT],
            fault=fault,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            cost=self._price.of(completion),
        )


def _in_words(schema: dict[str, object]) -> str:
    return f"Answer with one JSON object and nothing else. It has this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
