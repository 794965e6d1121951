"""A circuit breaker: after too many failing or slow calls nothing is asked any more, but for one probe after each pause.

The states and the two rates over a sliding window are those of Nygard, "Release It!", and of resilience4j's CircuitBreaker
(https://resilience4j.readme.io/docs/circuitbreaker); the numbers of `Policy` are our own.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Breaker", "Permit", "Policy", "State"]


class State(StrEnum):
    """`closed`: calls pass. `open`: calls are refused. `half_open`: one probe is under way or due, all else is refused."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class Policy:
    """When a breaker opens and closes. Times in seconds, rates 0..1.

    Attributes:
        window: Outcomes older than this do not count. calls: nor do those before the last so many.
        minimum: Fewer outcomes than this say nothing.
        failure_rate: Opens at this share of failed calls.
        slow: A call that took this long was slow. slow_rate: opens at this share of slow calls (failed ones are not slow).
        pause: From opening to the first probe; doubles with every probe that fails, up to `longest_pause`.
    """

    window: float = 30.0
    calls: int = 50
    minimum: int = 5
    failure_rate: float = 0.5
    slow: float = 0.25
    slow_rate: float = 0.8
    pause: float = 2.0
    longest_pause: float = 30.0


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave for one call; its outcome counts only in the period that gave it."""

    period: int
    is_probe: bool


@dataclass(frozen=True, slots=True)
class _Outcome:
    at: float
    failed: bool
    slow: bool


class Breaker:
    """The state of one dependency. For one event loop; nothing here waits.

    Args:
        policy: When to open and close.
        timer: Seconds that never go back.
        on_change: Told every new state.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        timer: Callable[[], float] = time.monotonic,
        on_change: Callable[[State], None] | None = None,
    ) -> None:
        self._policy = policy or Policy()
        self._timer = timer
        self._on_change = on_change
        self._state = State.CLOSED
        self._outcomes: deque[_Outcome] = deque(maxlen=self._policy.calls)
        self._period = 0
        self._opened_at = 0.0
        self._pause = self._policy.pause
        self._is_probing = False

    @property
    def state(self) -> State:
        """The state now; an open breaker whose pause is over is half open."""
        if self._state is State.OPEN and self._timer() >= self._opened_at + self._pause:
            self._enter(State.HALF_OPEN)
        return self._state

    @property
    def retry_after(self) -> float:
        """Seconds until the next probe may be made; 0 unless open."""
        return max(0.0, self._opened_at + self._pause - self._timer()) if self.state is State.OPEN else 0.0

    def admit(self) -> Permit | None:
        """Return leave for a call, None when it is refused. Each permit goes back by exactly one of the methods below."""
        state = self.state
        if state is State.OPEN or (state is State.HALF_OPEN and self._is_probing):
            return None
        self._is_probing = state is State.HALF_OPEN
        return Permit(self._period, self._is_probing)

    def succeeded(self, permit: Permit, seconds: float) -> None:
        """The call gave a result after so long; a probe closes the breaker unless it was slow."""
        slow = seconds >= self._policy.slow
        if permit.period == self._period and permit.is_probe:
            self._end_probe(good=not slow)
        else:
            self._count(permit, failed=False, slow=slow)

    def failed(self, permit: Permit) -> None:
        """The call failed, or was given up when its time was over; a probe opens the breaker again, for longer."""
        if permit.period == self._period and permit.is_probe:
            self._end_probe(good=False)
        else:
            self._count(permit, failed=True, slow=False)

    def released(self, permit: Permit) -> None:
        """The call ended without saying anything about the dependency: its caller went away, or asked for nonsense."""
        if permit.period == self._period and permit.is_probe:
            self._is_probing = False

    def _end_probe(self, *, good: bool) -> None:
        if good:
            self._pause = self._policy.pause
            self._enter(State.CLOSED)
        else:
            self._pause = min(2 * self._pause, self._policy.longest_pause)
            self._open()

    def _count(self, permit: Permit, *, failed: bool, slow: bool) -> None:
        if permit.period != self._period or self._state is not State.CLOSED:
            return
        now = self._timer()
        self._outcomes.append(_Outcome(now, failed, slow))
        while self._outcomes[0].at <= now - self._policy.window:
            self._outcomes.popleft()
        number = len(self._outcomes)
        if number < self._policy.minimum:
            return
        failures = sum(outcome.failed for outcome in self._outcomes)
        slows = sum(outcome.slow for outcome in self._outcomes)
        if failures >= self._policy.failure_rate * number or slows >= self._policy.slow_rate * number:
            self._open()

    def _open(self) -> None:
        self._opened_at = self._timer()
        self._enter(State.OPEN)

    def _enter(self, state: State) -> None:
        self._state = state
        self._period += 1
        self._is_probing = False
        self._outcomes.clear()
        if self._on_change is not None:
            self._on_change(state)
