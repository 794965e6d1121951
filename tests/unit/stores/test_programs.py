"""Programs that run side by side: their reads are asked together, and each ends by itself."""

from collections.abc import Sequence
from typing import TypeVar

import pytest

from hindsight_graph.errors import NotFoundError, StoreUnavailableError
from hindsight_graph.stores.program import Program, Read, Reply, as_reply, ask, side_by_side

T = TypeVar("T")


def read(name: str) -> Read[str]:
    return Read(name)


def asking(*names: str) -> Program[tuple[str, ...]]:
    heard: tuple[str, ...] = ()
    for name in names:
        heard += ((yield from ask(read(name))),)
    return heard


def run(program: Program[T], errors: Sequence[str] = ()) -> tuple[list[tuple[str, ...]], T]:
    """Run a program with the names of its reads as their values; returns the steps and the result."""
    steps: list[tuple[str, ...]] = []
    try:
        reads = next(program)
        while True:
            steps.append(tuple(asked.name for asked in reads))
            reads = program.send(tuple(answer(asked.name, errors) for asked in reads))
    except StopIteration as end:
        return steps, end.value


def answer(name: str, errors: Sequence[str]) -> Reply[str]:
    return Reply(None, StoreUnavailableError(name), 0.0, 1.0) if name in errors else Reply(name.upper(), None, 0.0, 1.0)


def test_what_side_by_side_programs_ask_comes_in_one_step_until_each_has_ended() -> None:
    steps, result = run(side_by_side(asking("a", "b", "c"), asking("d"), asking(), asking("e", "f")))
    assert steps == [("a", "d", "e"), ("b", "f"), ("c",)]
    assert result == (("A", "B", "C"), ("D",), (), ("E", "F"))


def test_no_programs_are_no_step() -> None:
    nothing: Program[tuple[str, ...]] = side_by_side()
    assert run(nothing) == ([], ())


def test_an_error_that_one_keeps_leaves_the_others_alone() -> None:
    steps, result = run(side_by_side(as_reply(asking("a", "b")), as_reply(asking("c", "d"))), errors=["a"])
    assert steps == [("a", "c"), ("d",)]
    failed, well = result
    assert isinstance(failed.error, StoreUnavailableError)
    assert well.take() == ("C", "D")


def test_an_error_that_none_keeps_ends_them_all() -> None:
    ended: list[str] = []

    def last() -> Program[None]:
        try:
            yield from ask(read("x"))
        finally:
            ended.append("closed")

    def failing() -> Program[None]:
        yield from ask(read("y"))
        raise NotFoundError("nothing")

    with pytest.raises(NotFoundError):
        run(side_by_side(failing(), last()))
    assert ended == ["closed"]
