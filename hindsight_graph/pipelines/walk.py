"""A bounded walk whose direction depends on the relation: what `Store.paths` does not do, from `Store.edges_of` alone.

First the neighbourhood is read, level by level; then maximal paths are drawn from it best first: a path's score is the product
of its hops' scores, so it only falls along the way, and the first whole paths drawn are the best ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import StoredPath, StoredPaths
from hindsight_graph.pipelines.hops import edge_score
from hindsight_graph.stores.base import Store

FAN_OUT = 200
"""Edges read per node and direction at most."""
MAX_NODES = 5_000
"""Nodes whose edges are read at most."""
MAX_EXPANSIONS = 50_000
"""Partial paths looked at, at most."""


@dataclass(frozen=True)
class Step:
    """Relations, and the direction in which the walk takes them."""

    types: tuple[EdgeType, ...]
    direction: Direction


Adjacency = Mapping[str, Sequence[tuple[str, Edge]]]
"""Node id to (neighbour, edge) pairs."""


async def walk(
    store: Store, scope: Scope, sources: Sequence[str], steps: Sequence[Step], max_hops: int, limit: int, view: View
) -> StoredPaths:
    """Return the best maximal paths from the sources: each ends where no step leads on, at `max_hops`, or closing a cycle.

    Args:
        store: Where the edges are.
        scope: Whose edges.
        sources: Canonical node ids.
        steps: Which relations are walked in which direction; OUT and IN, each relation in one step only.
        max_hops: Edges on a path at most.
        limit: Paths at most.
        view: Which edges exist.
    """
    adjacency, cut = await read_neighbourhood(store, scope, sources, steps, max_hops, view)
    paths, more = best_paths(adjacency, sources, max_hops, limit)
    return StoredPaths(paths=paths, truncated=cut or more)


async def read_neighbourhood(
    store: Store, scope: Scope, sources: Sequence[str], steps: Sequence[Step], max_hops: int, view: View
) -> tuple[Adjacency, bool]:
    """Return the edges within `max_hops`, the best one per pair and type, and whether a bound cut it."""
    adjacency: dict[str, dict[tuple[str, EdgeType], Edge]] = {}
    frontier, cut = list(dict.fromkeys(sources)), False
    for _ in range(max_hops):
        room = MAX_NODES - len(adjacency)
        cut = cut or len(frontier) > room
        frontier = frontier[:room]
        if not frontier:
            break
        adjacency.update((node, {}) for node in frontier)
        reached: dict[str, None] = {}
        for step in steps:
            page = await store.edges_of(scope, frontier, step.types, step.direction, FAN_OUT, view)
            cut = cut or bool(page.truncated)
            for edge in page.edges:
                node, neighbour = _ends(edge, step.direction)
                if node == neighbour:
                    continue
                kept = adjacency[node].get((neighbour, edge.type))
                if kept is None or _rank(edge) > _rank(kept):
                    adjacency[node][neighbour, edge.type] = edge
                reached[neighbour] = None
        frontier = sorted(node for node in reached if node not in adjacency)
    return {node: [(key[0], edge) for key, edge in found.items()] for node, found in adjacency.items()}, cut


def best_paths(adjacency: Adjacency, sources: Sequence[str], max_hops: int, limit: int) -> tuple[tuple[StoredPath, ...], bool]:
    """Return up to `limit` maximal paths by score, ties by the ids on them, and whether there are or may be more."""
    waiting: list[tuple[float, tuple[str, ...], tuple[str, ...], tuple[Edge, ...]]] = []
    for source in dict.fromkeys(sources):
        heappush(waiting, (-1.0, (source,), (), ()))
    found: list[StoredPath] = []
    for _ in range(MAX_EXPANSIONS):
        if not waiting:
            return tuple(found), False
        negative, nodes, keys, edges = heappop(waiting)
        closes = nodes[-1] in nodes[:-1]
        onward = () if closes or len(edges) == max_hops else adjacency.get(nodes[-1], ())
        if not onward and edges:
            if len(found) == limit:
                return tuple(found), True
            found.append(StoredPath(nodes=nodes, edges=edges, closes_cycle=closes))
        for neighbour, edge in onward:
            heappush(waiting, (negative * edge_score(edge), (*nodes, neighbour), (*keys, edge.id), (*edges, edge)))
    return tuple(found), True


def _ends(edge: Edge, direction: Direction) -> tuple[str, str]:
    """Return where the walk stands and where the edge leads it."""
    ends = edge.source_canonical, edge.target_canonical
    return ends if direction is Direction.OUT else (ends[1], ends[0])


def _rank(edge: Edge) -> tuple[float, float, float, str]:
    """Order of parallel edges: trust, confidence, newest."""
    return edge.trust, edge.confidence, edge.recorded_at.timestamp(), edge.id
