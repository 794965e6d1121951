"""Results that contradict each other: which comes first, and the notice (promise R-07)."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from hindsight_graph.models.memory import Memory
from hindsight_graph.models.result import Conflict
from hindsight_graph.text.names import normal_name

__all__ = ["order_conflicts", "slot_conflicts"]


def _name(text: str) -> str:
    try:
        return normal_name(text)
    except ValueError:
        return text.casefold()


def slot_conflicts(memories: Sequence[Memory]) -> list[tuple[str, str, str]]:
    """Return pairs of ids that give one slot different values, each with the reason in words."""
    by_slot: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        if memory.slot is not None:
            by_slot.setdefault((_name(memory.slot.subject), _name(memory.slot.attribute)), []).append(memory)
    found: list[tuple[str, str, str]] = []
    for rivals in by_slot.values():
        for one, other in combinations(rivals, 2):
            if one.slot and other.slot and _name(one.slot.value) != _name(other.slot.value):
                values = f"{one.slot.value!r} and {other.slot.value!r}"
                found.append((one.id, other.id, f"{one.slot.subject} / {one.slot.attribute} has two values, {values}"))
    return found


def _standing(memory: Memory) -> tuple[int, int, float, str]:
    return memory.priority, memory.version, memory.valid_from.timestamp(), memory.id


def _why(first: Memory, second: Memory) -> str:
    if first.priority != second.priority:
        return f"higher priority first ({first.priority} over {second.priority})"
    if first.version != second.version:
        return f"higher version first ({first.version} over {second.version})"
    if first.valid_from != second.valid_from:
        return f"later event time first ({first.valid_from:%Y-%m-%d} over {second.valid_from:%Y-%m-%d})"
    return "later recorded first"


def order_conflicts(
    memories: Sequence[Memory], pairs: Iterable[tuple[str, str, str]]
) -> tuple[tuple[str, ...], tuple[Conflict, ...]]:
    """Return the ids reordered so that of each contradicting pair the preferred stands first, and one notice per pair.

    Preferred is the higher priority, then the higher version, then the later event time, then the later id. The preferred
    one moves up to just before the other; everything else keeps its order.
    """
    by_id = {memory.id: memory for memory in memories}
    order = [memory.id for memory in memories]
    notices: dict[tuple[str, str], Conflict] = {}
    for one, other, what in pairs:
        if one not in by_id or other not in by_id or one == other:
            continue
        first, second = sorted((by_id[one], by_id[other]), key=_standing, reverse=True)
        if (first.id, second.id) in notices:
            continue
        notices[first.id, second.id] = Conflict(preferred=first.id, other=second.id, reason=f"{what}; {_why(first, second)}")
        if order.index(first.id) > order.index(second.id):
            order.remove(first.id)
            order.insert(order.index(second.id), first.id)
    return tuple(order), tuple(notices.values())
