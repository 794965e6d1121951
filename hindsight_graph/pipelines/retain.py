"""Retain: messages and statements become episodes, memories, entities and edges.

A conversation makes two transactions: the episodes with a job, then the memories with the job's end. Between them nothing is
lost: an unfinished job is taken up by a worker, or when the store is opened next. A single statement makes one.
"""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, IdempotencyError, LeaseLostError, StoreError
from hindsight_graph.extraction.base import Extraction, Extractor, Source, Statement
from hindsight_graph.extraction.tone import is_negated
from hindsight_graph.ids import IdGenerator
from hindsight_graph.llm.base import Exchange, raw_words
from hindsight_graph.models.base import SUMMARY_LIMIT, trusted
from hindsight_graph.models.enums import EntityType, Kind, MentionRole, Origin
from hindsight_graph.models.episode import Episode, Message
from hindsight_graph.models.memory import Mention, Relation
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import FinishedJob, IdempotencyRecord, Job, JobState, WriteBatch, WriteKeys
from hindsight_graph.models.result import Action, Receipt, ReceiptItem, join_receipts
from hindsight_graph.models.write import Unit
from hindsight_graph.pipelines.bulk import collector_resting
from hindsight_graph.pipelines.candidate import Candidate, RetainSettings, check_names, nameable
from hindsight_graph.pipelines.messages import describe_call
from hindsight_graph.pipelines.plan import Planner, standing_episodes
from hindsight_graph.pipelines.surroundings import surroundings
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.recalled import is_memory_tool, without_recalled

CHUNK = 1_000
"""Messages per transaction: large enough that pages of indexes are written once for many of them, small enough for steady
progress (about half a second)."""
UNITS = 2_500
"""Units per transaction: they cost less than messages. Ending a transaction costs 130 us for each of 1,000, 85 us for each of
2,500 (docs/adr/0008-cheaper-writes.md)."""
EXTRACT = "extract"
"""Kind of the job that turns committed episodes into memories."""
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
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

_ROLES = {origin: role for role, origin in _ORIGINS.items()}

STATED_CONFIDENCE = 0.9
"""Confidence of a ready-made unit that gives none."""
Progress = Callable[[int, int], None]
"""Called with (done, total) messages."""


_End = Callable[[Mapping[str, Any]], FinishedJob]


