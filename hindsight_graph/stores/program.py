"""Programs of reads: what a pipeline asks of a store, step by step, each step decided by the answers before it.

A program is a generator. It yields the reads of one step, which do not depend on each other, and is sent their replies:

    def about(names: Sequence[str]) -> Program[tuple[Memory, ...]]:
        found, page = yield from ask_together(a_read(Store.find_entities, names), a_read(Store.scan_memories, where))
        ...
        return (yield from ask(a_read(Store.get_memories, ids)))

So the pipeline does not know where its reads run. A store whose data is in this process takes the whole program to it
(`run_program`: one exchange between threads, one snapshot); of any other store the reads of a step are asked side by side.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast, overload

from hindsight_graph.errors import HindsightGraphError
from hindsight_graph.models.query import Scope
from hindsight_graph.resilience.limits import within
from hindsight_graph.stores.base import Store

__all__ = [
    "Program",
    "Read",
    "ReadsTogether",
    "Reply",
    "RunsPrograms",
    "a_read",
    "as_reply",
    "ask",
    "ask_together",
    "run_program",
    "run_stepwise",
    "runs_programs",
    "side_by_side",
]

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """One read: a method of `Store` by its name, its arguments after the scope, and the seconds it may take (None: no bound)."""

    name: str
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict[str, Any])
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a read gave, or the error it ended with, and between which moments (seconds of `time.perf_counter`)."""

    value: T | None
    error: HindsightGraphError | None
    began: float
    ended: float

    def take(self) -> T:
        """Return the value; raises the error."""
        if self.error is not None:
            raise self.error
        return cast("T", self.value)


Program = Generator[tuple[Read[Any], ...], tuple[Reply[Any], ...], Result]
"""Yields the reads of a step, is sent their replies in the same order, returns a result."""


class RunsPrograms(Protocol):
    """A store that can run a program where its data is.

    Its reads must give what the methods of the same names give. An error of a read is told in its reply; a read that is due
    (`limits.left`) before it begins, or takes longer, ends with StoreStalledError.
    """

    async def run_program(self, scope: Scope, program: Program[Result]) -> Result:
        """Run a program of reads, all as of one moment, and return its result.

        The program runs in a thread of the store. A caller that is cancelled stops waiting; the program then goes on by
        itself, so nothing that it works on may be used afterwards.
        """
        ...


class ReadsTogether(Protocol):
    """A store that answers some reads in fewer exchanges than they are, and says which.

    The values must be those that the methods of the same names give; an error is told to all of a group.
    """

    def together(self, reads: Sequence[Read[Any]]) -> Sequence[Sequence[int]]:
        """Return groups of places of the reads, each place once: what is in one group is answered in one exchange."""
        ...

    async def read_together(self, scope: Scope, reads: Sequence[Read[Any]]) -> tuple[Any, ...]:
        """Answer a group of reads; returns their values in the same order."""
        ...


