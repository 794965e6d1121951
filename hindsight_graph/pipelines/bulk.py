"""What many units at once need: the cycle collector rests while they are planned."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["MANY", "collector_resting"]

MANY = 200
"""Units from which on it pays; 2,500 of them make half a million objects that all live until they are written, and looking
through them again and again takes 8 % of the time (docs/adr/0008-cheaper-writes.md)."""


@contextmanager
def collector_resting(units: int) -> Generator[None]:
    """Let Python's cycle collector rest for the block when there are MANY units, which takes about a second.

    Whoever finds it switched off already leaves it so: a caller who does without it, or another call whose block ends first.
    """
    if units < MANY or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