@dataclass(frozen=True, slots=True)
class _Repeat:
    """The stored answer of an idempotency key."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class _Portion:
    """What one transaction is to keep.

    Attributes:
        candidates: What was stated. episodes: their evidence, where it is not committed yet.
        dropped, notes, extractors: For the receipt. exchanges: Requests to a model, for the job.
        end: Ends the job it is the work of, told what came of it.
    """

    candidates: Sequence[Candidate]
    episodes: Sequence[Episode] = ()
    dropped: Sequence[ReceiptItem] = ()
    notes: Sequence[str] = ()
    extractors: Sequence[str] = ()
    exchanges: Sequence[Exchange] = ()
    end: _End | None = None


class Retain:
    """Writes what happened and what was stated."""

    def __init__(
        self,
        store: Store,
        planner: Planner,
        extractor: Extractor,
        clock: Clock,
        ids: IdGenerator,
        settings: RetainSettings,
        reader: Extractor | None = None,
    ) -> None:
        """Put it together.

        Args:
            store: Where it writes.
            planner: Decides what becomes of each statement.
            extractor: Reads statements before they are committed; never asks a model.
            clock: Where `now` comes from.
            ids: Makes ids.
            settings: Trust and times to live.
            reader: Reads messages once they are committed, and may take its time; the extractor when absent.
        """
        self._store = store
        self._planner = planner
        self._extractor = extractor
        self._reader = reader or extractor
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._planning = asyncio.Lock()

    async def remember(self, scope: Scope, units: Sequence[Unit], idempotency_key: str | None = None) -> Receipt:
        """Remember statements and ready-made units, in order, `UNITS` per transaction.

        Raises:
            InputError: A name or a value is wrong; nothing of its chunk was written.
            IdempotencyError: The key was used for other units.
        """
        for unit in units:
            check_names(unit)
        key = _request(idempotency_key, (unit.model_dump_json() for unit in units))
        repeated = await self._answer_again(scope, key)
        if repeated is not None:
            return repeated.receipt
        done: list[Receipt] = []
        for start in range(0, len(units), UNITS):
            is_last = start + UNITS >= len(units)
            some = units[start : start + UNITS]
            with collector_resting(len(some)):
                portion = await self._portion_of_units(scope, some)
                written = await self._write_planned(scope, portion, done, key if is_last else None)
            if isinstance(written, _Repeat):
                return written.receipt
            done.append(written)
        return join_receipts(done)

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
        key = _request(idempotency_key, (session_id, origin, defer, *(message.model_dump_json() for message in messages)))
        repeated = await self._answer_again(scope, key)
        if repeated is not None:
            return repeated.receipt
        done: list[Receipt] = []
        sequences: dict[str, int] = {}
        for start in range(0, len(messages), CHUNK):
            end = min(start + CHUNK, len(messages))
            closing = key if end == len(messages) else None
            answered = partial(_left, closing, tuple(done)) if defer and closing else None
            committed = await self._commit_episodes(
                scope, messages[start:end], session_id, origin, sequences, defer=defer, answered=answered
            )
            if isinstance(committed, _Repeat):
                return committed.receipt
            episodes, job = committed
            done.append(_committed(episodes, job if defer else None))
            if not defer:
                previous = messages[start - 1].content if start else ""
                try:
                    written = await self._extract(scope, episodes, partial(self._done, job), previous, done, closing)
                except StoreError as error:
                    await self._give_back(scope, job, error)
                    kept = f"{len(join_receipts(done).episode_ids)} of {len(messages)} messages are kept"
                    error.hint = f"{kept}; they are extracted at the next start, and the same call again adds the rest"
                    raise
                if isinstance(written, _Repeat):
                    return written.receipt
                done.append(written)
            if progress is not None:
                progress(end, len(messages))
        return join_receipts(done)

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
        committed = await self._commit_episodes(scope, messages, session_id, origin, {}, defer=True, kind=kind, payload=payload)
        assert not isinstance(committed, _Repeat), "only a caller's key repeats an answer, and there is none"
        return committed[1]

    async def extract(self, run: JobRun) -> dict[str, Any]:
        """Do a job of kind EXTRACT: turn its episodes into memories, and end it in the same transaction."""
        episodes = await self._store.get_episodes(run.scope, run.job.payload["episode_ids"])
        written = await self._extract(run.scope, episodes, run.done, "", (), None)
        return _outcome(written.receipt if isinstance(written, _Repeat) else written)

    def _done(self, job: Job, result: Mapping[str, Any]) -> FinishedJob:
        """Return the end of a job that nobody had to claim."""
        return FinishedJob(id=job.id, state=JobState.DONE, finished_at=self._clock.now(), result=dict(result))

    async def _give_back(self, scope: Scope, job: Job, error: BaseException) -> None:
        """Queue a job again at once; when that cannot be written either, its lease runs out by itself."""
        back = FinishedJob(id=job.id, state=JobState.QUEUED, finished_at=self._clock.now(), error=str(error)[:500])
        with suppress(StoreError):
            await self._store.write(scope, WriteBatch(finished_jobs=(back,)))

    async def _answer_again(self, scope: Scope, key: IdempotencyRecord | None) -> _Repeat | None:
        found = await self._store.find_response(scope, key.key) if key else None
        if key is None or found is None:
            return None
        if found.request_hash != key.request_hash:
            raise IdempotencyError(
                f"idempotency key {key.key!r} was used for another request", hint="use a new key for new content"
            )
        return _Repeat(Receipt.model_validate_json(found.response)) if found.response else None

    async def _portion_of_units(self, scope: Scope, units: Sequence[Unit]) -> _Portion:
        now = self._clock.now()
        ids = self._ids.several(len(units))
        episodes = [self._unit_episode(scope, unit, now, made) for unit, made in zip(units, ids, strict=True)]
        extracted = iter(await self._extractor.extract([_unit_source(unit) for unit in units if _wants_extraction(unit)]))
        candidates: list[Candidate] = []
        notes: list[str] = []
        readers: list[str] = []
        for unit, episode in zip(units, episodes, strict=True):
            if _wants_extraction(unit):
                extraction = next(extracted)
                notes.extend(extraction.notes)
                readers.append(extraction.extractor)
                statements = _share_out(unit, [nameable(statement) for statement in extraction.statements])
            else:
                statements = (_as_stated(unit),)
            candidates.extend(Candidate.from_unit(statement, unit, episode, self._settings) for statement in statements)
        return _Portion(candidates, episodes, notes=notes, extractors=readers)

    async def _extract(
        self,
        scope: Scope,
        episodes: Sequence[Episode],
        end: _End,
        previous: str,
        done: Sequence[Receipt],
        key: IdempotencyRecord | None,
    ) -> Receipt | _Repeat:
        """Turn committed episodes into memories and end their job, in one transaction."""
        sources = [
            _episode_source(episode, episodes[index - 1].content if index else previous) for index, episode in enumerate(episodes)
        ]
        wanted = [index for index, episode in enumerate(episodes) if _is_extractable(episode)]
        found = dict(zip(wanted, await self._reader.extract([sources[index] for index in wanted]), strict=True))
        candidates: list[Candidate] = []
        dropped: list[ReceiptItem] = []
        notes: list[str] = []
        for index, episode in enumerate(episodes):
            extraction = found.get(index, Extraction())
            if not _is_extractable(episode) and episode.content.strip():
                reason = "system message" if episode.role == "system" and not episode.recalled else "recalled from memory"
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
                Candidate.from_episode(
                    nameable(statement if place else _titled(statement, sources[index].title)),
                    episode,
                    speaker if place else around,
                )
                for place, statement in enumerate(statements)
            )
        asked = [exchange for extraction in found.values() for exchange in extraction.exchanges]
        readers = [extraction.extractor for extraction in found.values()]
        portion = _Portion(candidates, dropped=dropped, notes=notes, extractors=readers, exchanges=asked, end=end)
        return await self._write_planned(scope, portion, done, key)

    async def _write_planned(
        self, scope: Scope, portion: _Portion, done: Sequence[Receipt], key: IdempotencyRecord | None
    ) -> Receipt | _Repeat:
        """Plan against what is stored and write; plan again when another process came between. One plan at a time here.

        Args:
            scope: Tenant and agent.
            portion: What to keep.
            done: Receipts of the call's earlier portions.
            key: Answers the whole call; with its last portion only.
        """
        async with self._planning:
            for attempt in range(_ATTEMPTS):
                plan = await self._planner.plan(scope, portion.candidates, portion.episodes)
                receipt = trusted(Receipt, {
                    "memories": plan.touched, "items": (*plan.items, *portion.dropped), "episode_ids": plan.episode_ids,
                    "job_id": None, "notes": tuple(dict.fromkeys((*portion.notes, *plan.notes))),
                    "extractors": tuple(dict.fromkeys(filter(None, portion.extractors))),
                })  # fmt: skip
                record = _answered(key, join_receipts((*done, receipt))) if key else None
                finished = (portion.end(_outcome(receipt) | raw_words(portion.exchanges)),) if portion.end else ()
                batch = plan.batch.model_copy(update={"finished_jobs": finished, "idempotency": record})
                try:
                    written = await self._store.write(scope, batch)
                except (IdempotencyError, LeaseLostError):
                    raise
                except ConflictError:
                    if attempt == _ATTEMPTS - 1:
                        raise
                    continue
                is_repeat = written.repeated and written.response
                return _Repeat(Receipt.model_validate_json(written.response or "")) if is_repeat else receipt
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _commit_episodes(
        self,
        scope: Scope,
        messages: Sequence[Message],
        session_id: str | None,
        origin: Origin | None,
        sequences: dict[str, int],
        *,
        defer: bool,
        kind: str = EXTRACT,
        payload: Mapping[str, Any] | None = None,
        answered: Callable[[Sequence[Episode], Job], IdempotencyRecord] | None = None,
    ) -> tuple[tuple[Episode, ...], Job] | _Repeat:
        """Commit messages and the job that will extract from them; `sequences` has each session's next number.

        `answered` makes the record of a caller's key that is committed with them; the answer it has already is returned.
        """
        now = self._clock.now()
        sessions = [message.session_id or session_id for message in messages]
        hashes = _distinct(
            _hash([message.model_dump_json(exclude={"recalled"}), session])
            for message, session in zip(messages, sessions, strict=True)
        )
        unknown = {session for session in sessions if session is not None and session not in sequences}
        keys = WriteKeys(episode_hashes=tuple(hashes), session_ids=tuple(unknown))
        for attempt in range(_ATTEMPTS):
            stored = await self._store.find_precedents(scope, keys)
            following = Counter({**stored.next_sequences, **sequences})
            made: list[Episode] = []
            for message, session, content_hash in zip(messages, sessions, hashes, strict=True):
                made.append(self._message_episode(scope, message, session, following[session or ""], origin, content_hash, now))
                following[session or ""] += 1
            standing = standing_episodes(made, stored.episodes)
            episodes = tuple(standing[episode.id] for episode in made)
            job = Job(
                id=self._ids.new(), kind=kind, created_at=now,
                payload={**(payload or {}), "episode_ids": [episode.id for episode in episodes]},
                not_before=None if defer else now + _HANDS_OFF,
            )  # fmt: skip
            new = tuple(episode for episode in made if standing[episode.id] is episode)
            try:
                record = answered(episodes, job) if answered else None
                written = await self._store.write(scope, WriteBatch(episodes=new, jobs=(job,), idempotency=record))
            except IdempotencyError:
                raise
            except ConflictError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            if written.repeated and written.response:
                return _Repeat(Receipt.model_validate_json(written.response))
            sequences.update(following)
            return episodes, job
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _message_episode(
        self,
        scope: Scope,
        message: Message,
        session_id: str | None,
        sequence: int,
        origin: Origin | None,
        content_hash: str,
        now: datetime,
    ) -> Episode:
        source = origin or _ORIGINS.get(message.role, Origin.USER)
        return _episode(
            id=self._ids.new(),
            agent_id=scope.agent_id,
            session_id=session_id,
            sequence=sequence,
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
            content_hash=content_hash,
            payload={},
        )

    async def evidence_of(self, scope: Scope, unit: Unit) -> tuple[Episode, bool]:
        """Return the episode that stands as evidence of a unit, and whether it is yet to be written."""
        made = self._unit_episode(scope, unit, self._clock.now(), self._ids.new())
        stored = await self._store.find_precedents(scope, WriteKeys(episode_hashes=(made.content_hash,)))
        episode = standing_episodes([made], stored.episodes)[made.id]
        return episode, episode is made

    def _unit_episode(self, scope: Scope, unit: Unit, now: datetime, episode_id: str) -> Episode:
        agent = unit.agent_id or scope.agent_id
        digest = _hash(["unit", agent, unit.origin, unit.summary, unit.raw_ref, unit.session_id, unit.occurred_at])
        return _episode(
            id=episode_id,
            agent_id=agent,
            session_id=unit.session_id,
            sequence=0,
            role=_ROLES.get(unit.origin, "user"),
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


def _request(key: str | None, parts: Iterable[object]) -> IdempotencyRecord | None:
    """Return the record of a caller's key for a request, which is hashed only where there is a key."""
    return IdempotencyRecord(key=key, request_hash=_hash(parts)) if key else None


