"""Rows that recalls read again and again, kept as models: making 150 memories and 200 edges took half of a recall's time."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")


class Kept(Generic[Key, Item]):
    """Frozen models by key, a bounded number of them: the first ones kept go first.

    Whoever keeps it says what has changed. Belongs to the reader's thread.

    Args:
        bound: How many.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._items: dict[Key, Item] = {}

    def __len__(self) -> int:
        return len(self._items)

    def get(self, keys: Sequence[Key], read: Callable[[Sequence[Key]], dict[Key, Item]]) -> dict[Key, Item]:
        """Return the items of these keys; `read` is asked for those that are not kept, and what it does not have is left out."""
        items = self._items
        found = {key: items[key] for key in keys if key in items}
        if len(found) < len(keys):
            new = read([key for key in keys if key not in found])
            found |= new
            items |= new
            while len(items) > self._bound:
                del items[next(iter(items))]
        return found

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget what has changed."""
        for key in keys:
            self._items.pop(key, None)

    def clear(self) -> None:
        """Forget all."""
        self._items.clear()
