"""Sessions: working memory that is stored at each change, shared by several writers, and handed on when it is left or ended."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from pydantic import ValidationError

from hindsight_graph.clock import Clock
from hindsight_graph.errors import ConflictError, IdempotencyError, InputError, StoreCorruptError
from hindsight_graph.extraction.base import Extractor
from hindsight_graph.models.episode import Message
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import Job, SessionRecord, WriteBatch
from hindsight_graph.models.result import Receipt
from hindsight_graph.models.session import SessionPolicy, WorkingMemory
from hindsight_graph.pipelines import working_memory as wm
from hindsight_graph.pipelines.messages import explain, parse_messages
from hindsight_graph.pipelines.once import Once
from hindsight_graph.pipelines.session_markdown import to_markdown
from hindsight_graph.stores.base import Store

Keep = Callable[[tuple[Message, ...]], Awaitable[Receipt]]
"""Puts messages into long-term memory (`retain` with the session's scope); must be safe to repeat."""

LookBack = Callable[[str, bool | None], Job | None]
"""Given a session's id and whether it is asked for (None leaves it to the policy), returns the job that looks back on it."""

_ATTEMPTS = 8
"""Writers that may collide in a row before a change gives up."""


def _state_of(record: SessionRecord) -> WorkingMemory:
    try:
        state = WorkingMemory.model_validate(record.state)
    except ValidationError as error:
        raise StoreCorruptError(
            f"session {record.id!r} cannot be read: {explain(error)}", hint="hindsight-graph doctor"
        ) from error
    return state.model_copy(update={"version": record.version})


class Sessions:
    """Loads and saves working memory.

    Args:
        store: Where session records live.
        extractor: Finds the key points at a compression; a rule extractor, since it runs inside `append`.
        clock: Where `now` comes from.
        policy: For sessions that are new; a stored session keeps the policy it was made with.
    """

    def __init__(self, store: Store, extractor: Extractor, clock: Clock, policy: SessionPolicy | None = None) -> None:
        self._store = store
        self._extractor = extractor
        self._clock = clock
        self._policy = policy or SessionPolicy()
        self._locks: WeakValueDictionary[tuple[str, str | None, str], asyncio.Lock] = WeakValueDictionary()

    def lock(self, scope: Scope, session_id: str) -> asyncio.Lock:
        """Return the lock under which this process changes a session: its writers wait instead of colliding."""
        return self._locks.setdefault((scope.tenant, scope.agent_id, session_id), asyncio.Lock())

    async def load(self, scope: Scope, session_id: str) -> WorkingMemory | None:
        """Return the stored state, or None when this scope has no such session."""
        record = await self._store.get_session(scope, session_id)
        return None if record is None else _state_of(record)

    async def list(self, scope: Scope, limit: int) -> tuple[WorkingMemory, ...]:
        """Return the stored sessions of this scope, last changed first; raises InputError for a limit outside 1..1000."""
        if not 1 <= limit <= 1000:
            raise InputError(f"limit {limit} is outside 1..1000")
        return tuple(_state_of(record) for record in await self._store.list_sessions(scope, limit))

    def create(self, scope: Scope, session_id: str) -> WorkingMemory:
        """Return the empty state of a new session, not yet stored; raises InputError for an empty or unstorable id."""
        try:
            return wm.new_state(session_id, scope.agent_id, self._policy, self._clock.now())
        except ValidationError as error:
            raise InputError(f"session id {session_id!r}: {explain(error)}", hint="a session id is any short text") from error

    async def answered(self, scope: Scope, once: Once) -> WorkingMemory | None:
        """Return the answer the same request got before, if it did; raises IdempotencyError for a key used otherwise."""
        return await once.answer(self._store, scope, WorkingMemory)

    async def save(
        self, scope: Scope, state: WorkingMemory, once: Once | None = None, jobs: tuple[Job, ...] = ()
    ) -> WorkingMemory:
        """Store the state as its next version, with jobs that follow; raises ConflictError when another writer was first."""
        state = state.model_copy(update={"version": state.version + 1})
        record = SessionRecord(
            id=state.session_id,
            agent_id=state.agent_id,
            state=state.model_dump(mode="json"),
            version=state.version,
            updated_at=state.updated_at,
            ended_at=state.ended_at,
        )
        key = None if once is None else once.record(state)
        await self._store.write(scope, WriteBatch(sessions=(record,), jobs=jobs, idempotency=key))
        return state

    async def compress(self, state: WorkingMemory) -> tuple[WorkingMemory, tuple[Message, ...]]:
        """Fold the undigested interactions now; return the state and the messages that left the window unclipped."""
        extractions = await self._extractor.extract(wm.sources(state))
        state, left = wm.compress(state, extractions, self._clock.now())
        return state, tuple(turn.to_message(state.session_id) for turn in left if not turn.clipped)

    def handle(
        self,
        scope: Scope,
        session_id: str,
        *,
        on_leave: Keep | None = None,
        on_end: Keep | None = None,
        look_back: LookBack | None = None,
    ) -> "SessionHandle":
        """Return the handle of one session.

        Args:
            scope: Whose session.
            session_id: Which; a new one is stored at its first change.
            on_leave: Takes messages that leave the window, or that it cannot hold whole; None lets them go.
            on_end: Takes the rest at the end; None lets them go.
            look_back: Makes the job that reflects on an ended session; None reflects on none unless asked.
        """
        empty = self.create(scope, session_id)
        return SessionHandle(self, scope, empty, on_leave=on_leave, on_end=on_end, look_back=look_back)

    def now(self) -> datetime:
        """Return the clock's time."""
        return self._clock.now()


class SessionHandle:
    """One session's working memory: every change is stored before the call returns, and survives a restart.

    Several handles, also of several processes, may change one session: a change is made again on the newer state when another
    writer was first. ConflictError when the session has ended, or when eight writers in a row were first.
    """

    def __init__(
        self,
        sessions: Sessions,
        scope: Scope,
        empty: WorkingMemory,
        *,
        on_leave: Keep | None = None,
        on_end: Keep | None = None,
        look_back: LookBack | None = None,
    ) -> None:
        self._sessions = sessions
        self._scope = scope
        self._empty = empty
        self._on_leave = on_leave
        self._on_end = on_end
        self._look_back = look_back

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self._empty.session_id

    async def state(self) -> WorkingMemory:
        """Return the stored state; the empty one (version 0) when nothing was written yet."""
        return await self._sessions.load(self._scope, self.session_id) or self._empty

    async def markdown(self, token_budget: int | None = None) -> str:
        """Return the state as a Markdown list with bold keys, within the budget (`session_markdown.to_markdown`)."""
        return to_markdown(await self.state(), token_budget)

    async def goal(self, text: str) -> WorkingMemory:
        """Set what the session is for: at most 500 characters."""
        return await self._change(lambda state: wm.set_goal(state, text, self._sessions.now()))

    async def constraint(self, text: str) -> WorkingMemory:
        """Add a constraint: at most 200 characters. Those that messages state are found without this."""
        return await self._change(lambda state: wm.add_constraint(state, text, self._sessions.now()))

    async def step(self, text: str | None = None) -> WorkingMemory:
        """Finish the current step and start the next: at most 200 characters; None only finishes."""
        return await self._change(lambda state: wm.advance(state, text, self._sessions.now()))

    async def append(self, message: Message | Mapping[str, Any] | str, role: str = "user") -> WorkingMemory:
        """Add one interaction, and compress when it is due.

        Args:
            message: A message in our own or the OpenAI form, or its words alone.
            role: Who said them, when `message` is words alone.

        Raises:
            InputError: The message is malformed or empty.
        """
        return await self.extend([{"role": role, "content": message} if isinstance(message, str) else message])

    async def extend(
        self, messages: Sequence[Message | Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> WorkingMemory:
        """Add interactions, all in one change, and compress when it is due.

        Args:
            messages: In our own or the OpenAI form, in the order they happened.
            idempotency_key: The same call again gives the same answer and adds nothing.

        Raises:
            InputError: A message is malformed or empty; none was added. IdempotencyError: the key was used for others.
        """
        parsed = parse_messages(messages)
        once = Once.of(idempotency_key, ("extend", self.session_id, *(message.model_dump_json() for message in parsed)))
        if (answered := await self._sessions.answered(self._scope, once)) is not None:
            return answered
        now = self._sessions.now()
        whole = [
            message.model_copy(update={"occurred_at": message.occurred_at or now, "session_id": self.session_id})
            for message in parsed
        ]

        def add(state: WorkingMemory) -> WorkingMemory:
            for message in whole:
                state = wm.append(state, message, self._sessions.now())
            return state

        if self._on_leave is not None and (long := tuple(message for message in whole if wm.is_clipped(message))):
            await self._on_leave(long)
        return await self._change(add, once=once)

    async def compress(self) -> WorkingMemory:
        """Fold what came in since the last compression now, without waiting for it to be due."""
        return await self._change(lambda state: state, force=True)

    async def end(self, *, extract: bool = True, reflect: bool | None = None) -> WorkingMemory:
        """End the session; with `extract`, the messages still in the window go to long-term memory first.

        The end is stored last, in one transaction with the job that looks back on the session (the state's `reflection_id`): when
        the extraction fails, the session is still open and `end` can be called again.

        Args:
            extract: Keep what the window holds.
            reflect: Look back on the session; by the policy (`learning.at_session_end`) when absent, unless nothing is kept.
        """
        hand_on = self._on_end if extract else None
        wanted = False if reflect is None and not extract else reflect
        job = None if self._look_back is None else self._look_back(self.session_id, wanted)
        jobs = () if job is None else (job,)
        job_id = None if job is None else job.id
        return await self._change(
            lambda state: wm.end(state, self._sessions.now(), job_id), force=True, hand_on=hand_on, jobs=jobs
        )

    async def _change(
        self,
        step: Callable[[WorkingMemory], WorkingMemory],
        *,
        force: bool = False,
        hand_on: Keep | None = None,
        once: Once | None = None,
        jobs: tuple[Job, ...] = (),
    ) -> WorkingMemory:
        """Apply `step` to the stored state, compress when due, and store; `hand_on` takes what the window holds first."""
        async with self._sessions.lock(self._scope, self.session_id):
            return await self._change_alone(step, force=force, hand_on=hand_on, once=once, jobs=jobs)

    async def _change_alone(
        self,
        step: Callable[[WorkingMemory], WorkingMemory],
        *,
        force: bool,
        hand_on: Keep | None,
        once: Once | None,
        jobs: tuple[Job, ...],
    ) -> WorkingMemory:
        last: ConflictError | None = None
        for _ in range(_ATTEMPTS):
            state = step(await self.state())
            if state.undigested and (force or wm.needs_compression(state)):
                state, left = await self._sessions.compress(state)
                if left and self._on_leave is not None:
                    await self._on_leave(left)
            rest = tuple(turn.to_message(self.session_id) for turn in state.recent if not turn.clipped)
            if rest and hand_on is not None:
                await hand_on(rest)
            try:
                return await self._sessions.save(self._scope, state, once, jobs)
            except IdempotencyError:
                raise
            except ConflictError as error:
                last = error
        raise ConflictError(
            f"session {self.session_id!r} was changed by others {_ATTEMPTS} times in a row",
            hint="try again; use fewer writers per session",
        ) from last
