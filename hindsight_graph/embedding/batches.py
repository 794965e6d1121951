"""Working through many texts: alike in length together, on a few threads at once, in the order they came."""

import asyncio
from collections.abc import Callable, Sequence

import numpy as np

from hindsight_graph.embedding.base import Matrix

__all__ = ["BATCH", "THREADS", "in_batches"]

BATCH = 16
"""Texts of one call of the model: on a CPU more do not pay, but waste more padding (bench/embedding.py)."""
THREADS = 2
"""Batches at once, each on one thread: two cores work, and a question that comes in between waits for one batch at most."""


async def in_batches(texts: Sequence[str], dimension: int, embed: Callable[[Sequence[str]], Matrix]) -> Matrix:
    """Return one row per text; `embed` is called in threads, with at most BATCH texts, the shortest first.

    A cancelled caller is left at once; the batch that is under way ends in its thread.
    """
    order = sorted(range(len(texts)), key=lambda at: (len(texts[at]), at))
    parts = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    made = np.empty((len(texts), dimension), dtype=np.float32)
    gate = asyncio.Semaphore(THREADS)

    async def one(part: list[int]) -> None:
        async with gate:
            made[part] = await asyncio.to_thread(embed, [texts[at] for at in part])

    async with asyncio.TaskGroup() as group:
        for part in parts:
            group.create_task(one(part))
    return made
