"""A chain question's deadline: what is known by then is the answer, and it says so."""

import asyncio
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypedDict

from hindsight_graph.errors import StoreStalledError
from hindsight_graph.models.enums import Direction
from hindsight_graph.models.result import Chains
from hindsight_graph.resilience.limits import within

__all__ = ["ChainBounds", "in_time"]


class ChainBounds(TypedDict):
    """What every chain question takes; see `pipelines.chain.Chain.chain`."""

    max_hops: int
    limit: int
    as_of: datetime | None
    known_at: datetime | None


async def in_time(
    work: Coroutine[Any, Any, Chains], milliseconds: int, *, start: str, direction: Direction, max_hops: int
) -> Chains:
    """Return the answer, or an empty one marked `degraded` when it does not come within `milliseconds` or the store is stuck."""
    try:
        with within(milliseconds / 1000):
            async with asyncio.timeout(milliseconds / 1000):
                return await work
    except TimeoutError:
        reason = f"the deadline of {milliseconds} ms came first; ask for fewer hops, or give deadline_ms"
    except StoreStalledError as error:
        reason = str(error)
    return Chains(start=start, direction=direction, max_hops=max_hops, paths=(), truncated=True, degraded=True, notes=(reason,))
