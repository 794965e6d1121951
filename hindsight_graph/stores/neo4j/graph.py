"""Frontier steps over relationships: one statement for many nodes, each node bounded by itself.

Relations between things and the structure that holds memories together are two families of patterns, so a walk over relations
never touches the thousands of mentions at a hub.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import EdgePage, StoredPath, StoredPaths
from hindsight_graph.stores.neo4j import rows
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.parameters import scope_parameters
from hindsight_graph.stores.neo4j.rows import EdgeRow
from hindsight_graph.stores.walk import Bounds, FoundPath, Link, Reply, Request, Search, search, simple_paths


class EdgesRead(NamedTuple):
    """What `Store.edges_of` is asked, but the view."""

    ids: Sequence[str]
    types: Sequence[EdgeType]
    direction: Direction
    limit_per_node: int


_Ref = tuple[int, str]
"""When an edge was added, and the server's id of it."""
_OPPOSITE = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT, Direction.BOTH: Direction.BOTH}
_SIDES = {Direction.OUT: ("out",), Direction.IN: ("in",), Direction.BOTH: ("out", "in")}


def _families(types: Sequence[EdgeType]) -> tuple[tuple[str, list[str]], ...]:
    """Return the families that the types belong to, with the types of each; no types are all types."""
    asked = tuple(dict.fromkeys(types)) or (*RelationType, *StructureType)
    families = (
        ("relations", [kind.value for kind in asked if isinstance(kind, RelationType)]),
        ("structure", [kind.value for kind in asked if isinstance(kind, StructureType)]),
    )
    return tuple(family for family in families if family[1])


async def _step(
    connection: Connection,
    what: str,
    direction: Direction,
    types: Sequence[EdgeType],
    asked: dict[str, Any],
) -> list[tuple[str, Any]]:
    """Run the statements `walk/<what>_<side>_<family>` of a direction at once; return what they packed with the side of each.

    Args:
        connection: An open one.
        what: `links` or `degrees`.
        direction: Which sides.
        types: Which types; none are all.
        asked: The other parameters.

    In both directions an edge from a node to itself is taken on its out side only.
    """
    sides: list[str] = []
    questions: list[Coroutine[Any, Any, list[Any]]] = []
    for side in _SIDES[direction]:
        skip = side == "in" and direction is Direction.BOTH
        for family, names in _families(types):
            where = {**asked["where"], "types": names}
            sides.append(side)
            questions.append(connection.packed(f"walk/{what}_{side}_{family}", **{**asked, "where": where, "skip_loops": skip}))
    answers = await asyncio.gather(*questions)
    return [(side, row) for side, found in zip(sides, answers, strict=True) for row in found]


async def edges_of(connection: Connection, scope: Scope, reads: Sequence[EdgesRead], view: View) -> tuple[EdgePage, ...]:
    """Return what each read asks for, the newest edges of each of its nodes, by one statement; see `Store.edges_of`."""
    asked = [_asked(read) for read in reads]
    found: list[dict[str, dict[str, EdgeRow]]] = [{node: {} for node in one["ids"]} for one in asked]
    most = max((one["per_node"] for one in asked), default=0)
    packed: list[tuple[int, str, list[EdgeRow]]] = await connection.packed(
        "walk/edges", most=most, **scope_parameters(scope, view, reads=asked)
    )
    for place, node, newest in packed:
        found[place][node].update((row[0], row) for row in newest)
    return tuple([_page(per_node, read.limit_per_node) for per_node, read in zip(found, reads, strict=True)])


def _asked(read: EdgesRead) -> dict[str, Any]:
    families = dict(_families(read.types))
    return {
        "ids": list(dict.fromkeys(read.ids)), "outgoing": read.direction is not Direction.IN,
        "incoming": read.direction is not Direction.OUT, "relations": families.get("relations", []),
        "structure": families.get("structure", []), "per_node": read.limit_per_node + 1,
    }  # fmt: skip


