"""The engine: parts become pipelines, and pipelines the asynchronous face.

Nothing here decides anything about memory: each method checks its arguments, names the scope and calls one pipeline.
"""

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import ValidationError

from hindsight_graph.arguments import Moment, checked_units, listed, member, moment, relation_types, validated
from hindsight_graph.clock import Clock, SystemClock
from hindsight_graph.config import load_settings
from hindsight_graph.embedders import Embedders, make_embedder
from hindsight_graph.embedding.base import Embedder
from hindsight_graph.embedding.cache import CachedEmbedder
from hindsight_graph.errors import InputError, NotFoundError, StoreUnavailableError
from hindsight_graph.extraction.base import Extractor
from hindsight_graph.extraction.rules import RuleExtractor
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.checks import ReflectionCheck
from hindsight_graph.models.access import Principal
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.enums import Direction, Kind, Origin, Outcome, Status, UpdateMode, Visibility
from hindsight_graph.models.episode import Episode, Message
from hindsight_graph.models.memory import Memory, Relation, Slot
from hindsight_graph.models.query import Filter, Order, Scope, SystemScope, View
from hindsight_graph.models.recall import RecallQuery
from hindsight_graph.models.record import EmbeddingModel, Page, StoreTotals
from hindsight_graph.models.result import Answer, Chains, Expectation, Hop, Receipt
from hindsight_graph.models.session import WorkingMemory
from hindsight_graph.models.status import Check, EngineStatus
from hindsight_graph.models.summary import Summary
from hindsight_graph.models.write import Unit
from hindsight_graph.observe.logs import LogObserver
from hindsight_graph.observe.observer import NOBODY, Observer, Several
from hindsight_graph.observe.watch import Watch
from hindsight_graph.parts import (
    job_policy,
    learning_policies,
    neo4j_password,
    open_store,
    recall_settings,
    retain_settings,
    session_policy,
    webhook,
)
from hindsight_graph.pipelines.chain import Chain
from hindsight_graph.pipelines.chain_time import ChainBounds, in_time
from hindsight_graph.pipelines.doctor import Doctor
from hindsight_graph.pipelines.entities import Entities
from hindsight_graph.pipelines.expect import expect
from hindsight_graph.pipelines.jobs import Jobs, Registry
from hindsight_graph.pipelines.keys import Keys
from hindsight_graph.pipelines.learn.learning import Learning
from hindsight_graph.pipelines.learn.support import SupportBook
from hindsight_graph.pipelines.messages import explain, parse_messages
from hindsight_graph.pipelines.plan import Planner
from hindsight_graph.pipelines.recall import Recall
from hindsight_graph.pipelines.reembed import REEMBED, Reembed, Vectors
from hindsight_graph.pipelines.retain import EXTRACT, Progress, Retain
from hindsight_graph.pipelines.session import SessionHandle, Sessions
from hindsight_graph.pipelines.summarize import Summarize
from hindsight_graph.pipelines.versions import Expected, Versions
from hindsight_graph.plugins import make_checks
from hindsight_graph.ranking.budget import bind_cursor, query_hash, unbind_cursor
from hindsight_graph.readers import make_extractor, make_readers
from hindsight_graph.resilience.guard import embedder_guard, store_guard
from hindsight_graph.settings import Settings

_LOG = logging.getLogger(__name__)
W = TypeVar("W", bound=Receipt | Memory | Entity | tuple[Memory, ...])
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GivenRelations = Iterable[Relation | Sequence[str] | str | Mapping[str, Any]]


