"""Recall: a question in, explained results out.

Plan -> keyword and vector candidates (filtered first) -> neighbouring turns -> graph -> score by profile -> conflicts -> page.
Each stage writes into one Trace and degrades alone: what is found when the deadline comes is the answer, and it says so.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

from hindsight_graph.clock import Clock
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.embedding.centres import Centre
from hindsight_graph.errors import InputError, StoreCorruptError, StoreStalledError, StoreUnavailableError
from hindsight_graph.models.base import trusted
from hindsight_graph.models.enums import Direction, Status, StructureType
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.recall import RecallQuery, RecallSettings
from hindsight_graph.models.result import Answer, Conflict, GraphPath, Hit, Trace
from hindsight_graph.pipelines.recall_crossing import compare_across, find_across
from hindsight_graph.pipelines.recall_plan import find_anchors, make_filter
from hindsight_graph.pipelines.recall_time import StageClock, TenantLoading, Turns
from hindsight_graph.pipelines.recall_walk import graph_path, path_entities, walk_associations, walk_bridges, walk_relations
from hindsight_graph.pipelines.recall_work import Ranking, Work, place_of
from hindsight_graph.ranking.budget import Cut, Position, cut_page, decode_cursor, encode_cursor, query_hash
from hindsight_graph.ranking.conflicts import order_conflicts, slot_conflicts
from hindsight_graph.ranking.pooling import nearby_places
from hindsight_graph.ranking.profiles import resolve_profile
from hindsight_graph.stores.base import Store
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.tokens import estimate_tokens, query_terms

__all__ = ["HIT_TOKENS", "Recall", "RecallSettings"]

HIT_TOKENS = 12
"""Estimated tokens of a result besides its summary: bullet, kind, date."""
LOADING_SHARE = 0.5
"""Of a call's own deadline, how much may go by until the store has loaded a tenant."""
_GRAPH_READ = 30
"""Memories that the graph may bring in on top of the candidates, the best ones."""


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
        work, ranking = await self.rank(scope, query, position)
        return await self._answer(work, ranking, position, bound)

    async def rank(
        self, scope: Scope, query: RecallQuery, position: Position | None = None, include: Sequence[str] = ()
    ) -> tuple[Work, Ranking]:
        """Find and score candidates, without cutting a page; `include` are memories to score wherever they stand."""
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
        work = Work(scope, query, view, profile, Filter(view=view), query_terms(query.text))
        async with self._turn(work) as is_mine:
            if is_mine:
                await self._find_in_time(work, include)
            if work.errors and not work.memories:
                unavailable = [error for error in work.errors if isinstance(error, StoreUnavailableError | StoreCorruptError)]
                stalled = any(isinstance(error, StoreStalledError) for error in work.errors)
                if len(unavailable) == len(work.errors) and not (stalled or work.counts or work.cosines):
                    raise unavailable[0]
            return work, work.rank()

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

    async def _find_in_time(self, work: Work, include: Sequence[str]) -> None:
        """Run the stages that find."""
        limit = self._deadline_ms(work)
        try:
            async with asyncio.timeout(work.clock.left("find")):
                await self._find(work, include)
        except TimeoutError:
            work.reasons.append(f"{work.current}: the deadline of {limit} ms came first; what was found by then is returned")

    async def _find(self, work: Work, include: Sequence[str]) -> None:
        is_filtered = False
        async with work.stage("plan") as note:
            where, reason = await make_filter(self._store, work.scope, work.query, work.view)
            if where is None:
                note.notes.append(reason)
                work.reasons.append(reason)
                return
            work.where = where
            is_filtered = True
            if work.query.graph:
                work.anchors = await find_anchors(self._store, work.scope, work.query.text)
            note.counts.update({"terms": len(work.terms), "entities": len(work.anchors)})
        if not is_filtered:
            return
        await self._search(work)
        await self._load(work, include)
        centres = self._centres()
        await find_across(self._store, centres, work, max(self._settings.candidates // 2, 1))
        await self._neighbours(work)
        if work.query.graph:
            await self._walk(work)
        await self._complete(work)
        await compare_across(self._store, centres, work)

    async def _search(self, work: Work) -> None:
        width = max(self._settings.candidates, 2 * work.query.top_k)
        if work.terms:
            async with work.stage("keyword") as note:
                work.stats = await self._store.term_stats(work.scope, work.terms, Filter(view=work.view))
                rows = await self._store.text_topk(work.scope, work.terms, width, work.where)
                for row in rows:
                    work.counts[row.id], work.lengths[row.id] = row.counts, row.length
                work.by_channel["keyword"] = frozenset(work.counts)
                work.saturated = work.saturated or len(rows) >= width
                note.counts["candidates"] = len(rows)
        async with work.stage("embed"):
            work.vector = await self._embedder.embed_query(work.query.text)
        await self._search_vectors(work, max(width // 2, 1))

    async def _search_vectors(self, work: Work, width: int) -> None:
        if work.vector is None:
            return
        async with work.stage("vector") as note:
            nearest = await self._store.vector_topk(work.scope, work.vector, width, work.where)
            work.cosines = {near.id: near.score for near in nearest}
            work.by_channel["vector"] = frozenset(work.cosines)
            work.saturated = work.saturated or len(nearest) >= width
            note.counts["candidates"] = len(nearest)

    async def _load(self, work: Work, include: Sequence[str]) -> None:
        width = max(self._settings.candidates, 2 * work.query.top_k)
        best = work.preliminary()
        work.saturated = work.saturated or len(best) > width
        work.leading = best[:width]
        async with work.stage("read") as note:
            wanted = tuple(dict.fromkeys([*(memory_id for memory_id, _ in work.leading), *include]))
            note.counts["memories"] = work.take(await self._store.get_memories(work.scope, wanted))
        work.adapt(width)

    async def _neighbours(self, work: Work) -> None:
        if work.profile.weights.get("neighbour", 0.0) <= 0 or not work.memories:
            return
        known = [work.memories[memory_id] for memory_id, _ in work.leading if memory_id in work.memories]
        turns = dict.fromkeys(place for memory in known if (place := place_of(memory)) is not None)
        sources = list(turns)[: self._settings.neighbour_sources]
        near = [place for place in nearby_places(sources) if place not in turns]
        if not near:
            return
        async with work.stage("neighbours") as note:
            page = await self._store.scan_memories(
                work.scope, work.where.model_copy(update={"places": tuple(near)}), limit=4 * len(near)
            )
            work.by_channel["neighbour"] = frozenset(memory.id for memory in page.rows)
            note.counts["memories"] = work.take(page.rows)

    async def _walk(self, work: Work) -> None:
        if work.anchors:
            async with work.stage("relations") as note:
                await walk_relations(self._store, work, self._settings, note)
            async with work.stage("associations") as note:
                await walk_associations(self._store, work, self._settings, note)
        async with work.stage("bridges") as note:
            await walk_bridges(self._store, work, self._settings, note)
        work.by_channel["graph"] = frozenset(work.graph)
        best = sorted(work.graph, key=lambda memory_id: (-work.graph[memory_id], memory_id))
        missing = [memory_id for memory_id in best if memory_id not in work.memories][:_GRAPH_READ]
        if not missing:
            return
        async with work.stage("read reached") as note:
            if work.where.is_plain:
                read = await self._store.get_memories(work.scope, missing)
            else:
                page = await self._store.scan_memories(
                    work.scope, work.where.model_copy(update={"ids": tuple(missing)}), limit=len(missing)
                )
                read = page.rows
            note.counts["memories"] = work.take(memory for memory in read if work.view.holds(memory))

    async def _complete(self, work: Work) -> None:
        """Measure the similarity of candidates that the vector channel did not return."""
        missing = [memory_id for memory_id in work.memories if memory_id not in work.cosines]
        if not missing or work.vector is None or work.profile.weights.get("similarity", 0.0) <= 0:
            return
        async with work.stage("similarity") as note:
            only = Filter(view=work.view, ids=tuple(missing))
            measured = await self._store.vector_topk(work.scope, work.vector, len(missing), only)
            work.cosines.update({found.id: found.score for found in measured})
            note.counts["vectors"] = len(measured)

    def _centres(self) -> Mapping[str, Centre]:
        """Return where the embedder puts languages, if it knows."""
        return getattr(self._embedder, "centres", {})

    async def _answer(self, work: Work, ranking: Ranking, position: Position, bound: str) -> Answer:
        query = work.query
        tokens = [estimate_tokens(ranking.memories[at].summary) + HIT_TOKENS for at in ranking.order]
        cut = cut_page(tokens, position.offset, query.top_k, query.token_budget)
        async with work.stage("page") as note:
            hits, conflicts = await self._hits(work, ranking, cut)
            note.counts["results"] = len(hits)
        if cut.reason:
            work.reasons.append(cut.reason)
        if work.saturated and not cut.more:
            work.reasons.append(
                f"only the best {self._settings.candidates} candidates were ranked; "
                "a narrower filter, a larger top_k or the setting recall.candidates reaches more"
            )
        more = cut.more and cut.stop > cut.start
        return Answer(
            results=hits,
            truncated=cut.more or work.saturated,
            cursor=encode_cursor(Position(cut.stop, work.view.now), bound) if more else None,
            degraded=any(stage.degraded for stage in work.stages),
            reasons=tuple(work.reasons),
            conflicts=conflicts,
            tokens=cut.tokens,
            trace=Trace(
                query=query.text,
                language=detect_language(query.text),
                profile=work.profile.name,
                entities=tuple(anchor.name for anchor in work.anchors),
                terms=work.terms,
                stages=tuple(work.stages),
            ),
        )

    async def _hits(self, work: Work, ranking: Ranking, cut: Cut) -> tuple[tuple[Hit, ...], tuple[Conflict, ...]]:
        page = [ranking.memories[at] for at in ranking.order[cut.start : cut.stop]]
        places = {memory.id: cut.start + place for place, memory in enumerate(page)}
        order, conflicts = order_conflicts(page, await self._contradictions(work, page))
        paths = await self._paths(work, order)
        return tuple(self.hit(work, ranking, places[memory_id], paths.get(memory_id)) for memory_id in order), conflicts

    def hit(self, work: Work, ranking: Ranking, rank: int, path: GraphPath | None = None) -> Hit:
        """Return the result at a rank, from 0, with its explanation."""
        at = ranking.order[rank]
        memory = ranking.memories[at]
        return trusted(Hit, {
            "memory": memory, "score": float(ranking.scores.total[at]), "components": ranking.scores.components(at),
            "sources": work.sources(memory.id), "evidence": memory.raw_refs, "path": path,
        })  # fmt: skip

    async def _contradictions(self, work: Work, page: Sequence[Memory]) -> list[tuple[str, str, str]]:
        pairs = slot_conflicts(page)
        if len(page) > 1:
            async with work.stage("conflicts") as note:
                ids = [memory.id for memory in page]
                edges = await self._store.edges_of(
                    work.scope, ids, (StructureType.CONTRADICTS,), Direction.BOTH, self._settings.edges_per_node, work.view
                )
                pairs += [(edge.source_id, edge.target_id, "they contradict each other") for edge in edges.edges]
                note.counts["pairs"] = len(pairs)
        return pairs

    async def _paths(self, work: Work, ids: Sequence[str]) -> dict[str, GraphPath]:
        ways = {memory_id: work.ways[memory_id] for memory_id in ids if memory_id in work.ways}
        if not ways:
            return {}
        nodes = path_entities(tuple(ways.values()))
        names = {memory.id: memory.summary for memory in work.memories.values()}
        async with work.stage("paths"):
            unknown = [node for node in nodes if node not in names]
            names.update({entity.id: entity.name for entity in await self._store.get_entities(work.scope, unknown)})
        return {memory_id: graph_path(reach, names, work.memories) for memory_id, reach in ways.items()}
