"""Cycles in a directed graph: pure functions over node ids."""

from collections import deque
from collections.abc import Collection, Mapping

MAX_STEPS = 2_000_000
"""Edges looked at while searching, at most."""


def shortest_cycles(arrows: Mapping[str, Collection[str]], limit: int) -> tuple[tuple[tuple[str, ...], ...], bool]:
    """Return for each node on a cycle a shortest cycle through it, each cycle once.

    Args:
        arrows: Node to the nodes its edges lead to.
        limit: Cycles at most.

    Returns:
        The cycles, shortest first, ties by id; each begins with its smallest id and ends with it again. And whether a bound cut
        the search.
    """
    core = _core(arrows)
    found: set[tuple[str, ...]] = set()
    steps = 0
    for node in sorted(core):
        cycle, seen = _shortest_through(core, node, MAX_STEPS - steps)
        steps += seen
        if cycle is not None:
            least = cycle.index(min(cycle))
            found.add((*cycle[least:], *cycle[: least + 1]))
        if steps >= MAX_STEPS:
            break
    cycles = sorted(found, key=lambda cycle: (len(cycle), cycle))
    return tuple(cycles[:limit]), len(cycles) > limit or steps >= MAX_STEPS


def _core(arrows: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Take away, again and again, what no edge leads to or from; what remains lies on cycles or between them."""
    onward = {node: {other for other in others if other in arrows} for node, others in arrows.items()}
    back: dict[str, set[str]] = {node: set() for node in onward}
    for node, others in onward.items():
        for other in others:
            back[other].add(node)
    ends = deque(node for node in onward if not onward[node] or not back[node])
    while ends:
        node = ends.popleft()
        if node not in onward:
            continue
        for other in onward.pop(node):
            back[other].discard(node)
            if other in onward and not back[other]:
                ends.append(other)
        for other in back.pop(node):
            if other in onward:
                onward[other].discard(node)
                if not onward[other]:
                    ends.append(other)
    return {node: sorted(others) for node, others in onward.items()}


def _shortest_through(arrows: Mapping[str, Collection[str]], start: str, budget: int) -> tuple[tuple[str, ...] | None, int]:
    """Search breadth first for the way from `start` back to it; returns the nodes on it, each once, and the edges looked at."""
    came_from: dict[str, str] = {}
    waiting = deque([start])
    steps = 0
    while waiting and steps < budget:
        node = waiting.popleft()
        for other in arrows[node]:
            steps += 1
            if other == start:
                way = [node]
                while way[-1] != start:
                    way.append(came_from[way[-1]])
                return tuple(reversed(way)), steps
            if other not in came_from:
                came_from[other] = node
                waiting.append(other)
    return None, steps
