"""The walk: best-first from what was found, over relations, to what it hangs together with.

A pure state machine: it says which nodes to open next (`frontier`), takes their edges (`absorb`), and keeps for every memory the
best way to it. The weight of a step is that of its relation type x confidence x trust of the edge x a damping of busy nodes
(the fan effect of spreading activation: Anderson 1983).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType

__all__ = ["RELATION_WEIGHTS", "Reach", "Step", "Walk", "better", "damping", "even_share"]

LEAST = 0.01
"""A way worth less is no way."""

RELATION_WEIGHTS: Mapping[EdgeType, float] = {
    RelationType.DEPENDS_ON: 1.0,
    RelationType.CAUSES: 1.0,
    RelationType.FIXES: 1.0,
    RelationType.REPLACES: 0.9,
    RelationType.PRODUCES: 0.9,
    RelationType.USES: 0.8,
    RelationType.PART_OF: 0.8,
    RelationType.OWNS: 0.8,
    RelationType.PRECEDES: 0.7,
    RelationType.PREFERS: 0.7,
    RelationType.AVOIDS: 0.7,
    RelationType.LOCATED_IN: 0.6,
    RelationType.RELATED_TO: 0.4,
    StructureType.MENTIONS: 0.4,
}
"""How much of a node's value an association carries over each type of edge; an asked relation carries all of it."""


def damping(degree: int) -> float:
    """Return how much of a node's value each of its `degree` edges carries in an association: 1 / log2(1 + degree)."""
    return 1.0 / log2(1 + max(degree, 1))


def even_share(degree: int, free: int) -> float:
    """Return the same for an asked relation: all of it up to `free` edges, then an even split of that.

    A service has a few dependencies, and each of them matters; that a person uses thirty things says little about one of them.
    """
    return min(1.0, free / max(degree, 1))


@dataclass(frozen=True, slots=True)
class Step:
    """An edge as walked: from one node to another, along the arrow or against it."""

    edge: Edge
    origin: str
    target: str

    @property
    def against(self) -> bool:
        """Whether the edge was walked against its arrow."""
        return self.edge.source_canonical != self.origin


@dataclass(frozen=True, slots=True)
class Reach:
    """The best way found to a node or memory.

    Attributes:
        carried: What damping, fading and relation weights left of the start's value, 0..1.
        weakest: The least trust x confidence on the way: a chain is as good as its weakest link.
        start: The node it started from.
    """

    carried: float
    weakest: float
    start: str
    steps: tuple[Step, ...] = ()

    @property
    def value(self) -> float:
        """How much the way is worth, 0..1."""
        return self.carried * self.weakest


@dataclass(slots=True)
class Walk:
    """One bounded best-first walk.

    Attributes:
        directions: The edge types to follow, and in which direction each.
        max_hops: Steps of one way at most. beam: nodes opened per round at most.
        free: Edges of a node that carry all of its value (`even_share`); None damps by the logarithm of the degree.
        fade: What remains of the value per step, 0..1. floor: nodes reached below this value are not opened.
        weights: Share carried per edge type; absent is 1.
    """

    directions: Mapping[EdgeType, Direction]
    max_hops: int
    beam: int
    free: int | None = None
    fade: float = 0.95
    floor: float = 0.02
    weights: Mapping[EdgeType, float] = field(default_factory=dict[EdgeType, float])
    nodes: dict[str, Reach] = field(default_factory=dict[str, Reach])
    memories: dict[str, Reach] = field(default_factory=dict[str, Reach])
    truncated: bool = False
    _opened: set[str] = field(default_factory=set[str])

    def seed(self, node: str, value: float) -> None:
        """Start from a node; the highest value counts."""
        known = self.nodes.get(node)
        if known is None or known.value < value:
            self.nodes[node] = Reach(value, 1.0, node)

    @property
    def direction(self) -> Direction:
        """The one direction that fetches every edge the walk may follow."""
        wanted = set(self.directions.values())
        return next(iter(wanted)) if len(wanted) == 1 else Direction.BOTH

    def frontier(self) -> tuple[str, ...]:
        """Return the best nodes not opened yet, at most `beam`, best first, ties by id; none when the walk is over."""
        waiting = [
            (node, reach) for node, reach in self.nodes.items() if node not in self._opened and len(reach.steps) < self.max_hops
        ]
        waiting.sort(key=lambda item: (-item[1].value, item[0]))
        if len(waiting) > self.beam:
            self.truncated = True
        return tuple(node for node, _ in waiting[: self.beam])

    def absorb(self, frontier: Sequence[str], edges: Iterable[Edge], cut: Iterable[str] = (), limit: int = 0) -> None:
        """Take the edges of opened nodes; `cut` are nodes whose edges were limited, so their degree is at least `limit`."""
        self._opened.update(frontier)
        here = set(frontier)
        at: dict[str, list[tuple[Edge, str]]] = {node: [] for node in frontier}
        for edge in edges:
            wanted = self.directions.get(edge.type)
            if wanted is None:
                continue
            source, target = edge.source_canonical, edge.target_canonical
            if source in here and wanted is not Direction.IN:
                at[source].append((edge, target))
            if target in here and wanted is not Direction.OUT and source != target:
                at[target].append((edge, source))
        limited = set(cut)
        self.truncated = self.truncated or bool(limited)
        for node in frontier:
            least = limit if node in limited else 0
            shares = self._shares(at[node], least)
            for edge, other in at[node]:
                self._take(node, edge, other, shares[edge.type])

    def _shares(self, edges: Sequence[tuple[Edge, str]], least: int) -> dict[EdgeType, float]:
        """Return what each relation carries from a node; `least` is how many edges it has at least.

        In an association all edges of a node share its value. Of asked relations each is split by itself: where a service runs
        and what it is written in says nothing about how many things it depends on.
        """
        others: dict[EdgeType, set[str]] = {}
        for edge, other in edges:
            others.setdefault(edge.type, set()).add(other)
        if self.free is None:
            share = damping(max(least, len({other for _, other in edges})))
            return dict.fromkeys(others, share)
        return {relation: even_share(max(least, len(ends)), self.free) for relation, ends in others.items()}

    def _take(self, node: str, edge: Edge, other: str, share: float) -> None:
        reach = self.nodes[node]
        if other == reach.start or any(step.target == other for step in reach.steps):
            return
        carried = reach.carried * share * self.fade
        if self.free is None or not reach.steps or reach.steps[-1].edge.type != edge.type:
            carried *= self.weights.get(
                edge.type, 1.0
            )  # an asked walk pays for leaving the relation, not for each step along another
        weakest = min(reach.weakest, edge.confidence * edge.trust)
        if carried * weakest < LEAST:
            return
        found = Reach(carried, weakest, reach.start, (*reach.steps, Step(edge, node, other)))
        if edge.owner_id != reach.start and better(found, self.memories.get(edge.owner_id)):
            self.memories[edge.owner_id] = found
        is_memory = edge.type is StructureType.MENTIONS and other == edge.source_canonical
        worth_opening = not is_memory and other not in self._opened and carried * weakest >= self.floor
        if worth_opening and better(found, self.nodes.get(other)):
            self.nodes[other] = found


def better(found: Reach, known: Reach | None) -> bool:
    """Return whether a way is worth more than the one known so far; of equal ones the one over earlier edges."""
    if known is None:
        return True
    if found.value != known.value:
        return found.value > known.value
    return [step.edge.id for step in found.steps] < [step.edge.id for step in known.steps]
