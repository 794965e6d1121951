"""Frontier steps over the edges table: one statement for many nodes, each node bounded by itself."""

import json
import sqlite3
from collections.abc import Sequence
from itertools import chain

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import EdgePage, StoredPath, StoredPaths
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.predicates import Where, add_scope, add_view
from hindsight_graph.stores.walk import Bounds, FoundPath, Link, Reply, Request, run, search

_EDGE_READ = ", ".join(f"e.{name}" for name in rows.EDGE_COLUMNS)
_LINK_READ = "e.source_canonical, e.target_canonical, e.type, e.trust, e.confidence, e.recorded_at, e.id, e.num"
_OPPOSITE = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT, Direction.BOTH: Direction.BOTH}


def _sides(direction: Direction) -> tuple[str, ...]:
    return {Direction.OUT: ("source",), Direction.IN: ("target",), Direction.BOTH: ("source", "target")}[direction]


def _frontier(where: Where, side: str, read: str, *, skip_loops: bool) -> str:
    """Return the statement that reads the newest edges of each node on one side: nodes x types, each at most :per_node.

    An index leads straight to the edges of one node and type in record order, so a node with thousands of edges costs no more than
    the limit.
    """
    loops = f" AND x.{'source' if side == 'target' else 'target'}_canonical <> n.value" if skip_loops else ""
    return (
        f"SELECT n.value, {read} FROM json_each(:nodes) n CROSS JOIN json_each(:types) t CROSS JOIN edges e"
        f" WHERE e.num IN (SELECT x.num FROM edges x WHERE x.tenant = :tenant AND x.{side}_canonical = n.value AND x.type = t.value"
        f" AND {where.sql}{loops} ORDER BY x.recorded_at DESC, x.num DESC LIMIT :per_node)"
    )


def _visible(scope: Scope, view: View) -> Where:
    where = Where()
    add_scope(where, scope, "x")
    add_view(where, view, "x")
    return where


def _type_names(types: Sequence[EdgeType]) -> str:
    """Return the asked types, or all of them, as a JSON list."""
    return json.dumps([kind.value for kind in dict.fromkeys(types)] if types else list(rows.EDGE_TYPES))


def edges_of(
    connection: sqlite3.Connection,
    scope: Scope,
    ids: Sequence[str],
    types: Sequence[EdgeType],
    direction: Direction,
    limit: int,
    view: View,
) -> EdgePage:
    """Return the newest edges of each node; see `Store.edges_of`."""
    nodes = list(dict.fromkeys(ids))
    where = _visible(scope, view)
    parameters = {
        **where.parameters, "nodes": json.dumps(nodes), "types": _type_names(types), "per_node": limit + 1,
    }  # fmt: skip
    per_node: dict[str, dict[str, Edge]] = {node: {} for node in nodes}
    order: dict[str, tuple[int, int]] = {}
    for side in _sides(direction):
        for row in connection.execute(
            _frontier(where, side, _EDGE_READ + ", e.recorded_at, e.num", skip_loops=False), parameters
        ):
            edge = rows.edge_of(row[1:-2])
            per_node[row[0]][edge.id] = edge
            order[edge.id] = (-row[-2], -row[-1])
    found: dict[str, Edge] = {}
    truncated: list[str] = []
    for node, edges in per_node.items():
        newest = sorted(edges.values(), key=lambda edge: order[edge.id])
        if len(newest) > limit:
            truncated.append(node)
        found.update((edge.id, edge) for edge in newest[:limit])
    return EdgePage.model_construct(edges=tuple(found.values()), truncated=tuple(truncated))


def degrees(
    connection: sqlite3.Connection,
    scope: Scope,
    ids: Sequence[str],
    types: Sequence[EdgeType],
    direction: Direction,
    view: View,
    cap: int,
) -> dict[str, int]:
    """Count the edges of each node, no further than `cap`; see `Store.degrees`."""
    nodes = list(dict.fromkeys(ids))
    where = _visible(scope, view)
    counted = dict.fromkeys(nodes, 0)
    narrow = " AND x.type IN (SELECT value FROM json_each(:types))" if types else ""
    for side in _sides(direction):
        loops = " AND x.source_canonical <> n.value" if side == "target" and direction is Direction.BOTH else ""
        for node, number in connection.execute(
            f"SELECT n.value, (SELECT count(*) FROM (SELECT 1 FROM edges x WHERE x.tenant = :tenant AND x.{side}_canonical = n.value{narrow}"
            f" AND {where.sql}{loops} LIMIT :cap)) FROM json_each(:nodes) n",
            {**where.parameters, "nodes": json.dumps(nodes), "types": _type_names(types), "cap": cap},
        ):
            counted[node] = min(cap, counted[node] + number)
    return counted


def owned_edges(connection: sqlite3.Connection, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
    """Return every edge these memories own, in the order of the memories, oldest first."""
    where = Where()
    add_scope(where, scope, "e")
    found = connection.execute(
        f"SELECT {_EDGE_READ} FROM json_each(:owners) o CROSS JOIN edges e ON e.owner_id = o.value AND {where.sql} ORDER BY o.key, e.num",
        {**where.parameters, "owners": json.dumps(list(dict.fromkeys(memory_ids)))},
    )
    return tuple([rows.edge_of(row) for row in found])


def paths(
    connection: sqlite3.Connection,
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
    where = _visible(scope, view)
    parameters = {**where.parameters, "types": _type_names(types)}
    statements = {
        (side, skip): _frontier(where, side, _LINK_READ, skip_loops=skip)
        for side in ("source", "target")
        for skip in (False, True)
    }

    def fetch(request: Request) -> Reply[int]:
        towards = _OPPOSITE[direction] if request.backward else direction
        links: dict[str, list[Link[int]]] = {node: [] for node in request.nodes}
        cut = False
        for side in _sides(towards):
            statement = statements[side, side == "target" and towards is Direction.BOTH]
            asked = {**parameters, "nodes": json.dumps(request.nodes), "per_node": request.per_node + 1}
            for node, source, target, kind, trust, confidence, recorded_at, edge_id, number in connection.execute(
                statement, asked
            ):
                against = side == "target"
                links[node].append(
                    Link(source if against else target, kind, against, (trust, confidence, recorded_at, edge_id), number)
                )
        for node, found in links.items():
            if len(found) > request.per_node:
                cut = True
                found.sort(key=lambda link: (-link.rank[2], -link.ref))
                links[node] = found[: request.per_node]
        return Reply(links, cut)

    found, truncated = run(
        search(sources, targets, undirected=direction is Direction.BOTH, max_hops=max_hops, limit=limit, bounds=bounds), fetch
    )
    return StoredPaths(paths=_with_edges(connection, found), truncated=truncated)


def _with_edges(connection: sqlite3.Connection, found: Sequence[FoundPath[int]]) -> tuple[StoredPath, ...]:
    numbers = sorted(set(chain.from_iterable([link.ref for link in path.links] for path in found)))
    edges = {
        row[0]: rows.edge_of(row[1:])
        for row in connection.execute(
            f"SELECT e.num, {_EDGE_READ} FROM edges e WHERE e.num IN (SELECT value FROM json_each(?))",
            (json.dumps(numbers),),
        )
    }
    return tuple(
        [
            StoredPath.model_construct(
                nodes=path.nodes, edges=tuple([edges[link.ref] for link in path.links]), closes_cycle=path.closes_cycle
            )
            for path in found
        ]
    )
