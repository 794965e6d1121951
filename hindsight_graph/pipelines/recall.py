"""Recall: a question in, explained results out.

The question's vector -> plan, keyword and vector candidates (filtered first) -> neighbouring turns -> graph -> score by
profile -> conflicts -> page. What follows the vector is one program of reads (`recall_find`, `recall_page`), run where the
store's data is.
Each stage writes into one Trace and degrades alone: what is found when the deadline comes is the answer, and it says so.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from hindsight_graph.clock import Clock
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.embedding.centres import Centre
from hindsight_graph.errors import InputError, StoreCorruptError, StoreError, StoreStalledError, StoreUnavailableError
from hindsight_graph.models.enums import Status
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.recall import RecallQuery, RecallSettings
from hindsight_graph.models.result import Answer
from hindsight_graph.pipelines.recall_find import find
from hindsight_graph.pipelines.recall_page import make_answer
from hindsight_graph.pipelines.recall_time import StageClock, TenantLoading, Turns
from hindsight_graph.pipelines.recall_work import Ranking, Work
from hindsight_graph.ranking.budget import Position, decode_cursor, query_hash
from hindsight_graph.ranking.profiles import resolve_profile
from hindsight_graph.resilience.limits import within
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, run_program, run_stepwise, runs_programs
from hindsight_graph.text.tokens import query_terms

__all__ = ["Recall", "RecallSettings"]

T = TypeVar("T")
LOADING_SHARE = 0.5
"""Of a call's own deadline, how much may go by until the store has loaded a tenant."""


class Recall:
    """Answers questions from a store.

    Args:
        store: Where memories are. embedder: the model of its vectors. settings: bounds and floor. clock: where `now` comes from.
    """

    def __init__(self, store: Store, embedder: Embedder, settings: RecallSettings, clock: Clock) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self._loading = TenantLoading(store, embedder)
        self._turns = Turns(settings.at_once)

    def close(self) -> None:
        """Wait for nothing any more; for the end of the store."""
        self._loading.close()

    async def recall(self, scope: Scope, query: RecallQuery) -> Answer:
        """Return one page of the ranking for a question.

        Returns:
            Results best first (of two that contradict each other the preferred one first), with conflicts, trace, and a cursor
            when there is more. `degraded` says that a stage failed or its time was over; the answer comes within the deadline.

        Raises:
            InputError: Unknown profile or weight. CursorError: the cursor belongs to another question, or is damaged.
            StoreUnavailableError: No channel could be read at all.
        """
        asked = query.model_dump(mode="json", exclude={"cursor", "deadline_ms", "top_k", "token_budget"})
        bound = query_hash({"query": asked, "scope": scope.model_dump(mode="json")})
        position = decode_cursor(query.cursor, bound)

        def page(work: Work, ranking: Ranking) -> Program[Answer]:
            return make_answer(work, ranking, self._settings, position, bound)

        return await self._work(self._begin(scope, query, position), (), page)

    async def rank(self, scope: Scope, query: RecallQuery, include: Sequence[str] = ()) -> tuple[Work, Ranking]:
        """Find and score candidates, without cutting a page; `include` are memories to score wherever they stand."""

        def both(work: Work, ranking: Ranking) -> Program[tuple[Work, Ranking]]:
            yield from ()
            return work, ranking

        return await self._work(self._begin(scope, query, None), include, both)

    def _begin(self, scope: Scope, query: RecallQuery, position: Position | None) -> Work:
        if query.agent_id is not None and scope.agent_id != query.agent_id:
            if scope.agent_id is not None:
                raise InputError(
                    f"agent_id {query.agent_id!r} in a call of agent {scope.agent_id!r}", hint="ask as one agent, or name none"
                )
            scope = scope.model_copy(update={"agent_id": query.agent_id})
        now = position.now if position is not None and position.now is not None else self._clock.now()
        view = View(
            now=now,
            as_of=query.as_of,
            known_at=query.known_at,
            statuses=query.statuses or (Status.ACTIVE,),
            min_trust=self._settings.trust_floor,
        )
        profile = resolve_profile(query.profile, query.weights, meaning=self._embedder.model.knows_meaning)
        return Work(scope, query, view, profile, Filter(view=view), query_terms(query.text))

    async def _work(self, work: Work, include: Sequence[str], then: Callable[[Work, Ranking], Program[T]]) -> T:
        """Find within the time there is, rank what was found, and go on with that."""
        async with self._turn(work) as is_mine:
            if not is_mine:
                return await self._finish(work, then)
            kept = work
            try:
                async with asyncio.timeout(work.clock.left("latest")):
                    with work.stage("embed"):
                        work.vector = await self._embedder.embed_query(work.query.text)
                    kept, work.current = work.anew(), "plan"
                    with within(work.clock.left("answer")):
                        made = await run_program(self._store, work.scope, self._program(work, include, then))
            except StoreError as error:  # the program did not come back, or did not begin; it may still be at work
                kept.fall_short(work.current, error.message)
                kept.errors.append(error)
                return await self._finish(kept, then)
            except TimeoutError:
                kept = kept if runs_programs(self._store) else work
                kept.fall_short(
                    work.current, f"the deadline of {self._deadline_ms(work)} ms came first; what was found by then is returned"
                )
                return await self._finish(kept, then)
            _check_readable(work)
            return made

    def _program(self, work: Work, include: Sequence[str], then: Callable[[Work, Ranking], Program[T]]) -> Program[T]:
        yield from find(work, self._settings, self._centres(), include)
        return (yield from then(work, work.rank()))

    async def _finish(self, work: Work, then: Callable[[Work, Ranking], Program[T]]) -> T:
        """Go on with what was found although the program did not end."""
        _check_readable(work)
        return await run_stepwise(self._store, work.scope, then(work, work.rank()))

    @asynccontextmanager
    async def _turn(self, work: Work) -> AsyncGenerator[bool]:
        """Wait for the tenant to be loaded and for a turn; gives whether both came in time.

        A deadline of the call's own holds from its start, the configured one once all is loaded: waiting for the turn counts.
        """
        limit = self._deadline_ms(work)
        patience = self._settings.loading_ms if work.query.deadline_ms is None else limit * LOADING_SHARE
        work.clock = StageClock(limit)
        if not await self._loading.wait(work.scope.tenant, work.view, patience / 1000):
            work.fall_short("load", f"the store is still loading what it searches after {patience:.0f} ms; ask again in a moment")
            yield False
            return
        if work.query.deadline_ms is None:
            work.clock = StageClock(limit)
        async with self._turns.take(work.clock.left("turn")) as is_mine:
            if not is_mine:
                work.fall_short("turn", f"{self._turns.at_once} at work at once, and none ended in time; ask again in a moment")
            work.clock = work.clock.rest()
            yield is_mine

    def _deadline_ms(self, work: Work) -> int:
        return work.query.deadline_ms or self._settings.deadline_ms

    def _centres(self) -> Mapping[str, Centre]:
        """Return where the embedder puts languages, if it knows."""
        return getattr(self._embedder, "centres", {})


def _check_readable(work: Work) -> None:
    """Raise StoreUnavailableError, or StoreCorruptError, when nothing at all could be read, and not for want of time."""
    if not work.errors or work.memories or work.counts or work.cosines:
        return
    unavailable = [error for error in work.errors if isinstance(error, StoreUnavailableError | StoreCorruptError)]
    stalled = any(isinstance(error, StoreStalledError) for error in work.errors)
    if len(unavailable) == len(work.errors) and not stalled:
        raise unavailable[0]
