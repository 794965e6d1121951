"""A guard between a caller with little time and a dependency that fails, stalls or does not heed its cancellation."""

import asyncio
import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import pytest

from hindsight_graph.errors import EmbeddingError, HindsightGraphError, InputError, StoreStalledError
from hindsight_graph.resilience.breaker import Policy, State
from hindsight_graph.resilience.guard import Guard, embedder_guard, store_guard
from hindsight_graph.resilience.limits import left, within

EAGER = Policy(minimum=2, pause=1_000.0)


class Dependency:
    """Answers, fails, or waits until it is let go, in a thread that nothing can end."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.asked = 0

    async def answer(self, value: int) -> int:
        self.asked += 1
        return value

    async def fail(self) -> int:
        raise EmbeddingError("no model")

    async def refuse(self) -> int:
        raise InputError("that is no question")

    async def block(self) -> bool:
        self.asked += 1
        return await asyncio.to_thread(self.gate.wait)

    async def hang(self) -> int:
        await asyncio.Event().wait()
        return 0

    def plain(self) -> str:
        return "plain"


async def test_what_is_guarded_answers_as_before_and_the_rest_is_untouched() -> None:
    guarded = store_guard().around(Dependency())
    assert await guarded.answer(3) == 3
    assert guarded.plain() == "plain"
    assert guarded.asked == 1


async def test_a_call_that_takes_longer_than_the_caller_has_is_given_up() -> None:
    guarded = store_guard().around(Dependency())
    with within(0.02), pytest.raises(StoreStalledError, match=r"the store did not answer within \d+ ms"):
        await guarded.hang()


async def test_without_time_nothing_is_asked() -> None:
    dependency = Dependency()
    guarded = store_guard().around(dependency)
    with within(-1.0), pytest.raises(StoreStalledError, match="no time was left"):
        await guarded.answer(1)
    assert dependency.asked == 0


async def test_after_too_many_failures_nothing_is_asked_for_a_while() -> None:
    dependency = Dependency()
    guard = embedder_guard(policy=EAGER)
    guarded = guard.around(dependency)
    for _ in range(2):
        with pytest.raises(EmbeddingError, match="no model"):
            await guarded.fail()
    assert guard.breaker.state is State.OPEN
    with pytest.raises(EmbeddingError, match=r"the embedder failed or was slow too often; it is asked again in \d+\.\d s"):
        await guarded.answer(1)
    assert dependency.asked == 0


async def test_a_question_that_is_wrong_says_nothing_about_the_dependency() -> None:
    guard = embedder_guard(policy=EAGER)
    for _ in range(5):
        with pytest.raises(InputError):
            await guard.around(Dependency()).refuse()
    assert guard.breaker.state is State.CLOSED


async def test_a_caller_that_goes_away_says_nothing_about_the_dependency() -> None:
    guard = store_guard(policy=EAGER)
    for _ in range(5):
        task = asyncio.create_task(guard.around(Dependency()).hang())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert guard.breaker.state is State.CLOSED


async def test_calls_that_cannot_be_ended_are_left_and_their_number_is_bounded() -> None:
    dependency = Dependency()
    guard = embedder_guard(policy=Policy(minimum=1_000))
    guarded = guard.around(dependency, "block")
    for _ in range(4):
        with within(0.02), pytest.raises(EmbeddingError, match="did not answer within"):
            await guarded.block()
    with within(5.0), pytest.raises(EmbeddingError, match="4 calls of the embedder have not come back"):
        await guarded.block()
    assert (guard.calls_left, dependency.asked) == (4, 4)
    dependency.gate.set()
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()})
    assert guard.calls_left == 0
    assert await guarded.block()


async def test_only_the_named_methods_are_guarded() -> None:
    guard = embedder_guard(policy=EAGER)
    guarded = guard.around(Dependency(), "answer")
    with within(-1.0):
        with pytest.raises(EmbeddingError, match="no time was left"):
            await guarded.answer(1)
        with pytest.raises(EmbeddingError, match="no model"):
            await guarded.fail()


def test_an_inner_bound_never_gives_more_time_than_the_outer_one() -> None:
    assert left() is None
    with within(1.0), within(100.0):
        assert (left() or 9) <= 1.0
    with within(None):
        assert left() is None


def test_a_guard_names_what_it_guards() -> None:
    guard: Guard = store_guard()
    assert guard.name == "store"


@dataclass
class Answer:
    """What a program is sent: a reply as `stores.program.Reply` is one."""

    error: HindsightGraphError | None


async def test_a_program_that_was_told_of_failures_opens_the_breaker_although_it_goes_on() -> None:
    class Place:
        """Runs programs, and answers as told."""

        async def run(self, program: Generator[tuple[()], tuple[Answer, ...], str], answers: Sequence[Answer]) -> str:
            next(program)
            try:
                for answer in answers:
                    program.send((answer,))
            except StopIteration as end:
                return str(end.value)
            raise AssertionError("a program ends with its last answer")

    def program() -> Generator[tuple[()], tuple[Answer, ...], str]:
        yield ()
        yield ()
        return "what there was"

    guard = store_guard(policy=EAGER)
    guarded = guard.around(Place())
    fine, wrong, broken = Answer(None), Answer(InputError("no question")), Answer(StoreStalledError("too late"))
    for answers in ([fine, fine], [fine, wrong], [wrong, wrong]):
        assert await guarded.run(program(), answers) == "what there was"
    assert guard.breaker.state is State.CLOSED
    for _ in range(3):
        assert await guarded.run(program(), [fine, broken]) == "what there was"
    with pytest.raises(StoreStalledError, match="the store failed or was slow too often"):
        await guarded.run(program(), [fine, fine])
