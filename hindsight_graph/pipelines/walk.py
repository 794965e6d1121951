"""A walk whose direction depends on the relation, which `Store.paths` does not do: `Store.edges_of` under the one path search."""

from collections.abc import Sequence
from dataclasses import dataclass

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import StoredPath, StoredPaths
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.walk import Bounds, FoundPath, Link, Reply, Request, search, simple_paths

_EDGES = 6_000
_LEAST_BEAM = 200
"""Every unfinished path ends as at least one whole one, so a beam of more than the limit cuts nothing that `truncated` would not
say anyway; with these two an impact question costs about a third of what the store's own, wider bounds cost."""


@dataclass(frozen=True)
class Step:
    """Relations, and the one direction in which the walk takes them; no types stand for all."""

    types: tuple[EdgeType, ...]
    direction: Direction


async def mixed_paths(
    store: Store, scope: Scope, sources: Sequence[str], steps: Sequence[Step], max_hops: int, limit: int, view: View
) -> StoredPaths:
    """Return maximal paths from the sources, as `Store.paths` does, each step's relations walked in that step's direction.

    Args:
        store: Where the edges are.
        scope: Whose edges.
        sources: Canonical node ids.
        steps: OUT or IN each, no relation in two of them.
        max_hops: Edges on a path at most.
        limit: Paths at most.
        view: Which edges exist.
    """

    async def fetch(request: Request) -> Reply[Edge]:
        links: dict[str, list[Link[Edge]]] = {node: [] for node in request.nodes}
        cut = False
        for step in steps:
            page = await store.edges_of(scope, request.nodes, step.types, step.direction, request.per_node, view)
            cut = cut or bool(page.truncated)
            against = step.direction is Direction.IN
            for edge in page.edges:
                here, there = edge.source_canonical, edge.target_canonical
                if against:
                    here, there = there, here
                moment = int(edge.recorded_at.timestamp() * 1_000_000)
                links[here].append(Link(there, edge.type, against, (edge.trust, edge.confidence, moment, edge.id), edge))
        return Reply(links, cut)

    bounds = Bounds(edges=_EDGES, beam=max(_LEAST_BEAM, 2 * limit))
    found, truncated = await simple_paths(
        search(sources, None, undirected=False, max_hops=max_hops, limit=limit, bounds=bounds), fetch
    )
    return StoredPaths(paths=tuple(_stored(path) for path in found), truncated=truncated)


def _stored(path: FoundPath[Edge]) -> StoredPath:
    return StoredPath(nodes=path.nodes, edges=tuple(link.ref for link in path.links), closes_cycle=path.closes_cycle)
