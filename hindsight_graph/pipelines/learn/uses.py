"""Which learned memories were retrieved, and when: gathered in memory, written now and then; recall waits for no write."""

import asyncio
import logging
from collections import defaultdict
from datetime import datetime, timedelta

from hindsight_graph.clock import Clock
from hindsight_graph.errors import StoreError
from hindsight_graph.models.enums import Kind
from hindsight_graph.models.query import Scope
from hindsight_graph.models.result import Answer
from hindsight_graph.stores.base import Store

_LOG = logging.getLogger(__name__)
_EVERY = timedelta(minutes=1)
_MOST = 500
"""Ids gathered before they are written, however recent the last write is."""


class Uses:
    """Notes what recall returned. What a crash loses is at most a minute of it, which decay by weeks does not feel."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
        self._written_at: datetime | None = None
        self._writing: set[asyncio.Task[None]] = set()

    def note(self, scope: Scope, answer: Answer) -> None:
        """Take note of the experiences and strategies in an answer; writes them in the background when it is time."""
        now = self._clock.now()
        waiting = self._waiting[scope.tenant]
        waiting.update((hit.id, now) for hit in answer.results if hit.memory.kind in (Kind.EXPERIENCE, Kind.STRATEGY))
        if not waiting:
            return
        self._written_at = self._written_at or now
        if (now - self._written_at >= _EVERY or len(waiting) >= _MOST) and not self._writing:
            task = asyncio.get_running_loop().create_task(self._flush_or_wait())
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _flush_or_wait(self) -> None:
        try:
            await self.flush()
        except StoreError as error:
            _LOG.warning("uses of memories wait until the store can be written: %s", error)

    async def flush(self) -> None:
        """Write what was gathered; raises StoreError, and keeps it then."""
        self._written_at = self._clock.now()
        for tenant in list(self._waiting):
            gathered = self._waiting.pop(tenant)
            by_moment: defaultdict[datetime, list[str]] = defaultdict(list)
            for memory_id, at in gathered.items():
                by_moment[at].append(memory_id)
            try:
                for at, ids in sorted(by_moment.items()):
                    await self._store.note_uses(Scope(tenant=tenant), ids, at)
            except StoreError:
                self._waiting[tenant] = gathered | self._waiting[tenant]
                raise

    async def close(self) -> None:
        """Write what is left; a store that cannot be written now loses it, with a line in the log."""
        if self._writing:
            await asyncio.wait(self._writing)
        await self._flush_or_wait()
