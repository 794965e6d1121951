"""Retain: messages and statements become episodes, memories, entities and edges.

A conversation makes two transactions: the episodes with a job, then the memories with the job's end. Between them nothing is
lost: an unfinished job is taken up by a worker, or when the store is opened next. A single statement makes one.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, IdempotencyError, LeaseLostError, StoreError
from hindsight_graph.extraction.base import Extraction, Extractor, Source, Statement
from hindsight_graph.extraction.tone import is_negated
from hindsight_graph.ids import IdGenerator
from hindsight_graph.models.base import SUMMARY_LIMIT, trusted
from hindsight_graph.models.enums import Kind, MentionRole, Origin
from hindsight_graph.models.episode import Episode, Message
from hindsight_graph.models.memory import Mention, Relation
from hindsight_graph.models.query import EpisodeFilter, Order, Scope
from hindsight_graph.models.record import FinishedJob, IdempotencyRecord, Job, JobState, WriteBatch
from hindsight_graph.models.result import Action, Receipt, ReceiptItem
from hindsight_graph.models.write import Unit
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings, check_names, nameable
from hindsight_graph.pipelines.messages import describe_call
from hindsight_graph.pipelines.plan import Plan, Planner
from hindsight_graph.pipelines.surroundings import surroundings
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store
from hindsight_graph.text.language import detect_language

CHUNK = 500
"""Messages or units per transaction: large enough to amortise the fsync, small enough for steady progress."""
EXTRACT = "extract"
"""Kind of the job that turns committed episodes into memories."""
_HANDS_OFF = timedelta(minutes=5)
"""How long workers leave a job alone whose extraction follows in the same call; whoever opens the store may take it up before."""
_ATTEMPTS = 12
"""How often a batch is planned anew when another writer was faster."""
_ORIGINS = {
    "user": Origin.USER,
    "assistant": Origin.AGENT,
    "tool": Origin.TOOL,
    "document": Origin.DOCUMENT,
    "system": Origin.OPERATOR,
}

Progress = Callable[[int, int], None]
"""Called with (done, total) messages."""


@dataclass(frozen=True, slots=True)
class _Repeat:
    """The stored answer of an idempotency key."""

    receipt: Receipt


class Retain:
    """Writes what happened and what was stated."""

    def __init__(
        self, store: Store, planner: Planner, extractor: Extractor, clock: Clock, ids: IdGenerator, settings: RetainSettings
    ) -> None:
        self._store = store
        self._planner = planner
        self._extractor = extractor
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._planning = asyncio.Lock()

    async def remember(self, scope: Scope, units: Sequence[Unit], idempotency_key: str | None = None) -> Receipt:
        """Remember statements and ready-made units, in order, `CHUNK` per transaction.

        Raises:
            InputError: A name or a value is wrong; nothing of its chunk was written.
            IdempotencyError: The key was used for other units.
        """
        for unit in units:
            check_names(unit)
        request = _hash([unit.model_dump_json() for unit in units])
        repeated = await self._answer_again(scope, idempotency_key, request)
        if repeated is not None:
            return repeated.receipt
        receipt = Receipt()
        for start in range(0, len(units), CHUNK):
            chunk = units[start : start + CHUNK]
            last = start + CHUNK >= len(units)
            receipt = await self._remember_chunk(scope, chunk, receipt, idempotency_key if last else None, request)
        return receipt

    async def retain(
        self,
        scope: Scope,
        messages: Sequence[Message],
        *,
        session_id: str | None = None,
        origin: Origin | None = None,
        defer: bool = False,
        idempotency_key: str | None = None,
        progress: Progress | None = None,
    ) -> Receipt:
        """Commit messages as episodes, then extract memories from them.

        Args:
            scope: Tenant and agent.
            messages: In the order they happened.
            session_id: For messages that name none.
            origin: Overrides the origin that the role implies.
            defer: Leave extraction to `resume`; the receipt names the job.
            idempotency_key: Repeats the first answer when the same call comes again.
            progress: Called after each chunk.
        """
        request = _hash([session_id, origin, defer, *(message.model_dump_json() for message in messages)])
        repeated = await self._answer_again(scope, idempotency_key, request)
        if repeated is not None:
            return repeated.receipt
        receipt = Receipt()
        sequences: dict[str | None, int] = {}
        for start in range(0, len(messages), CHUNK):
            chunk = messages[start : start + CHUNK]
            episodes, job = await self._commit_episodes(scope, chunk, session_id, origin, sequences, defer=defer)
            receipt = receipt.model_copy(
                update={
                    "episode_ids": (*receipt.episode_ids, *(item.id for item in episodes)),
                    "job_id": job.id if defer else None,
                }
            )
            last = start + CHUNK >= len(messages)
            key = IdempotencyRecord(key=idempotency_key, request_hash=request) if idempotency_key and last else None
            if not defer:
                previous = messages[start - 1].content if start else ""
                try:
                    receipt = await self._extract(scope, episodes, partial(self._done, job), receipt, key, previous)
                except StoreError as error:
                    await self._give_back(scope, job, error)
                    kept = f"{len(receipt.episode_ids)} of {len(messages)} messages are kept"
                    error.hint = f"{kept}; they are extracted at the next start, and the same call again adds the rest"
                    raise
            elif key is not None:
                await self._store.write(
                    scope, WriteBatch(idempotency=key.model_copy(update={"response": receipt.model_dump_json()}))
                )
            if progress is not None:
                progress(min(start + CHUNK, len(messages)), len(messages))
        return receipt

    async def keep(
        self,
        scope: Scope,
        messages: Sequence[Message],
        kind: str,
        payload: Mapping[str, Any],
        *,
        session_id: str | None = None,
        origin: Origin | None = None,
    ) -> Job:
        """Commit messages as episodes together with a job of another kind that will read them; returns the job.

        Args:
            scope: Tenant and agent.
            messages: In the order they happened.
            kind: Of the job.
            payload: For it; gains `episode_ids`.
            session_id: For messages that name none.
            origin: Overrides the origin that the role implies.
        """
        _, job = await self._commit_episodes(scope, messages, session_id, origin, {}, defer=True, kind=kind, payload=payload)
        return job

    async def extract(self, run: JobRun) -> dict[str, Any]:
        """Do a job of kind EXTRACT: turn its episodes into memories, and end it in the same transaction."""
        episodes = await self._store.get_episodes(run.scope, run.job.payload["episode_ids"])
        receipt = await self._extract(run.scope, episodes, run.done, Receipt(), None, "")
        return _outcome(receipt)

    def _done(self, job: Job, result: Mapping[str, Any]) -> FinishedJob:
        """Return the end of a job that nobody had to claim."""
        return FinishedJob(id=job.id, state=JobState.DONE, finished_at=self._clock.now(), result=dict(result))

    async def _give_back(self, scope: Scope, job: Job, error: BaseException) -> None:
        """Queue a job again at once; when that cannot be written either, its lease runs out by itself."""
        back = FinishedJob(id=job.id, state=JobState.QUEUED, finished_at=self._clock.now(), error=str(error)[:500])
        with suppress(StoreError):
            await self._store.write(scope, WriteBatch(finished_jobs=(back,)))

    async def _answer_again(self, scope: Scope, key: str | None, request: str) -> _Repeat | None:
        found = await self._store.find_response(scope, key) if key else None
        if found is None:
            return None
        if found.request_hash != request:
            raise IdempotencyError(f"idempotency key {key!r} was used for another request", hint="use a new key for new content")
        return _Repeat(Receipt.model_validate_json(found.response)) if found.response else None

    async def _remember_chunk(
        self, scope: Scope, units: Sequence[Unit], receipt: Receipt, idempotency_key: str | None, request: str
    ) -> Receipt:
        episodes = await self._known_episodes(scope, [self._unit_episode(scope, unit) for unit in units])
        extracted = iter(await self._extractor.extract([_unit_source(unit) for unit in units if _wants_extraction(unit)]))
        candidates: list[Candidate] = []
        notes: list[str] = []
        for unit, (episode, _) in zip(units, episodes, strict=True):
            extraction = next(extracted) if _wants_extraction(unit) else _as_stated(unit)
            notes.extend(extraction.notes)
            candidates.extend(_unit_candidates(unit, extraction, episode, self._settings))
        new = tuple(episode for episode, is_new in episodes if is_new)

        def batch(plan: Plan, answer: Receipt) -> WriteBatch:
            key = (
                IdempotencyRecord(key=idempotency_key, request_hash=request, response=answer.model_dump_json())
                if idempotency_key
                else None
            )
            return plan.batch.model_copy(update={"episodes": new, "idempotency": key})

        receipt = receipt.model_copy(
            update={"episode_ids": (*receipt.episode_ids, *(item.id for item, _ in episodes)), "notes": (*receipt.notes, *notes)}
        )
        return await self._write_planned(scope, candidates, (), receipt, batch)

    async def _extract(
        self,
        scope: Scope,
        episodes: Sequence[Episode],
        done: Callable[[Mapping[str, Any]], FinishedJob],
        receipt: Receipt,
        key: IdempotencyRecord | None,
        previous: str,
    ) -> Receipt:
        """Turn committed episodes into memories and end their job, in one transaction."""
        sources = [
            _episode_source(episode, episodes[index - 1].content if index else previous) for index, episode in enumerate(episodes)
        ]
        wanted = [index for index, episode in enumerate(episodes) if _is_extractable(episode)]
        found = dict(zip(wanted, await self._extractor.extract([sources[index] for index in wanted]), strict=True))
        candidates: list[Candidate] = []
        dropped: list[ReceiptItem] = []
        notes: list[str] = []
        for index, episode in enumerate(episodes):
            extraction = found.get(index, Extraction())
            if not _is_extractable(episode) and episode.content.strip():
                reason = "recalled from memory" if episode.recalled else "system message"
                dropped.append(ReceiptItem(action=Action.DROPPED, text=_short(episode.content), reason=reason))
            dropped.extend(
                ReceiptItem(action=Action.DROPPED, text=_short(item.text), reason=item.reason) for item in extraction.dropped
            )
            notes.extend(extraction.notes)
            statements = (*extraction.statements, *_call_statements(episode))
            speaker = episode.name or ""
            same_talk = index == 0 or episodes[index - 1].session_id == episode.session_id
            before = sources[index].previous if same_talk else ""
            around = surroundings(speaker, [item.text for item in extraction.dropped], before)
            candidates.extend(
                Candidate.from_episode(nameable(statement), episode, speaker if place else around)
                for place, statement in enumerate(statements)
            )

        def batch(plan: Plan, answer: Receipt) -> WriteBatch:
            record = key.model_copy(update={"response": answer.model_dump_json()}) if key else None
            return plan.batch.model_copy(update={"finished_jobs": (done(_outcome(answer)),), "idempotency": record})

        receipt = receipt.model_copy(update={"notes": (*receipt.notes, *notes)})
        return await self._write_planned(scope, candidates, dropped, receipt, batch)

    async def _write_planned(
        self,
        scope: Scope,
        candidates: Sequence[Candidate],
        dropped: Sequence[ReceiptItem],
        receipt: Receipt,
        batch: Callable[[Plan, Receipt], WriteBatch],
    ) -> Receipt:
        """Plan against what is stored and write; plan again when another process came between. One plan at a time here."""
        async with self._planning:
            return await self._plan_and_write(scope, candidates, dropped, receipt, batch)

    async def _plan_and_write(
        self,
        scope: Scope,
        candidates: Sequence[Candidate],
        dropped: Sequence[ReceiptItem],
        receipt: Receipt,
        batch: Callable[[Plan, Receipt], WriteBatch],
    ) -> Receipt:
        for attempt in range(_ATTEMPTS):
            plan = await self._planner.plan(scope, candidates)
            memories = {memory.id: memory for memory in (*receipt.memories, *plan.touched)}
            answer = receipt.model_copy(
                update={
                    "memories": tuple(memories.values()),
                    "items": (*receipt.items, *plan.items, *dropped),
                    "notes": tuple(dict.fromkeys((*receipt.notes, *plan.notes))),
                }
            )
            try:
                written = await self._store.write(scope, batch(plan, answer))
            except (IdempotencyError, LeaseLostError):
                raise
            except ConflictError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            return Receipt.model_validate_json(written.response) if written.repeated and written.response else answer
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _commit_episodes(
        self,
        scope: Scope,
        messages: Sequence[Message],
        session_id: str | None,
        origin: Origin | None,
        sequences: dict[str | None, int],
        *,
        defer: bool,
        kind: str = EXTRACT,
        payload: Mapping[str, Any] | None = None,
    ) -> tuple[tuple[Episode, ...], Job]:
        now = self._clock.now()
        seen: Counter[str] = Counter()
        made: list[Episode] = []
        for message in messages:
            session = message.session_id or session_id
            if session not in sequences:
                sequences[session] = await self._next_sequence(scope, session)
            source = origin or _ORIGINS.get(message.role, Origin.USER)
            digest = _hash([message.model_dump_json(exclude={"recalled"}), session])
            seen[digest] += 1
            made.append(
                _episode(
                    id=self._ids.new(),
                    agent_id=scope.agent_id,
                    session_id=session,
                    sequence=sequences[session],
                    role=message.role,
                    name=message.name,
                    content=message.content,
                    occurred_at=message.occurred_at or now,
                    recorded_at=now,
                    raw_ref=message.raw_ref,
                    origin=source,
                    trust=self._settings.trust[source],
                    media_type=message.media_type,
                    tool_calls=message.tool_calls,
                    tool_call_id=message.tool_call_id,
                    recalled=message.recalled,
                    content_hash=digest if seen[digest] == 1 else _hash([digest, str(seen[digest])]),
                    payload={},
                )
            )
            sequences[session] += 1
        for attempt in range(_ATTEMPTS):
            known = await self._known_episodes(scope, made)
            episodes = tuple(episode for episode, _ in known)
            job = Job(
                id=self._ids.new(), kind=kind, created_at=now,
                payload={**(payload or {}), "episode_ids": [episode.id for episode in episodes]},
                not_before=None if defer else now + _HANDS_OFF,
            )  # fmt: skip
            try:
                await self._store.write(scope, WriteBatch(episodes=tuple(item for item, is_new in known if is_new), jobs=(job,)))
            except ConflictError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            return episodes, job
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _next_sequence(self, scope: Scope, session_id: str | None) -> int:
        if session_id is None:
            return 0
        page = await self._store.scan_episodes(scope, EpisodeFilter(session_id=session_id), Order.RECORDED_NEWEST, limit=1)
        return page.rows[0].sequence + 1 if page.rows else 0

    async def _known_episodes(self, scope: Scope, made: Sequence[Episode]) -> list[tuple[Episode, bool]]:
        """Return each episode, or the stored one with the same content of the same agent, and whether it is new."""
        hashes = tuple(dict.fromkeys(episode.content_hash for episode in made))
        where = EpisodeFilter(content_hashes=hashes)
        stored: dict[tuple[str | None, str], Episode] = {}
        if hashes:
            page = await self._store.scan_episodes(scope, where, limit=max(1, 2 * len(hashes)))
            stored = {(episode.agent_id, episode.content_hash): episode for episode in page.rows}
        known: list[tuple[Episode, bool]] = []
        for episode in made:
            found = stored.setdefault((episode.agent_id, episode.content_hash), episode)
            known.append((found, found is episode))
        return known

    async def evidence_of(self, scope: Scope, unit: Unit) -> tuple[Episode, bool]:
        """Return the episode that stands as evidence of a unit, and whether it is yet to be written."""
        (known,) = await self._known_episodes(scope, [self._unit_episode(scope, unit)])
        return known

    def _unit_episode(self, scope: Scope, unit: Unit) -> Episode:
        now = self._clock.now()
        agent = unit.agent_id or scope.agent_id
        digest = _hash(["unit", agent, unit.origin, unit.summary, unit.raw_ref, unit.session_id, unit.occurred_at])
        return _episode(
            id=self._ids.new(),
            agent_id=agent,
            session_id=unit.session_id,
            sequence=0,
            role=_role_of(unit.origin),
            name=None,
            content=unit.summary,
            occurred_at=unit.occurred_at or now,
            recorded_at=now,
            raw_ref=unit.raw_ref,
            origin=unit.origin,
            trust=self._settings.trust[unit.origin],
            media_type=unit.media_type,
            tool_calls=(),
            tool_call_id=None,
            recalled=False,
            content_hash=digest,
            payload={},
        )


def _outcome(receipt: Receipt) -> dict[str, Any]:
    """Return what a job says of its extraction: the memories, and how many pieces were kept, merged, dropped."""
    counts = Counter(item.action.value for item in receipt.items)
    return {"memory_ids": [memory.id for memory in receipt.memories], **counts, "notes": list(receipt.notes)}


def _hash(parts: Iterable[object]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(("\x00" if part is None else str(part)).encode())
        digest.update(b"\x1f")
    return digest.hexdigest()


def _episode(**fields: Any) -> Episode:
    """Return an episode of fields that were validated as a message or a unit; all of them must be given."""
    return trusted(Episode, fields)


def _role_of(origin: Origin) -> str:
    return next((role for role, implied in _ORIGINS.items() if implied is origin), "user")


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= SUMMARY_LIMIT else folded[: SUMMARY_LIMIT - 1] + "…"


def _is_extractable(episode: Episode) -> bool:
    return not episode.recalled and episode.role != "system" and bool(episode.content.strip())


def _episode_source(episode: Episode, previous: str) -> Source:
    is_document = episode.role == "document"
    return Source(
        text=episode.content,
        role=episode.role,
        name=None if is_document else episode.name,
        previous=previous,
        title=(episode.name or "") if is_document else "",
        occurred_at=episode.occurred_at,
        keep_all=is_document,
    )


def _call_statements(episode: Episode) -> tuple[Statement, ...]:
    return tuple(
        Statement(
            summary=describe_call(call, SUMMARY_LIMIT),
            kind=Kind.ACTION,
            mentions=(Mention(name=call.name[:100], role=MentionRole.TOOL),),
            tools=(call.name,),
        )
        for call in episode.tool_calls
    )


def _wants_extraction(unit: Unit) -> bool:
    return not unit.is_ready_made or len(unit.summary) > SUMMARY_LIMIT


def _unit_source(unit: Unit) -> Source:
    return Source(
        text=unit.summary,
        role=_role_of(unit.origin),
        name=None,
        previous="",
        title="",
        occurred_at=unit.occurred_at,
        keep_all=True,
    )


def _unit_candidates(unit: Unit, extraction: Extraction, episode: Episode, settings: RetainSettings) -> list[Candidate]:
    """Return the candidates of one unit: given values win over extracted ones; given names go to the parts that hold them."""
    statements = [nameable(statement) for statement in extraction.statements]
    if unit.is_ready_made:
        statements = _share_out(unit, statements)
    return [Candidate.from_unit(statement, unit, episode, settings) for statement in statements]


def _as_stated(unit: Unit) -> Extraction:
    """Return a ready-made unit's own words as its statement; only language and polarity are read off them."""
    statement = Statement(summary=unit.summary, language=detect_language(unit.summary), negated=is_negated(unit.summary))
    return Extraction(statements=(statement,))


def _share_out(unit: Unit, statements: Sequence[Statement]) -> list[Statement]:
    mentions: list[list[Mention]] = [[] for _ in statements]
    relations: list[list[Relation]] = [[] for _ in statements]
    texts = [statement.summary.casefold() for statement in statements]
    for name in unit.entities or ():
        for index in [at for at, text in enumerate(texts) if name.casefold() in text] or [0]:
            mentions[index].append(Mention(name=name))
    for relation in unit.relations or ():
        ends = (relation.source.casefold(), relation.target.casefold())
        for index in [at for at, text in enumerate(texts) if all(end in text for end in ends)] or [0]:
            relations[index].append(relation)
    return [
        statement.model_copy(update={"mentions": tuple(mentions[index]), "relations": tuple(relations[index])})
        for index, statement in enumerate(statements)
    ]