def _page(per_node: Mapping[str, Mapping[str, EdgeRow]], limit: int) -> EdgePage:
    edges: dict[str, Edge] = {}
    truncated: list[str] = []
    for node, here in per_node.items():
        newest = sorted(here.values(), key=_newest, reverse=True)
        if len(newest) > limit:
            truncated.append(node)
        for row in newest[:limit]:
            if row[0] not in edges:
                edges[row[0]] = rows.edge_of(row)
    return EdgePage.model_construct(edges=tuple(edges.values()), truncated=tuple(truncated))


def _newest(row: EdgeRow) -> tuple[int, str, int, str]:
    """Sort key of the statements: when recorded; in one moment by type, then as added."""
    edge_id, recorded_at, kind, added = row[:4]
    return recorded_at, kind, added, edge_id


async def degrees(
    connection: Connection,
    scope: Scope,
    ids: Sequence[str],
    types: Sequence[EdgeType],
    direction: Direction,
    view: View,
    cap: int,
) -> dict[str, int]:
    """Count the edges of each node, no further than `cap`; see `Store.degrees`."""
    counted = dict.fromkeys(ids, 0)
    asked = {**scope_parameters(scope, view, ids=list(counted)), "cap": cap}
    for _, (node, count) in await _step(connection, "degrees", direction, types, asked):
        counted[node] = min(cap, counted[node] + count)
    return counted


async def owned_edges(connection: Connection, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
    """Return every edge these memories own, in the order of the memories, oldest first."""
    owners = list(dict.fromkeys(memory_ids))
    per_owner: dict[str, list[EdgeRow]] = {owner: [] for owner in owners}
    for owner, row in await connection.packed("walk/owned_edges", ids=owners, **scope_parameters(scope)):
        per_owner[owner].append(row)
    ordered = chain.from_iterable(sorted(found, key=lambda row: (row[3], row[0])) for found in per_owner.values())
    return tuple([rows.edge_of(row) for row in ordered])


async def paths(
    connection: Connection,
    scope: Scope,
    sources: Sequence[str],
    targets: Sequence[str] | None,
    types: Sequence[EdgeType],
    direction: Direction,
    max_hops: int,
    limit: int,
    view: View,
    bounds: Bounds,
) -> StoredPaths:
    """Search paths over canonical ids; see `Store.paths`."""

    async def fetch(request: Request) -> Reply[_Ref]:
        towards = _OPPOSITE[direction] if request.backward else direction
        links: dict[str, list[Link[_Ref]]] = {node: [] for node in request.nodes}
        asked = {**scope_parameters(scope, view, ids=list(request.nodes)), "per_node": request.per_node + 1}
        for side, row in await _step(connection, "links", towards, types, asked):
            node, other, kind, trust, confidence, recorded_at, edge_id, added, element = row
            rank = (trust, confidence, recorded_at, edge_id)
            links[node].append(Link(other, kind, side == "in", rank, (added, element)))
        cut = False
        for node, found in links.items():
            if len(found) > request.per_node:
                cut = True
                found.sort(key=lambda link: (link.rank[2], link.type, link.ref[0], link.rank[3]), reverse=True)
                links[node] = found[: request.per_node]
        return Reply(links, cut)

    steps: Search[_Ref] = search(
        sources, targets, undirected=direction is Direction.BOTH, max_hops=max_hops, limit=limit, bounds=bounds
    )
    found, truncated = await simple_paths(steps, fetch)
    return StoredPaths(paths=await _with_edges(connection, scope, found), truncated=truncated)


async def _with_edges(connection: Connection, scope: Scope, found: Sequence[FoundPath[_Ref]]) -> tuple[StoredPath, ...]:
    elements = sorted(set(chain.from_iterable([link.ref[1] for link in path.links] for path in found)))
    if not elements:
        return ()
    read = await connection.packed("walk/edges_by_element", tenant=scope.tenant, elements=elements)
    edges = {element: rows.edge_of(row) for element, row in read}
    return tuple(
        [
            StoredPath.model_construct(
                nodes=path.nodes, edges=tuple([edges[link.ref[1]] for link in path.links]), closes_cycle=path.closes_cycle
            )
            for path in found
            if all(link.ref[1] in edges for link in path.links)  # one that was erased since is no path any more
        ]
    )