def _answered(key: IdempotencyRecord, answer: Receipt) -> IdempotencyRecord:
    return key.model_copy(update={"response": answer.model_dump_json()})


def _committed(episodes: Iterable[Episode], job: Job | None) -> Receipt:
    """Return the receipt of committed messages, and of the job that extraction is left to."""
    return Receipt(episode_ids=tuple(episode.id for episode in episodes), job_id=job.id if job else None)


def _left(key: IdempotencyRecord, done: Sequence[Receipt], episodes: Sequence[Episode], job: Job) -> IdempotencyRecord:
    """Return the record of a key whose call leaves extraction to a job."""
    return _answered(key, join_receipts((*done, _committed(episodes, job))))


def _distinct(hashes: Iterable[str]) -> list[str]:
    """Return the hashes, the second of the same words with its number: a conversation may say the same twice."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for digest in hashes:
        seen[digest] += 1
        found.append(digest if seen[digest] == 1 else _hash([digest, str(seen[digest])]))
    return found


def _hash(parts: Iterable[object]) -> str:
    """Return the SHA-256 of parts, each closed by a separator, so that no two lists of parts look alike."""
    joined = "".join([f"{chr(0) if part is None else part}\x1f" for part in parts])
    return hashlib.sha256(joined.encode()).hexdigest()


def _episode(**fields: Any) -> Episode:
    """Return an episode of fields that were validated as a message or a unit; all of them must be given."""
    return trusted(Episode, fields)


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= SUMMARY_LIMIT else folded[: SUMMARY_LIMIT - 1] + "…"


def _is_extractable(episode: Episode) -> bool:
    return not episode.recalled and episode.role != "system" and bool(without_recalled(episode.content).strip())


def _titled(statement: Statement, title: str) -> Statement:
    """Return a document's first statement as one about what its title names, with and without what the title says in brackets."""
    names = dict.fromkeys(name for name in (title, _BRACKETS.sub("", title)) if name)
    about = tuple(Mention(name=name, role=MentionRole.SUBJECT) for name in names)
    kept = tuple(mention for mention in statement.mentions if mention.name not in names)
    return statement.model_copy(update={"mentions": (*about, *kept)}) if about else statement


