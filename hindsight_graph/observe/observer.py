"""The port that events go through."""

from typing import Protocol

from hindsight_graph.observe.events import Event

__all__ = ["NOBODY", "Nobody", "Observer", "Several"]


class Observer(Protocol):
    """Takes events. It is called on the engine's event loop between two steps: it must not wait, and must not raise."""

    def observe(self, event: Event) -> None:
        """Take note of an event."""
        ...


class Nobody:
    """Takes note of nothing."""

    def observe(self, event: Event) -> None:
        """Do nothing."""


NOBODY = Nobody()


class Several:
    """Passes every event on to each of these, in order."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers

    def observe(self, event: Event) -> None:
        """Pass the event on."""
        for observer in self._observers:
            observer.observe(event)