class AsyncHindsightGraph:
    """A memory for agents, for asynchronous code; `HindsightGraph` is the same with blocking calls.

    Args:
        store_url: Where memories live; the configured store when absent.
        embedder: `auto`, `hashing`, `e5`, `fastembed:MODEL`, `openai:MODEL`, or an `Embedder`; the configured one when absent.
        extractor: `auto`, `rules`, `spacy`, or an `Extractor`; the configured one when absent.
        tenant: Whose memories; a hard wall. agent_id: the agent on whose behalf calls are made that name none.
        settings: Explicit settings; otherwise environment, `.env` and TOML file are read, once, here.
        clock: Where `now` comes from. observer: told about every call when it ends, in numbers and ids.
        checks: Asked of each experience that reflection found before it is kept, beside those that `learning.checks` names.

    Use it as `async with AsyncHindsightGraph(...) as memory:`, or call `open` and `close`.
    """

    def __init__(
        self,
        store_url: str | None = None,
        *,
        embedder: str | Embedder | None = None,
        extractor: str | Extractor | None = None,
        tenant: str | None = None,
        agent_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        observer: Observer = NOBODY,
        checks: Sequence[ReflectionCheck] = (),
    ) -> None:
        """Build every part; opens nothing yet."""
        self.settings = settings or load_settings().settings
        self._clock = clock or SystemClock()
        ids = IdGenerator(self._clock)
        try:
            self._scope = Scope(tenant=tenant or self.settings.tenant, agent_id=agent_id or self.settings.agent_id)
        except ValidationError as error:
            raise InputError(explain(error)) from error
        self._store = open_store(store_url or self.settings.store_url, neo4j_password(self.settings))
        chosen = embedder if embedder is not None else self.settings.embedder
        inner = make_embedder(self.settings, chosen) if isinstance(chosen, str) else chosen
        observer = Several(LogObserver(), observer)
        self._watch = Watch(observer)
        self._guards = (store_guard(observer), embedder_guard(observer))
        reads = self._guards[0].around(self._store)
        inner = self._guards[1].around(inner, "embed_query")
        self._embedder = CachedEmbedder(inner, self.settings.recall.query_cache_size, observer)
        reading = extractor if extractor is not None else self.settings.extractor
        self._extractor = make_extractor(reading) if isinstance(reading, str) else reading
        self._readers = make_readers(self.settings, self._extractor, observer)
        reader = self._readers.extractor
        self._entities = Entities(self._store, self._clock, ids)
        self._chain = Chain(reads, Entities(reads, self._clock, ids), self._clock, self.settings.trust_floor)
        self._recall = Recall(reads, self._embedder, recall_settings(self.settings, self._store), self._clock)
        retaining = retain_settings(self.settings)
        planner = Planner(self._store, self._entities, self._embedder, self._clock, ids, retaining)
        self._retain = Retain(self._store, planner, self._extractor, self._clock, ids, retaining, reader)
        policies = learning_policies(self.settings)
        book = SupportBook(self._store, self._clock, ids, policies.learning)
        self._versions = Versions(self._store, planner, self._retain, self._extractor, book, self._clock, ids)
        self._jobs = Jobs(self._store, self._clock, ids, Registry(), job_policy(self.settings), self._scope)
        self._jobs.registry.add(EXTRACT, self._retain.extract)
        self._reembed = Reembed(self._store, partial(Embedders(self.settings).decide, recorded=None), self._adopt)
        self._jobs.registry.add(REEMBED, self._reembed.run)
        self._summarize = Summarize(
            self._store, self._entities, self._clock, self.settings.trust_floor, self.settings.summary_max_tokens
        )
        self._learning = Learning.put_together(
            self._retain, self._jobs, self._versions, planner, self._extractor, book, policies, self.settings.trust_floor,
            self._readers.lessons, observer, webhook(self.settings), make_checks(self.settings.learning.check_names, checks),
        )  # fmt: skip
        self._sessions = Sessions(self._store, RuleExtractor(), self._clock, session_policy(self.settings))

    def acting_for(self, *, tenant: str | None = None, agent_id: str | None = None) -> Self:
        """Return the same open engine acting for another tenant and agent; what is absent stays as it is.

        For services that answer many callers over one store: nothing is opened anew, and only the original is to be closed.

        Raises:
            InputError: The tenant or agent is no name.
        """
        twin = copy(self)
        try:
            twin._scope = Scope(  # noqa: SLF001 - the twin is one of us
                tenant=tenant or self._scope.tenant, agent_id=agent_id or self._scope.agent_id
            )
        except ValidationError as error:
            raise InputError(explain(error)) from error
        return twin

    @property
    def principal(self) -> Principal:
        """A caller without a key, as a service on loopback may have: in this engine's tenant, any agent, allowed everything."""
        return Principal(tenant=self._scope.tenant)

    async def open(self, *, resume: bool = True, embedding: bool = True) -> Self:
        """Open the store, check that its vectors are of this embedder, and finish interrupted extraction.

        Args:
            resume: False leaves unfinished extraction to a worker.
            embedding: False leaves the embedder undecided, for who only changes it: nothing can be written or recalled then.

        Raises:
            StoreUnavailableError, SchemaError: The store cannot be used. ModelMismatchError: another model filled it.
        """
        await self._store.open()
        try:
            if embedding:
                await self._embedder.settle((await self._store.info()).embedding)
                await self._store.record_model(self._embedder.model)
            if resume:
                await self._finish_interrupted()
        except BaseException:
            await self._store.close()
            raise
        return self

    async def _adopt(self, model: EmbeddingModel) -> None:
        """Go on with the model that the store was switched to, unless this engine was told to use another."""
        await self._embedder.settle(model)
        if self._embedder.model == model:
            await self._store.record_model(model)
        else:
            _LOG.warning("the store was switched to %s, this engine is set to %s", model.name, self._embedder.model.name)

    async def _finish_interrupted(self) -> None:
        """Take up unfinished extraction; a store that can be read but not written now is opened all the same."""
        try:
            await self.resume()
        except StoreUnavailableError as error:
            _LOG.warning("extraction of kept messages is still to be finished: %s", error)

    async def close(self) -> None:
        """Release the store; safe to call twice."""
        self._recall.close()
        for guard in self._guards:
            guard.close()
        await self._readers.close()
        await self._learning.uses.close()
        await self._store.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def remember(
        self,
        text: str,
        *,
        kind: Kind | str | None = None,
        entities: Iterable[str] | None = None,
        relations: GivenRelations | None = None,
        raw_ref: str | None = None,
        occurred_at: Moment | None = None,
        valid_to: Moment | None = None,
        session_id: str | None = None,
        tags: Iterable[str] = (),
        agent_id: str | None = None,
        visibility: Visibility | str | None = None,
        origin: Origin | str = Origin.USER,
        confidence: float | None = None,
        importance: float = 1.0,
        priority: int = 0,
        ttl_days: float | None = None,
        media_type: str | None = None,
        task_type: str | None = None,
        outcome: Outcome | str | None = None,
        tools: Iterable[str] = (),
        error_code: str | None = None,
        slot: Slot | Mapping[str, str] | None = None,
        payload: Mapping[str, Any] | None = None,
        context: str = "",
        pending: bool = False,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Remember one statement; `hindsight_graph.models.write.Unit` documents the arguments.

        Without `entities` and `relations` they are extracted from the text. The text is committed as an episode in the same
        transaction as the memories made of it.

        Raises:
            InputError: An argument is wrong; nothing was written. IdempotencyError: the key was used for something else.
        """
        unit = validated(
            Unit,
            summary=text,
            kind=kind,
            entities=listed(entities, "entities"),
            relations=listed(relations, "relations"),
            raw_ref=raw_ref,
            occurred_at=occurred_at,
            valid_to=valid_to,
            session_id=session_id,
            tags=listed(tags, "tags"),
            agent_id=agent_id,
            visibility=visibility,
            origin=origin,
            confidence=confidence,
            importance=importance,
            priority=priority,
            ttl_days=ttl_days,
            media_type=media_type,
            task_type=task_type,
            outcome=outcome,
            tools=listed(tools, "tools"),
            error_code=error_code,
            slot=slot,
            payload=dict(payload or {}),
            context=context,
            pending=pending,
        )
        return await self._written("remember", self._retain.remember(self._scoped(agent_id), (unit,), idempotency_key))

    async def remember_many(self, units: Iterable[Unit | Mapping[str, Any]], *, idempotency_key: str | None = None) -> Receipt:
        """Remember many units, in order, 2,500 in a transaction; mappings take the keys of `remember` with `summary` or `text`.

        Raises:
            InputError: A unit is wrong; names its position from 0. All units are checked before the first is written.
        """
        return await self._written("remember", self._retain.remember(self._scope, checked_units(units), idempotency_key))

    async def retain(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        origin: Origin | str | None = None,
        defer: bool = False,
        idempotency_key: str | None = None,
        progress: Progress | None = None,
    ) -> Receipt:
        """Keep a conversation: messages with role, name, content, occurred_at, raw_ref, session_id, tool calls (OpenAI form too).

        The messages are committed as episodes first; extraction follows, at once or (`defer=True`) at `resume` or the next open.

        Returns:
            What was kept, merged and dropped, and why.

        Raises:
            InputError: A message is wrong; names its position from 0; nothing was written.
        """
        parsed = parse_messages(messages)
        given = None if origin is None else member(Origin, origin, "origin")
        work = self._retain.retain(
            self._scoped(agent_id),
            parsed,
            session_id=session_id,
            origin=given,
            defer=defer,
            idempotency_key=idempotency_key,
            progress=progress,
        )
        return await self._written("retain", work)

    async def resume(self) -> int:
        """Finish deferred or interrupted extraction; returns how many jobs were done. What fails waits for `jobs`."""
        return await self._jobs.work(kinds=(EXTRACT,), limit=100, eager=True)

    @property
    def jobs(self) -> Jobs:
        """Durable jobs: put in, look at, cancel, try again, work on."""
        return replace(self._jobs, scope=self._scope)

    @property
    def vectors(self) -> Vectors:
        """The store's vectors: change the embedding model of all of them."""
        return Vectors(self.jobs, self._reembed)

    @property
    def keys(self) -> Keys:
        """API keys of this tenant and agent: make, list, revoke; and whose key is shown."""
        return Keys(self._store, self._clock, self._jobs.ids, self._scope)

    @property
    def learning(self) -> Learning:
        """Looking back: reflect, consolidate, review, feed back."""
        return replace(self._learning, jobs=self.jobs, scope=self._scope)

    async def recall(
        self,
        query: str,
        *,
        top_k: int | None = None,
        graph: bool = True,
        profile: str | None = None,
        weights: Mapping[str, float] | None = None,
        kinds: Iterable[Kind | str] | None = None,
        entities: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        task_type: str | None = None,
        outcome: Outcome | str | None = None,
        tool: str | None = None,
        error_code: str | None = None,
        media_type: str | None = None,
        statuses: Iterable[Status | str] | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        token_budget: int | None = None,
        deadline_ms: int | None = None,
        cursor: str | None = None,
    ) -> Answer:
        """Find memories for a question; `hindsight_graph.models.recall.RecallQuery` documents the arguments.

        Without `top_k`, `profile` or `token_budget` the configured ones hold (10, `balanced`, none).

        Raises:
            InputError: An argument is wrong. CursorError: the cursor belongs to another question.
        """
        asked = self._query(
            query,
            top_k=top_k,
            graph=graph,
            profile=profile,
            weights=weights,
            kinds=kinds,
            entities=entities,
            tags=tags,
            agent_id=agent_id,
            session_id=session_id,
            since=since,
            until=until,
            task_type=task_type,
            outcome=outcome,
            tool=tool,
            error_code=error_code,
            media_type=media_type,
            statuses=statuses,
            as_of=as_of,
            known_at=known_at,
            token_budget=token_budget,
            deadline_ms=deadline_ms,
            cursor=cursor,
        )
        answer = await self._watch.recall(self._scope.tenant, self._recall.recall(self._scoped(agent_id), asked))
        self._learning.uses.note(self._scope, answer)
        return answer

    async def expect(self, memory_id: str, query: str, **filters: Any) -> Expectation:
        """Say where an expected memory is in the answer to `query`, or where it was lost; takes the arguments of `recall`."""
        asked = self._query(query, **filters)
        return await expect(self._recall, self._store, self._scoped(filters.get("agent_id")), asked, memory_id)

    async def chain(
        self,
        name: str,
        *,
        end: str | None = None,
        direction: Direction | str = Direction.OUT,
        relations: Iterable[str] | None = None,
        max_hops: int | None = None,
        limit: int | None = None,
        agent_id: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        deadline_ms: int | None = None,
    ) -> Chains:
        """Follow relations from an entity or a memory: `out` what it depends on, `in` what depends on it, or to `end`.

        Without `max_hops` (1..6), `limit` or `deadline_ms` the configured ones hold (4 hops, 50 paths, 500 ms).

        Returns:
            Whole paths with the stating memory of every hop; cycles, and `truncated` when a bound was hit.

        Raises:
            NotFoundError: No entity or memory of that name. InputError: unknown relation or direction, max_hops outside 1..6.
        """
        way = member(Direction, direction, "direction")
        bounds = self._chain_bounds(max_hops, limit, as_of, known_at)
        work = self._chain.chain(
            self._scoped(agent_id), name, end=end, direction=way, relations=relation_types(relations), **bounds
        )
        return await self._chained("chain", work, name, way, bounds["max_hops"], deadline_ms)

    async def impact(
        self,
        name: str,
        *,
        max_hops: int | None = None,
        limit: int | None = None,
        agent_id: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        deadline_ms: int | None = None,
    ) -> Chains:
        """What breaks if this changes: against DEPENDS_ON and USES, along CAUSES, PRODUCES and PART_OF."""
        bounds = self._chain_bounds(max_hops, limit, as_of, known_at)
        work = self._chain.impact(self._scoped(agent_id), name, **bounds)
        return await self._chained("impact", work, name, Direction.BOTH, bounds["max_hops"], deadline_ms)

    async def causes(
        self,
        name: str,
        *,
        max_hops: int | None = None,
        limit: int | None = None,
        agent_id: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        deadline_ms: int | None = None,
    ) -> Chains:
        """Why did this happen: against CAUSES."""
        bounds = self._chain_bounds(max_hops, limit, as_of, known_at)
        work = self._chain.causes(self._scoped(agent_id), name, **bounds)
        return await self._chained("causes", work, name, Direction.IN, bounds["max_hops"], deadline_ms)

    async def paths(
        self,
        first: str,
        second: str,
        *,
        relations: Iterable[str] | None = None,
        max_hops: int | None = None,
        limit: int | None = None,
        agent_id: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        deadline_ms: int | None = None,
    ) -> Chains:
        """What connects two things, whichever way the arrows point; arguments and errors as in `chain`."""
        return await self.chain(
            first, end=second, direction=Direction.BOTH, relations=relations, max_hops=max_hops, limit=limit,
            agent_id=agent_id, as_of=as_of, known_at=known_at, deadline_ms=deadline_ms,
        )  # fmt: skip

    async def neighbours(self, name: str, *, limit: int = 50, agent_id: str | None = None) -> tuple[Hop, ...]:
        """Return the relations at a thing, both ways, newest first; `against` marks those that lead to it."""
        return await self._chain.neighbours(self._scoped(agent_id), name, limit=limit)

    async def cycles(self, *, relations: Iterable[str] = ("DEPENDS_ON",), agent_id: str | None = None) -> Chains:
        """Are there cycles of these relations; each comes as one path."""
        work = self._chain.cycles(self._scoped(agent_id), relations=relation_types(relations))
        return await self._watch.chain(self._scope.tenant, "cycles", work)

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        *,
        mode: UpdateMode | str = UpdateMode.CHANGE,
        confidence: float | None = None,
        invalidate: bool = False,
        occurred_at: Moment | None = None,
        reason: str = "",
        agent_id: str | None = None,
        expected: Expected | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Supersede, invalidate, or change the confidence of a memory; see `pipelines.versions.Versions.update`."""
        if confidence is not None and not 0 <= confidence <= 1:
            raise InputError(f"confidence {confidence} is outside 0..1")
        work = self._versions.update(
            self._scoped(agent_id),
            memory_id,
            text,
            mode=member(UpdateMode, mode, "mode"),
            confidence=confidence,
            invalidate=invalidate,
            occurred_at=moment(occurred_at, "occurred_at"),
            reason=reason,
            expected=expected,
            idempotency_key=idempotency_key,
        )
        return await self._written("update", work)

    async def history(self, memory_id: str, *, agent_id: str | None = None) -> tuple[Memory, ...]:
        """Return all versions of a memory, oldest first; any version's id will do."""
        return await self._versions.history(self._scoped(agent_id), memory_id)

    async def revert(
        self,
        memory_id: str,
        *,
        mode: UpdateMode | str = UpdateMode.CORRECT,
        reason: str = "",
        agent_id: str | None = None,
        expected: Expected | None = None,
        idempotency_key: str | None = None,
    ) -> Memory:
        """Make an earlier version current again, as a new version; see `pipelines.versions.Versions.revert`."""
        chosen = member(UpdateMode, mode, "mode")
        work = self._versions.revert(
            self._scoped(agent_id), memory_id, chosen, reason, expected=expected, idempotency_key=idempotency_key
        )
        return await self._written("revert", work)

    async def forget(self, ids: str | Iterable[str], *, reason: str = "", agent_id: str | None = None) -> tuple[Memory, ...]:
        """Archive memories: kept, not recalled unless asked for."""
        wanted = (ids,) if isinstance(ids, str) else tuple(ids)
        return await self._written("forget", self._versions.forget(self._scoped(agent_id), wanted, reason))

    async def get(self, memory_id: str, *, agent_id: str | None = None) -> Memory:
        """Return one memory in any state; raises NotFoundError."""
        return await self._versions.get(self._scoped(agent_id), memory_id)

    async def episode(self, episode_id: str, *, agent_id: str | None = None) -> Episode:
        """Return one episode, the evidence of memories; raises NotFoundError."""
        found = await self._store.get_episodes(self._scoped(agent_id), [episode_id])
        if not found:
            raise NotFoundError(f"no episode {episode_id}", hint="a memory's episode_ids name its evidence")
        return found[0]

    async def list(
        self,
        *,
        kinds: Iterable[Kind | str] | None = None,
        statuses: Iterable[Status | str] | None = None,
        entities: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        task_type: str | None = None,
        outcome: Outcome | str | None = None,
        tool: str | None = None,
        error_code: str | None = None,
        media_type: str | None = None,
        as_of: Moment | None = None,
        known_at: Moment | None = None,
        order: Order | str = Order.RECORDED_NEWEST,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memory]:
        """List memories by the filters of `recall`; newest first unless asked otherwise, 1..1000 a page."""
        if not 1 <= limit <= 1000:
            raise InputError(f"limit {limit} is outside 1..1000")
        scope = self._scoped(agent_id)
        chosen = tuple(member(Status, item, "status") for item in listed(statuses, "statuses") or (Status.ACTIVE,))
        found = [await self._entities.find(scope, name) for name in listed(entities, "entities") or ()]
        view = validated(View, now=self._clock.now(), as_of=as_of, known_at=known_at, statuses=chosen)
        where = validated(
            Filter,
            view=view,
            kinds=listed(kinds, "kinds") or (),
            entity_ids=tuple(entity.canonical_id for entity in found),
            tags=listed(tags, "tags") or (),
            session_id=session_id,
            since=since,
            until=until,
            task_type=task_type,
            outcome=outcome,
            tool=tool,
            error_code=error_code,
            media_type=media_type,
        )
        chosen_order = member(Order, order, "order")
        asked = where.model_copy(update={"view": view.model_copy(update={"now": _EPOCH})})
        bound = query_hash({"where": asked.model_dump(mode="json"), "scope": scope.model_dump(), "order": chosen_order})
        page = await self._store.scan_memories(scope, where, chosen_order, unbind_cursor(cursor, bound), limit)
        return page.model_copy(update={"cursor": bind_cursor(page.cursor, bound)})

    def session(self, session_id: str, *, agent_id: str | None = None) -> SessionHandle:
        """Return the working memory of a session; what leaves its window, and its end, go through `retain`."""
        scope = self._scoped(agent_id)

        async def keep(messages: tuple[Message, ...]) -> Receipt:
            later = self._readers.extractor is not None  # a change of a session waits for no model
            return await self._written("retain", self._retain.retain(scope, messages, session_id=session_id, defer=later))

        look_back = replace(self.learning, scope=scope).look_back
        return self._sessions.handle(scope, session_id, on_leave=keep, on_end=keep, look_back=look_back)

    async def summarize(
        self,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        session_id: str | None = None,
        entity: str | None = None,
        max_tokens: int | None = None,
        agent_id: str | None = None,
    ) -> Summary:
        """Sum up a time window, a session or a thing, in sentences that were written, each with its sources.

        Without `max_tokens` the setting `summary_max_tokens` holds. Raises as `pipelines.summarize.Summarize.summarize`.
        """
        return await self._summarize.summarize(
            self._scoped(agent_id),
            since=moment(since, "since"),
            until=moment(until, "until"),
            session_id=session_id,
            entity=entity,
            max_tokens=max_tokens,
        )

    async def sessions(self, *, limit: int = 50, agent_id: str | None = None) -> tuple[WorkingMemory, ...]:
        """List working memories, last changed first; 1..1000."""
        return await self._sessions.list(self._scoped(agent_id), limit)

    async def entities(
        self, *, prefix: str = "", cursor: str | None = None, limit: int = 100, agent_id: str | None = None
    ) -> Page[Entity]:
        """List entities by name."""
        return await self._entities.list(self._scoped(agent_id), prefix=prefix, cursor=cursor, limit=limit)

    async def entity(self, name: str, *, agent_id: str | None = None) -> Entity:
        """Return the entity with this id, name or alias; raises NotFoundError, with the nearest names."""
        return await self._entities.find(self._scoped(agent_id), name)

    async def merge_entities(
        self, source: str, target: str, *, reason: str = "", force: bool = False, agent_id: str | None = None
    ) -> Entity:
        """Make `source` stand for `target`; audited, undone by `split_entity`."""
        work = self._entities.merge(self._scoped(agent_id), source, target, reason=reason, force=force)
        return await self._written("merge_entities", work)

    async def split_entity(self, name: str, *, reason: str = "", agent_id: str | None = None) -> Entity:
        """Undo a merge: the entity stands for itself again, as do those that were merged into it before."""
        return await self._written("split_entity", self._entities.split(self._scoped(agent_id), name, reason=reason))

    async def status(self) -> EngineStatus:
        """Return what the memory holds and what it runs on."""
        return EngineStatus(
            version=version("hindsight-graph"),
            store=await self._store.info(),
            stats=await self._store.stats(self._scope),
            embedder=self._embedder.model,
            extractor=(self._readers.extractor or self._extractor).name,
            tenant=self._scope.tenant,
            agent_id=self._scope.agent_id,
        )

    async def totals(self) -> StoreTotals:
        """Count the whole store, all tenants together: for whoever runs the service."""
        return await self._store.totals(SystemScope())

    async def doctor(self) -> tuple[Check, ...]:
        """Examine everything; each finding comes with what mends it."""
        return await Doctor(self._store, self._embedder, self._readers.examined()).examine(self._scope)

    async def ready(self) -> tuple[Check, ...]:
        """Ask each thing that calls depend on whether it is there; cheap, for probes."""
        return await Doctor(self._store, self._embedder).ready()

    async def warm(self) -> None:
        """Load what the tenant's first search would wait for; a service does it before it says that it is ready."""
        await asyncio.gather(
            self._store.term_stats(self._scope, (), Filter(view=View(now=self._clock.now()))), self._embedder.load()
        )

    async def _written(self, verb: str, work: Coroutine[Any, Any, W]) -> W:
        return await self._watch.write(self._scope.tenant, verb, work)

    def _chain_bounds(
        self, max_hops: int | None, limit: int | None, as_of: Moment | None, known_at: Moment | None
    ) -> ChainBounds:
        return ChainBounds(
            max_hops=self.settings.chain.max_hops if max_hops is None else max_hops,
            limit=self.settings.chain.limit if limit is None else limit,
            as_of=moment(as_of, "as_of"),
            known_at=moment(known_at, "known_at"),
        )

    async def _chained(
        self, verb: str, work: Coroutine[Any, Any, Chains], name: str, way: Direction, hops: int, deadline_ms: int | None
    ) -> Chains:
        limit = self.settings.chain.deadline_ms if deadline_ms is None else deadline_ms
        timed = in_time(work, limit, start=name, direction=way, max_hops=hops)
        return await self._watch.chain(self._scope.tenant, verb, timed)

    def _scoped(self, agent_id: str | None) -> Scope:
        return self._scope if agent_id is None else validated(Scope, tenant=self._scope.tenant, agent_id=agent_id)

    def _query(self, query: str, **filters: Any) -> RecallQuery:
        given = {name: value for name, value in filters.items() if value is not None}
        for name in ("profile", "top_k", "token_budget"):
            given.setdefault(name, getattr(self.settings.recall, name))
        for name in ("kinds", "entities", "tags", "statuses"):
            if name in given:
                given[name] = listed(given[name], name)
        return validated(RecallQuery, text=query, **given)
