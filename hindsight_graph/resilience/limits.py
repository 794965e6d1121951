"""How much time is left: set where an answer is promised, read where something is waited for."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

__all__ = ["left", "within"]

_UNTIL: ContextVar[float | None] = ContextVar("hindsight_graph_until", default=None)


@contextmanager
def within(seconds: float | None) -> Generator[None]:
    """Bound what is waited for inside to `seconds` from now, or to what an outer bound leaves; None adds no bound."""
    outer = _UNTIL.get()
    mine = None if seconds is None else monotonic() + seconds
    token = _UNTIL.set(min((bound for bound in (outer, mine) if bound is not None), default=None))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def left() -> float | None:
    """Return the seconds that are left, which may be below 0; None when nothing bounds the caller."""
    until = _UNTIL.get()
    return None if until is None else until - monotonic()