def a_read(method: Callable[Concatenate[Store, Scope, P], Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> Read[T]:
    """Return the read of a method of the protocol, such as `a_read(Store.get_memories, ids)`."""
    return Read(method.__name__, arguments, named)


def ask(read: Read[T]) -> Program[T]:
    """Ask one thing; returns its value or raises its error."""
    (reply,) = yield (read,)
    return cast("Reply[T]", reply).take()


@overload
def ask_together(a: Read[A], b: Read[B], /) -> Program[tuple[Reply[A], Reply[B]]]: ...


@overload
def ask_together(a: Read[A], b: Read[B], c: Read[C], /) -> Program[tuple[Reply[A], Reply[B], Reply[C]]]: ...


@overload
def ask_together(*reads: Read[T]) -> Program[tuple[Reply[T], ...]]: ...


def ask_together(*reads: Read[Any]) -> Program[tuple[Reply[Any], ...]]:
    """Ask several things that do not depend on each other; returns their replies, some of which may hold errors."""
    return (yield reads) if reads else ()


def as_reply(program: Program[T]) -> Program[Reply[T]]:
    """Run a program and return its result as the reply to a read would be."""
    began = time.perf_counter()
    try:
        value = yield from program
    except HindsightGraphError as error:
        return Reply(None, error, began, time.perf_counter())
    return Reply(value, None, began, time.perf_counter())


@overload
def side_by_side(a: Program[A], b: Program[B], /) -> Program[tuple[A, B]]: ...


@overload
def side_by_side(a: Program[A], b: Program[B], c: Program[C], /) -> Program[tuple[A, B, C]]: ...


@overload
def side_by_side(a: Program[A], b: Program[B], c: Program[C], d: Program[D], /) -> Program[tuple[A, B, C, D]]: ...


@overload
def side_by_side(*programs: Program[T]) -> Program[tuple[T, ...]]: ...


def side_by_side(*programs: Program[Any]) -> Program[tuple[Any, ...]]:
    """Run programs that do not depend on each other: what their steps read is asked together, until all have ended.

    None of them may hold a context open (a stage, a bound of time) while it asks: they take turns.
    """
    results: list[Any] = [None] * len(programs)
    asking: dict[int, tuple[Read[Any], ...]] = {}

    def go_on(place: int, replies: tuple[Reply[Any], ...] | None) -> None:
        try:
            asking[place] = next(programs[place]) if replies is None else programs[place].send(replies)
        except StopIteration as end:
            asking.pop(place, None)
            results[place] = end.value

    try:
        for place in range(len(programs)):
            go_on(place, None)
        while asking:
            replies = iter((yield tuple([read for reads in asking.values() for read in reads])))
            for place, reads in list(asking.items()):
                go_on(place, tuple([next(replies) for _ in reads]))
    finally:
        for program in programs:
            program.close()
    return tuple(results)


def runs_programs(store: Store) -> bool:
    """Whether a store runs programs itself (`RunsPrograms`)."""
    return getattr(store, "run_program", None) is not None


async def run_program(store: Store, scope: Scope, program: Program[Result]) -> Result:
    """Run a program on any store: where its data is if it can (`RunsPrograms`), else step by step."""
    if runs_programs(store):
        return await cast("RunsPrograms", store).run_program(scope, program)
    return await run_stepwise(store, scope, program)


async def run_stepwise(store: Store, scope: Scope, program: Program[Result]) -> Result:
    """Run a program here, asking the reads of each step side by side."""
    try:
        reads = next(program)
        while True:
            reads = program.send(await _replies(store, scope, reads))
    except StopIteration as end:
        return end.value
    finally:
        program.close()


async def _replies(store: Store, scope: Scope, reads: tuple[Read[Any], ...]) -> tuple[Reply[Any], ...]:
    """Ask the reads of a step side by side, those in one exchange that the store answers in one."""
    if len(reads) == 1:
        return (await _reply(store, scope, reads[0]),)
    groups: Sequence[Sequence[int]] = [[place] for place in range(len(reads))]
    if getattr(store, "read_together", None) is not None:
        groups = cast("ReadsTogether", store).together(reads)
    came = await asyncio.gather(*(_answers(store, scope, [reads[place] for place in group]) for group in groups))
    places = [place for group in groups for place in group]
    replies = dict(zip(places, [reply for answers in came for reply in answers], strict=True))
    return tuple([replies[place] for place in range(len(reads))])


async def _answers(store: Store, scope: Scope, group: Sequence[Read[Any]]) -> list[Reply[Any]]:
    if len(group) == 1:
        return [await _reply(store, scope, group[0])]
    began = time.perf_counter()
    bounds = [read.seconds for read in group]
    try:
        with within(None if None in bounds else max(cast("list[float]", bounds))):
            values = await cast("ReadsTogether", store).read_together(scope, group)
    except HindsightGraphError as error:
        return [Reply(None, error, began, time.perf_counter()) for _ in group]
    ended = time.perf_counter()
    return [Reply(value, None, began, ended) for value in values]


async def _reply(store: Store, scope: Scope, read: Read[Any]) -> Reply[Any]:
    began = time.perf_counter()
    try:
        with within(read.seconds):
            value = await getattr(store, read.name)(scope, *read.arguments, **read.named)
    except HindsightGraphError as error:
        return Reply(None, error, began, time.perf_counter())
    return Reply(value, None, began, time.perf_counter())