def _episode_source(episode: Episode, previous: str) -> Source:
    is_document = episode.role == "document"
    return Source(
        text=without_recalled(episode.content),
        role=episode.role,
        name=None if is_document else episode.name,
        previous=without_recalled(previous),
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
        if not is_memory_tool(call.name)
    )


def _wants_extraction(unit: Unit) -> bool:
    return not unit.is_ready_made or len(unit.summary) > SUMMARY_LIMIT


def _unit_source(unit: Unit) -> Source:
    return Source(
        text=unit.summary,
        role=_ROLES.get(unit.origin, "user"),
        name=None,
        previous="",
        title="",
        occurred_at=unit.occurred_at,
        keep_all=True,
    )


def _as_stated(unit: Unit) -> Statement:
    """Return a ready-made unit's own words as its statement; only language and polarity are read off them."""
    fields: dict[str, Any] = {
        "summary": unit.summary,
        "kind": Kind.FACT,
        "language": detect_language(unit.summary),
        "negated": is_negated(unit.summary),
        "mentions": tuple([_topic(name) for name in unit.entities or ()]),
        "relations": unit.relations or (),
        "slot": None,
        "confidence": STATED_CONFIDENCE,
        "outcome": None,
        "error_code": None,
        "tools": (),
        "start": 0,
        "end": 0,
    }
    return trusted(Statement, fields)


def _topic(name: str) -> Mention:
    return trusted(Mention, {"name": name, "type": EntityType.OTHER, "role": MentionRole.TOPIC, "entity_id": ""})


def _share_out(unit: Unit, statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return the parts of a unit; given names and relations go to the parts that hold their words, else to the first."""
    if not unit.is_ready_made:
        return statements
    mentions: list[list[Mention]] = [[] for _ in statements]
    relations: list[list[Relation]] = [[] for _ in statements]
    texts = [statement.summary.casefold() for statement in statements]
    for name in unit.entities or ():
        for index in [at for at, text in enumerate(texts) if name.casefold() in text] or [0]:
            mentions[index].append(_topic(name))
    for relation in unit.relations or ():
        ends = (relation.source.casefold(), relation.target.casefold())
        for index in [at for at, text in enumerate(texts) if all(end in text for end in ends)] or [0]:
            relations[index].append(relation)
    return [
        statement.model_copy(update={"mentions": tuple(mentions[index]), "relations": tuple(relations[index])})
        for index, statement in enumerate(statements)
    ]
