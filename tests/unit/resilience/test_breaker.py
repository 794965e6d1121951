"""The breaker against a model that keeps every outcome and works the rates out anew."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hindsight_graph.resilience.breaker import Breaker, Permit, Policy, State

POLICY = Policy(window=10, calls=8, minimum=4, failure_rate=0.5, slow=1.0, slow_rate=0.75, pause=2, longest_pause=6)


class Time:
    """Seconds that only tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(time: Time) -> Breaker:
    breaker = Breaker(POLICY, timer=time)
    for _ in range(4):
        permit = breaker.admit()
        assert permit is not None
        breaker.failed(permit)
    return breaker


def admitted(breaker: Breaker) -> Permit:
    permit = breaker.admit()
    assert permit is not None
    return permit


def test_half_of_the_calls_failing_opens_it_and_a_pause_later_one_probe_passes() -> None:
    time = Time()
    breaker = Breaker(POLICY, timer=time)
    for fails in (False, True, False, True):
        permit = admitted(breaker)
        assert breaker.state is State.CLOSED
        breaker.failed(permit) if fails else breaker.succeeded(permit, 0.1)
    assert breaker.state is State.OPEN
    assert breaker.admit() is None
    assert breaker.retry_after == 2
    time.now += 2
    assert breaker.state is State.HALF_OPEN
    probe = admitted(breaker)
    assert probe.is_probe
    assert breaker.admit() is None
    breaker.succeeded(probe, 0.1)
    assert breaker.state is State.CLOSED


def test_three_failures_say_nothing_yet() -> None:
    breaker = Breaker(POLICY, timer=Time())
    for _ in range(3):
        breaker.failed(admitted(breaker))
    assert breaker.state is State.CLOSED


def test_slow_answers_open_it_as_well() -> None:
    breaker = Breaker(POLICY, timer=Time())
    for seconds in (1.0, 0.2, 1.5, 3.0):
        assert breaker.state is State.CLOSED
        breaker.succeeded(admitted(breaker), seconds)
    assert breaker.state is State.OPEN


def test_failures_that_are_long_past_do_not_count() -> None:
    time = Time()
    breaker = Breaker(POLICY, timer=time)
    for _ in range(3):
        breaker.failed(admitted(breaker))
    time.now += 10
    breaker.failed(admitted(breaker))
    assert breaker.state is State.CLOSED


def test_each_failing_probe_doubles_the_pause_up_to_the_longest() -> None:
    time = Time()
    breaker = opened(time)
    for pause in (2, 4, 6, 6):
        assert breaker.retry_after == pause
        time.now += pause
        breaker.failed(admitted(breaker))
    time.now += 6
    breaker.succeeded(admitted(breaker), 0.0)
    for _ in range(4):
        breaker.failed(admitted(breaker))
    assert breaker.retry_after == 2


def test_a_slow_probe_is_not_good_enough() -> None:
    time = Time()
    breaker = opened(time)
    time.now += 2
    breaker.succeeded(admitted(breaker), 1.0)
    assert breaker.state is State.OPEN


def test_a_probe_whose_caller_went_away_leaves_its_place_to_the_next() -> None:
    time = Time()
    breaker = opened(time)
    time.now += 2
    breaker.released(admitted(breaker))
    assert breaker.state is State.HALF_OPEN
    assert admitted(breaker).is_probe


def test_a_call_from_before_says_nothing_about_now() -> None:
    time = Time()
    breaker = Breaker(POLICY, timer=time)
    late = admitted(breaker)
    for _ in range(4):
        breaker.failed(admitted(breaker))
    time.now += 2
    probe = admitted(breaker)
    breaker.failed(late)
    assert breaker.state is State.HALF_OPEN
    breaker.succeeded(probe, 0.0)
    breaker.succeeded(late, 9.0)
    assert breaker.state is State.CLOSED


def test_every_change_is_told_once() -> None:
    time = Time()
    told: list[State] = []
    breaker = Breaker(POLICY, timer=time, on_change=told.append)
    for _ in range(4):
        breaker.failed(admitted(breaker))
    time.now += 2
    breaker.succeeded(admitted(breaker), 0.0)
    assert told == [State.OPEN, State.HALF_OPEN, State.CLOSED]


class BreakerMachine(RuleBasedStateMachine):
    """Calls that overlap, end in any order and in any way, while time goes by."""

    def __init__(self) -> None:
        super().__init__()
        self.time = Time()
        self.breaker = Breaker(POLICY, timer=self.time)
        self.calls: list[tuple[Permit, int]] = []
        # the model: which period it is, what became of its calls, until when it is open, and the pause that comes next
        self.period = 0
        self.kind = State.CLOSED
        self.seen: list[tuple[float, str]] = []
        self.until = 0.0
        self.pause = POLICY.pause
        self.probing = False

    def move(self, kind: State) -> None:
        self.kind, self.period, self.seen, self.probing = kind, self.period + 1, [], False
        if kind is State.OPEN:
            self.until = self.time.now + self.pause

    def tick(self) -> None:
        if self.kind is State.OPEN and self.time.now >= self.until:
            self.move(State.HALF_OPEN)

    @initialize()
    def begin(self) -> None:
        assert self.breaker.state is State.CLOSED

    @rule(seconds=st.sampled_from([0.0, 0.5, 1.0, 2.0, 5.0, 11.0]))
    def wait(self, seconds: float) -> None:
        self.time.now += seconds

    @rule()
    def call(self) -> None:
        self.tick()
        permit = self.breaker.admit()
        allowed = self.kind is State.CLOSED or (self.kind is State.HALF_OPEN and not self.probing)
        assert (permit is not None) == allowed
        if permit is not None:
            self.probing = self.kind is State.HALF_OPEN
            assert permit.is_probe == self.probing
            self.calls.append((permit, self.period))

    @precondition(lambda self: bool(self.calls))
    @rule(which=st.integers(0, 100), how=st.sampled_from(["good", "good", "slow", "failed", "released"]))
    def end(self, which: int, how: str) -> None:
        self.tick()
        _ = self.breaker.state
        permit, period = self.calls.pop(which % len(self.calls))
        if how == "failed":
            self.breaker.failed(permit)
        elif how == "released":
            self.breaker.released(permit)
        else:
            self.breaker.succeeded(permit, 1.0 if how == "slow" else 0.25)
        if period != self.period:
            return
        if self.kind is State.HALF_OPEN:
            if how == "released":
                self.probing = False
            elif how == "good":
                self.pause = POLICY.pause
                self.move(State.CLOSED)
            else:
                self.pause = min(2 * self.pause, POLICY.longest_pause)
                self.move(State.OPEN)
        elif how != "released":
            self.seen.append((self.time.now, how))
            recent = [kind for at, kind in self.seen[-POLICY.calls :] if at > self.time.now - POLICY.window]
            if len(recent) >= POLICY.minimum and (
                recent.count("failed") / len(recent) >= POLICY.failure_rate
                or recent.count("slow") / len(recent) >= POLICY.slow_rate
            ):
                self.move(State.OPEN)

    @invariant()
    def agree(self) -> None:
        self.tick()
        assert self.breaker.state is self.kind
        assert self.breaker.retry_after == pytest.approx(max(0.0, self.until - self.time.now) if self.kind is State.OPEN else 0)


TestBreakerMachine = BreakerMachine.TestCase
