"""The guard of a dependency: its breaker, and the promise that no call to it outlasts the time its caller has left.

A call that runs in a thread, or that does not heed its cancellation, cannot be ended. Its answer is then no longer waited for;
the number of such calls that are still out is bounded, and while the bound is reached new ones are refused.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any, TypeVar, cast

from hindsight_graph.errors import EmbeddingError, HindsightGraphError, InputError, LlmError, LlmFormError, StoreStalledError
from hindsight_graph.observe.events import BreakerChanged
from hindsight_graph.observe.observer import NOBODY, Observer
from hindsight_graph.resilience.breaker import Breaker, Policy, State
from hindsight_graph.resilience.limits import left

__all__ = ["Guard", "embedder_guard", "llm_guard", "store_guard"]

Result = TypeVar("Result")
Guarded = TypeVar("Guarded")

GOOD_SHARE = 0.5
"""A call that took less of the time its caller had left was not slow, however long: with the 500 ms of a recall that is the
breaker's own 250 ms, and a caller that waits a minute does not mind a second."""
MOST_LEFT = 4
"""Embedding calls that were given up and may still be out: each may hold a thread."""


class Guard:
    """Stands between the engine and one dependency.

    Args:
        name: What it is, in messages and metrics: `store`, `embedder`.
        breaker: Its state.
        error: Makes the error of a call that was refused or given up, from a message and a hint.
        heeds_cancelling: Its calls end at once when they are cancelled; otherwise they are left behind.
        most_left: How many of those may be out.
    """

    def __init__(
        self,
        name: str,
        breaker: Breaker,
        error: Callable[[str, str], HindsightGraphError],
        *,
        heeds_cancelling: bool,
        most_left: int = MOST_LEFT,
    ) -> None:
        self.name = name
        self.breaker = breaker
        self._error = error
        self._heeds = heeds_cancelling
        self._most_left = most_left
        self._left: set[asyncio.Task[Any]] = set()

    @property
    def calls_left(self) -> int:
        """Calls that were given up and have not come back."""
        return len(self._left)

    async def run(
        self, call: Callable[[], Coroutine[Any, Any, Result]], has_failed: Callable[[], bool] = lambda: False
    ) -> Result:
        """Await a call within the time that is left (`limits.within`).

        Args:
            call: Makes it.
            has_failed: Whether a call that came back failed all the same.

        Raises:
            HindsightGraphError: The guard's own, when the call is refused or takes too long. What the call raises passes.
        """
        limit = left()
        if limit is not None and limit <= 0:
            raise self._error(f"no time was left to ask the {self.name}", "")
        permit = self.breaker.admit()
        if permit is None:
            raise self._error(
                f"the {self.name} failed or was slow too often; it is asked again in {self.breaker.retry_after:.1f} s",
                "the answer is made without it until then",
            )
        if len(self._left) >= self._most_left:
            self.breaker.failed(permit)
            raise self._error(
                f"{len(self._left)} calls of the {self.name} have not come back; no more are made until one does", ""
            )
        began = time.monotonic()
        try:
            result = await (_cancelling(call(), limit) if self._heeds else self._leaving(call(), limit))
        except TimeoutError as error:
            self.breaker.failed(permit)
            raise self._error(
                f"the {self.name} did not answer within {(limit or 0) * 1000:.0f} ms", "is it overloaded, or stuck?"
            ) from error
        except (asyncio.CancelledError, InputError, LlmFormError):
            self.breaker.released(permit)
            raise
        except BaseException:
            self.breaker.failed(permit)
            raise
        if has_failed():
            self.breaker.failed(permit)
            return result
        spent = time.monotonic() - began
        is_in_good_time = limit is not None and spent < GOOD_SHARE * limit
        self.breaker.succeeded(permit, 0.0 if is_in_good_time else spent)
        return result

    async def _leaving(self, call: Coroutine[Any, Any, Result], limit: float | None) -> Result:
        """Await the call, or leave it to itself when the time is over or the caller goes away."""
        task = asyncio.ensure_future(call)
        try:
            done, _ = await asyncio.wait((task,), timeout=limit)
        except asyncio.CancelledError:
            self._leave(task)
            raise
        if not done:
            self._leave(task)
            raise TimeoutError
        return task.result()

    def _leave(self, task: "asyncio.Task[Any]") -> None:
        self._left.add(task)
        task.add_done_callback(self._came_back)

    def _came_back(self, task: "asyncio.Task[Any]") -> None:
        self._left.discard(task)
        if not task.cancelled():
            task.exception()  # it was nobody's any more

    def close(self) -> None:
        """Cancel what is still out; its result is nobody's."""
        for task in tuple(self._left):
            task.cancel()

    def around(self, inner: Guarded, *methods: str) -> Guarded:
        """Return `inner` with these asynchronous methods guarded; all of them when none is named."""
        return cast("Guarded", _Around(inner, self, methods))


