"""Time, injected. Nothing else in the package asks the operating system what time it is."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where `now` comes from; aware, in UTC."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...


class SystemClock:
    """The operating system's clock."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that moves only when told: for tests, demos and replays."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("start must be timezone-aware")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        """Return the time it was last set to."""
        return self._now

    def advance(self, step: timedelta) -> datetime:
        """Move forward by `step` and return the new time."""
        self._now += step
        return self._now

    def ticks(self, step: timedelta) -> Iterator[datetime]:
        """Yield the current time, moving by `step` after each."""
        while True:
            yield self._now
            self._now += step
