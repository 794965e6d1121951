"""Statements that a server plans when a store is opened, so that the first question does not wait for it.

A server that just started needs 0.3 to 2 s to plan one of the larger statements, several times the deadline of a recall; planned
once, it answers in milliseconds. The questions are about a tenant without rows.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime

from hindsight_graph.errors import StoreError
from hindsight_graph.models.enums import Direction
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.stores.neo4j import graph, reading
from hindsight_graph.stores.neo4j.connection import Connection
from hindsight_graph.stores.neo4j.search import Search
from hindsight_graph.stores.walk import Bounds

NOBODY = Scope(tenant="nobody-asks-to-plan")
_ANY = "-"


async def plan_statements(connection: Connection, search: Search, dimension: int | None) -> None:
    """Let the server plan what recall and chains ask.

    What takes longer than a call may is planned by the first who needs it: opening does not fail for it.

    Args:
        connection: An open one.
        search: The searches over it.
        dimension: Of the store's vectors; None when it has none yet.
    """
    view = View(now=datetime(2000, 1, 1, tzinfo=UTC))
    where = Filter(view=view)

    async def about_rows() -> None:
        await search.plan(NOBODY, where, dimension)
        await reading.find_entities(connection, NOBODY, [_ANY])
        await reading.get_memories(connection, NOBODY, [_ANY])
        await reading.get_entities(connection, NOBODY, [_ANY])
        await reading.scan_memories(connection, NOBODY, Filter(view=view, places=((_ANY, 0),)), Order.EVENT_OLDEST, None, 1)

    async def about_edges() -> None:
        await graph.edges_of(connection, NOBODY, (graph.EdgesRead([_ANY], [], Direction.BOTH, 1),), view)
        for direction in (Direction.OUT, Direction.IN):
            await graph.paths(connection, NOBODY, [_ANY], None, [], direction, 1, 1, view, Bounds())

    async def unless_too_long(questions: Callable[[], Awaitable[None]]) -> None:
        with suppress(StoreError):
            await questions()

    await asyncio.gather(unless_too_long(about_rows), unless_too_long(about_edges))