async def _cancelling(call: Awaitable[Result], limit: float | None) -> Result:
    async with asyncio.timeout(limit):
        return await call


class _Around:
    """An object whose asynchronous methods pass a guard; everything else is the object's own."""

    def __init__(self, inner: object, guard: Guard, methods: tuple[str, ...]) -> None:
        self._inner = inner
        self._guard = guard
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not inspect.iscoroutinefunction(value) or (self._methods and name not in self._methods):
            return value

        async def guarded(*arguments: Any, **named: Any) -> Any:
            given = [_Watched(cast("Program", each)) if isinstance(each, Generator) else each for each in arguments]
            watched = [each for each in given if isinstance(each, _Watched)]
            return await self._guard.run(partial(value, *given, **named), lambda: any(each.was_told for each in watched))

        self.__dict__[name] = guarded
        return guarded


Program = Generator[Any, tuple[Any, ...], Any]


class _Watched(Program):
    """A program that is handed to a dependency (`stores.program`): notes whether a reply told it of a failure.

    The program goes on without what failed, so that the call itself succeeds.
    """

    def __init__(self, inner: Program) -> None:
        self._inner = inner
        self.was_told = False

    def send(self, value: tuple[Any, ...]) -> Any:
        """Pass replies on."""
        errors = [reply.error for reply in value or () if reply.error is not None]
        self.was_told = self.was_told or any(not isinstance(error, InputError) for error in errors)
        return self._inner.send(value)

    def throw(self, *error: Any) -> Any:
        """Pass an error on."""
        return self._inner.throw(*error)

    def close(self) -> None:
        """End the program."""
        self._inner.close()


def _announced(name: str, policy: Policy, observer: Observer, timer: Callable[[], float]) -> Breaker:
    def changed(state: State) -> None:
        observer.observe(BreakerChanged(dependency=name, state=state.value))

    return Breaker(policy, timer=timer, on_change=changed)


def store_guard(observer: Observer = NOBODY, policy: Policy | None = None, timer: Callable[[], float] = time.monotonic) -> Guard:
    """Return the guard of what recall and chains read; writes go past it, so that they never degrade."""
    breaker = _announced("store", policy or Policy(), observer, timer)
    return Guard("store", breaker, lambda message, hint: StoreStalledError(message, hint=hint), heeds_cancelling=True)


def embedder_guard(
    observer: Observer = NOBODY, policy: Policy | None = None, timer: Callable[[], float] = time.monotonic
) -> Guard:
    """Return the guard of an embedder's questions; its calls may hold threads, so they are left behind and counted."""
    breaker = _announced("embedder", policy or Policy(), observer, timer)
    return Guard("embedder", breaker, lambda message, hint: EmbeddingError(message, hint=hint), heeds_cancelling=False)


LLM_POLICY = Policy(window=120.0, minimum=3, slow=3_600.0, pause=10.0, longest_pause=300.0)
"""An LLM that is slow is no reason to stop asking; three answers in a row that did not come are."""


def llm_guard(observer: Observer = NOBODY, policy: Policy | None = None, timer: Callable[[], float] = time.monotonic) -> Guard:
    """Return the guard of an LLM's endpoint; its calls end when they are cancelled."""
    breaker = _announced("llm", policy or LLM_POLICY, observer, timer)
    return Guard("llm", breaker, lambda message, hint: LlmError(message, hint=hint), heeds_cancelling=True)
