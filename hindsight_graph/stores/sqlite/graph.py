"""Frontier steps over the edges table: one statement for many nodes, each node bounded by itself."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Direction, EdgeType, RelationType, StructureType
from hindsight_graph.models.query import Scope, View
from hindsight_graph.models.record import EdgePage, StoredPath, StoredPaths
from hindsight_graph.stores.sqlite import rows
from hindsight_graph.stores.sqlite.kept import Kept
from hindsight_graph.stores.sqlite.predicates import Where, add_scope, add_view
from hindsight_graph.stores.walk import Bounds, Link, Reply, Request, run, search

_EDGE_READ = ", ".join(f"e.{name}" for name in rows.EDGE_COLUMNS)
_LINK_READ = "x.source_canonical, x.target_canonical, x.trust, x.confidence, x.id"
_OPPOSITE = {Direction.OUT: Direction.IN, Direction.IN: Direction.OUT, Direction.BOTH: Direction.BOTH}
_SIDES = {Direction.OUT: ("source",), Direction.IN: ("target",), Direction.BOTH: ("source", "target")}


def _type_conditions(types: Sequence[EdgeType]) -> list[str]:
    """Return what the asked types (none: all) mean in each half of the edge indexes: structure, then domain relations."""
    conditions: list[str] = []
    for is_domain, family in enumerate((StructureType, RelationType)):
        asked = {kind.value for kind in types if kind.value in family.__members__} if types else set(family.__members__)
        if asked:
            narrow = "" if len(asked) == len(family) else " AND +x.type IN ('" + "', '".join(sorted(asked)) + "')"
            conditions.append(f"x.is_domain = {is_domain}{narrow}")
    return conditions


def frontier(where: Where, direction: Direction, types: Sequence[EdgeType], read: str) -> str:
    """Return the statement of `_frontier`."""
    return _frontier(where.sql, direction, tuple(types), read)


@lru_cache(maxsize=256)
def _frontier(where: str, direction: Direction, types: tuple[EdgeType, ...], read: str) -> str:
    """Return the statement that reads the newest edges of the node :node, newest first, at most :per_node of them.

    Each side and each half of the types is one walk along an index in record order, and SQLite merges these walks: it reads no
    more rows than the limit, however many edges a node has, unless the asked types are rare among them. Among edges recorded at
    the same moment the index orders by type, then number. A loop is read from its source only. The unary plus keeps SQLite from
    sorting all edges of a moment, which it does for a single type: a hub written in one batch took five times as long.

    One statement for each node takes half the time of one for all of them, which reads every edge twice: once to order, once by
    its number (measured on four hops at 100,000 memories).
    """
    parts = [
        f"SELECT x.recorded_at AS moment, x.type AS type, x.num AS num, {read} FROM edges x WHERE x.tenant = :tenant"
        f" AND x.{side}_canonical = :node AND {condition} AND {where}"
        + (" AND x.source_canonical <> :node" if side == "target" and direction is Direction.BOTH else "")
        for side in _SIDES[direction]
        for condition in _type_conditions(types)
    ]
    return f"{' UNION ALL '.join(parts)} ORDER BY moment DESC, type DESC, num DESC LIMIT :per_node"


def visible(scope: Scope, view: View) -> Where:
    """Return the condition on an edge `x` that the scope sees and the view lets through."""
    where = Where()
    add_scope(where, scope, "x")
    add_view(where, view, "x")
    return where


def edges_of(
    connection: sqlite3.Connection,
    scope: Scope,
    ids: Sequence[str],
    types: Sequence[EdgeType],
    direction: Direction,
    limit: int,
    view: View,
    kept: Kept[int, Edge] | None = None,
) -> EdgePage:
    """Return the newest edges of each node; see `Store.edges_of`. `kept` are edges of the tenant as they stand."""
    where = visible(scope, view)
    statement = frontier(where, direction, types, "x.is_domain")
    numbers: dict[int, None] = {}
    truncated: list[str] = []
    for node in dict.fromkeys(ids):
        found = connection.execute(statement, {**where.parameters, "node": node, "per_node": limit + 1}).fetchall()
        if len(found) > limit:
            truncated.append(node)
        numbers.update(dict.fromkeys([row[2] for row in found[:limit]]))
    read = partial(_edges_by_number, connection)
    edges = read(numbers) if kept is None else kept.get(tuple(numbers), read)
    return EdgePage.model_construct(edges=tuple([edges[number] for number in numbers]), truncated=tuple(truncated))


def _edges_by_number(connection: sqlite3.Connection, numbers: Iterable[int]) -> dict[int, Edge]:
    found = connection.execute(
        f"SELECT e.num, {_EDGE_READ} FROM edges e WHERE e.num IN (SELECT value FROM json_each(?))", (json.dumps(sorted(numbers)),)
    )
    return {row[0]: rows.edge_of(row[1:]) for row in found}


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
    where = visible(scope, view)
    counted = dict.fromkeys(ids, 0)
    parameters = {**where.parameters, "nodes": json.dumps(list(counted)), "cap": cap}
    for side in _SIDES[direction]:
        loops = " AND x.source_canonical <> n.value" if side == "target" and direction is Direction.BOTH else ""
        for condition in _type_conditions(types):
            for node, number in connection.execute(
                "SELECT n.value, (SELECT count(*) FROM (SELECT 1 FROM edges x WHERE x.tenant = :tenant"
                f" AND x.{side}_canonical = n.value AND {condition} AND {where.sql}{loops} LIMIT :cap)) FROM json_each(:nodes) n",
                parameters,
            ):
                counted[node] = min(cap, counted[node] + number)
    return counted


def owned_edges(connection: sqlite3.Connection, scope: Scope, memory_ids: Sequence[str]) -> tuple[Edge, ...]:
    """Return every edge these memories own, in the order of the memories, oldest first."""
    where = Where()
    add_scope(where, scope, "e")
    found = connection.execute(
        f"SELECT {_EDGE_READ} FROM json_each(:owners) o CROSS JOIN edges e ON e.owner_id = o.value AND {where.sql}"
        " ORDER BY o.key, e.num",
        {**where.parameters, "owners": json.dumps(list(dict.fromkeys(memory_ids)))},
    )
    return tuple([rows.edge_of(row) for row in found])


class _Fetcher:
    """Answers the requests of a search for paths from the edges table; a link's `ref` is the edge's number."""

    def __init__(self, connection: sqlite3.Connection, where: Where, types: Sequence[EdgeType], direction: Direction) -> None:
        self._connection = connection
        self._parameters = where.parameters
        self._statements = {
            backward: frontier(where, towards, types, _LINK_READ)
            for backward, towards in ((False, direction), (True, _OPPOSITE[direction]))
        }

    def __call__(self, request: Request) -> Reply[int]:
        statement, per_node = self._statements[request.backward], request.per_node
        asked = {**self._parameters, "per_node": per_node + 1}
        links: dict[str, list[Link[int]]] = {}
        cut = False
        for node in request.nodes:
            asked["node"] = node
            found = self._connection.execute(statement, asked).fetchall()
            if len(found) > per_node:
                cut = True
                found.pop()
            links[node] = [
                Link(target, kind, False, (trust, confidence, moment, edge_id), number)
                if source == node
                else Link(source, kind, True, (trust, confidence, moment, edge_id), number)
                for moment, kind, number, source, target, trust, confidence, edge_id in found
            ]
        return Reply(links, cut)


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
    found, truncated = run(
        search(sources, targets, undirected=direction is Direction.BOTH, max_hops=max_hops, limit=limit, bounds=bounds),
        _Fetcher(connection, visible(scope, view), types, direction),
    )
    edges = _edges_by_number(connection, {link.ref for path in found for link in path.links})
    return StoredPaths.model_construct(
        paths=tuple(
            [
                StoredPath.model_construct(
                    nodes=path.nodes, edges=tuple([edges[link.ref] for link in path.links]), closes_cycle=path.closes_cycle
                )
                for path in found
            ]
        ),
        truncated=truncated,
    )
