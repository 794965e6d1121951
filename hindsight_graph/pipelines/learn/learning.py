"""Learning as callers see it: reflect, confirm, consolidate, review, feed back."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self

from hindsight_graph.errors import ConflictError, InputError, NotFoundError
from hindsight_graph.extraction.base import Extractor
from hindsight_graph.learning.checks import ReflectionCheck
from hindsight_graph.learning.drafting import Draft, ReflectPolicy
from hindsight_graph.learning.proposals import LearningPolicy
from hindsight_graph.learning.statistic import WeightPolicy
from hindsight_graph.learning.wording import experience_summary, tongue_of
from hindsight_graph.llm.base import RAW_KEY
from hindsight_graph.models.base import SUMMARY_LIMIT, is_visible
from hindsight_graph.models.enums import Kind, Origin, Outcome
from hindsight_graph.models.episode import Message
from hindsight_graph.models.learning import EXPERIENCE_KEY, Experience
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Scope
from hindsight_graph.models.record import Job, JobState
from hindsight_graph.models.result import Receipt
from hindsight_graph.models.write import MAX_LIST, Unit
from hindsight_graph.observe.observer import NOBODY, Observer
from hindsight_graph.pipelines.jobs import Jobs
from hindsight_graph.pipelines.learn.consistency import CONSISTENCY, CheckStrategies, Consistency, Tell
from hindsight_graph.pipelines.learn.consolidate import Consolidate, Consolidation
from hindsight_graph.pipelines.learn.decay import DECAY, Decay, Decayed
from hindsight_graph.pipelines.learn.experiences import Experiences
from hindsight_graph.pipelines.learn.feedback import Feedback, FeedbackReceipt
from hindsight_graph.pipelines.learn.lessons import Lessons
from hindsight_graph.pipelines.learn.reflect import REFLECT, Reflect, Reflection
from hindsight_graph.pipelines.learn.review import Review, ReviewItem
from hindsight_graph.pipelines.learn.strategies import Strategies
from hindsight_graph.pipelines.learn.support import CONSOLIDATE, SupportBook
from hindsight_graph.pipelines.learn.uses import Uses
from hindsight_graph.pipelines.messages import parse_messages
from hindsight_graph.pipelines.plan import Planner
from hindsight_graph.pipelines.retain import Retain
from hindsight_graph.pipelines.versions import Versions

_LOOK_EVERY_S = 0.05
"""Seconds between two looks at a job that another worker has."""


class Policies(NamedTuple):
    """The stated policies of learning."""

    reflect: ReflectPolicy
    learning: LearningPolicy
    weights: WeightPolicy


@dataclass(frozen=True)
class Learning:
    """What a scope learns from what happened in it."""

    retain: Retain
    jobs: Jobs
    reflector: Reflect
    consolidator: Consolidate
    reviewer: Review
    feedbacker: Feedback
    decayer: Decay
    checker: CheckStrategies
    uses: Uses
    scope: Scope = field(default_factory=Scope)

    @classmethod
    def put_together(
        cls,
        retain: Retain,
        jobs: Jobs,
        versions: Versions,
        planner: Planner,
        extractor: Extractor,
        book: SupportBook,
        policies: Policies,
        floor: float,
        lessons: Lessons | None = None,
        observer: Observer = NOBODY,
        tell: Tell | None = None,
        checks: Sequence[ReflectionCheck] = (),
    ) -> Self:
        """Return it with its parts, and its kinds of job registered."""
        store, clock, ids = jobs.store, jobs.clock, jobs.ids
        experiences = Experiences(store, planner, clock, ids, policies.weights, floor)
        strategies = Strategies(store, planner, clock, ids, policies.learning)
        consolidator = Consolidate(store, experiences, strategies, clock, ids, policies.learning)
        reflector = Reflect(store, experiences, consolidator, extractor, policies.reflect, lessons, checks)
        reviewer = Review(store, book, consolidator, versions, clock, ids, policies.learning)
        feedbacker = Feedback(store, clock, ids, policies.weights, policies.learning)
        jobs.registry.add(REFLECT, reflector.work)
        uses = Uses(store, clock)
        decayer = Decay(store, uses, clock, ids, policies.weights)
        checker = CheckStrategies(store, consolidator, clock, ids, observer, tell)
        jobs.registry.add(CONSOLIDATE, consolidator.work)
        jobs.registry.add(DECAY, decayer.work, weekly=True)
        jobs.registry.add(CONSISTENCY, checker.work, weekly=True)
        return cls(retain, jobs, reflector, consolidator, reviewer, feedbacker, decayer, checker, uses)

    async def reflect(
        self,
        messages: Iterable[Message | Mapping[str, Any]],
        *,
        session_id: str | None = None,
        task_type: str | None = None,
        store: bool = True,
        asked: bool = True,
    ) -> Job:
        """Commit a transcript and a job that looks back on it; returns the job at once (promise X-02).

        Args:
            messages: As `retain` takes them; tool messages with only role, name and content will do.
            session_id: Of messages that name none.
            task_type: The caller's name for this sort of task; an exact filter later.
            store: Store what is found; otherwise the job's result lists it for `confirm`.
            asked: False lets the policy skip routine successes.

        Raises:
            InputError: No messages, or one is malformed; nothing was written.
        """
        parsed = parse_messages(messages)
        if not parsed:
            raise InputError("there is nothing to reflect on: no messages", hint="hand over the messages of a task")
        payload = {"task_type": task_type, "store": store, "asked": asked}
        return await self.retain.keep(self.scope, parsed, REFLECT, payload, session_id=session_id)

    def look_back(self, session_id: str, asked: bool | None) -> Job | None:
        """Return the job that reflects on all that was kept of a session, for the transaction that ends it.

        Args:
            session_id: Which.
            asked: Somebody asked, or asked for none; None leaves it to the policy, which then also skips routine successes.
        """
        if not (self.reflector.policy.at_session_end if asked is None else asked):
            return None
        payload = {"session_id": session_id, "task_type": None, "store": True, "asked": bool(asked)}
        return Job(
            id=self.jobs.ids.new(), kind=REFLECT, payload=payload, created_at=self.jobs.clock.now(),
            max_attempts=self.jobs.policy.max_attempts,
        )  # fmt: skip

    async def reflection(self, job_id: str) -> Reflection:
        """Return what a reflection came to; raises NotFoundError, or ConflictError while it is not done."""
        job = await self.jobs.get(job_id)
        if job.kind != REFLECT or job.state is not JobState.DONE:
            raise ConflictError(f"job {job_id} is a {job.kind} that is {job.state}", hint=job.error or "a worker does it; wait")
        return Reflection.model_validate({name: value for name, value in job.result.items() if name != RAW_KEY})

    async def reflect_on(self, memory_id: str, *, task_type: str | None = None, store: bool = True) -> Job:
        """Look back on the messages a memory came from; returns the job at once. Raises NotFoundError."""
        found = await self.jobs.store.get_memories(self.scope, [memory_id])
        if not found:
            raise NotFoundError(f"no memory {memory_id}", hint="check the id and the tenant")
        payload = {"episode_ids": list(found[0].episode_ids), "task_type": task_type, "store": store, "asked": True}
        return await self.jobs.enqueue(REFLECT, payload)

    async def settle(self, job_id: str, within: float) -> Reflection | None:
        """Return what a reflection came to once it is done, lending a hand where no worker runs; None after so many seconds.

        Raises:
            NotFoundError: There is no such job. ConflictError: it ended without a result.
        """
        try:
            async with asyncio.timeout(within):
                while not (await self.jobs.get(job_id)).state.is_end:
                    if not await self.jobs.work(kinds=(REFLECT,), limit=1):
                        await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            return None
        return await self.reflection(job_id)

    async def confirm(self, job_id: str, keep: Sequence[int] | None = None) -> Reflection:
        """Store what a reflection proposed (all, or those positions), as confirmed by a person."""
        found = await self.reflection(job_id)
        chosen = range(len(found.drafts)) if keep is None else keep
        wrong = [index for index in chosen if not 0 <= index < len(found.drafts)]
        if wrong:
            raise InputError(f"job {job_id} proposed {len(found.drafts)} experiences; there is no {wrong[0]}")
        job = await self.jobs.get(job_id)
        drafts = [_confirmed(found.drafts[index]) for index in chosen]
        return await self.reflector.keep(self.scope, job.payload, drafts)

    async def record(
        self,
        *,
        context: str,
        action: str = "",
        outcome: Outcome | str | None,
        lesson: str = "",
        ended: str = "",
        task_type: str | None = None,
        tags: Sequence[str] = (),
        tools: Sequence[str] = (),
        error_code: str | None = None,
        session_id: str | None = None,
        occurred_at: datetime | None = None,
        origin: Origin = Origin.USER,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Keep an experience that the caller wrote down, whole and as one memory; strategies follow it.

        Args:
            context: The situation, and what was asked for.
            action: What was done.
            outcome: How it ended; None when that is not known: it is recalled then, and no evidence for a strategy.
            lesson: What to do next time.
            ended: How it ended, in the caller's words.
            task_type: The caller's name for this sort of task.
            tags: Labels to filter by later.
            tools: Those used.
            error_code: Of the failure.
            session_id: Which session it was.
            occurred_at: When; now when absent.
            origin: Who says so.
            idempotency_key: Repeats the first answer when the same call comes again.

        Raises:
            InputError: The context is empty, both action and lesson are, or a value is wrong.
        """
        if not is_visible(context) or not (is_visible(action) or is_visible(lesson)):
            raise InputError(
                "an experience needs a context, and an action or a lesson", hint="say what the situation was and what was done"
            )
        known = None if outcome is None else _outcome(outcome)
        context = context.strip()
        told = {"context": context, "goal": context, "action": action, "lesson": lesson, "ended": ended, "tags": list(tags)}
        told |= {"task_type": task_type, "reflected": False}
        if known is not None:
            told = Experience.model_validate({**told, "outcome": known}).model_dump(mode="json")
        named = await self.reflector.named_in(context)
        unit = Unit(
            entities=tuple(dict.fromkeys((*named, *tools)))[:MAX_LIST],
            relations=(),
            summary=_line(context, known, lesson.strip() or action.strip()),
            kind=Kind.EXPERIENCE,
            task_type=task_type,
            outcome=known,
            tags=tuple(tags),
            tools=tuple(tools),
            error_code=error_code,
            session_id=session_id,
            occurred_at=occurred_at,
            origin=origin,
            context=f"{context} {action}"[:1_000],
            payload={EXPERIENCE_KEY: told},
        )
        receipt = await self.retain.remember(self.scope, (unit,), idempotency_key)
        await self.consolidator.touch(self.scope, [memory.id for memory in receipt.memories])
        return receipt

    async def consolidate(self, *, dry_run: bool = False) -> Consolidation:
        """Weigh every experience anew, and make, revise and drop strategies; with `dry_run` only say what would be done."""
        return await self.consolidator.run(self.scope, dry_run=dry_run)

    async def undo(self, report_id: str) -> tuple[str, ...]:
        """Take a consolidation back; returns the ids of the strategies whose state changed."""
        return await self.consolidator.undo(self.scope, report_id)

    async def decay(self, *, dry_run: bool = False) -> Decayed:
        """Let the weights of experiences fall by the whole weeks without retrieval; a worker does it every week by itself."""
        return await self.decayer.run(self.scope, dry_run=dry_run)

    async def check(self, *, dry_run: bool = False) -> Consistency:
        """Look for strategies that contradict each other, mark them and put them in review; a worker does it every week."""
        return await self.checker.run(self.scope, dry_run=dry_run)

    async def queue(self) -> tuple[ReviewItem, ...]:
        """Return what awaits a reviewer, the best supported first."""
        return await self.reviewer.queue(self.scope)

    async def show(self, strategy_id: str) -> ReviewItem:
        """Return one strategy with what speaks for and against it."""
        return await self.reviewer.show(self.scope, strategy_id)

    async def approve(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy: from now on it is recalled."""
        return await self.reviewer.approve(self.scope, strategy_id, reviewer=reviewer, reason=reason)

    async def reject(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Reject a strategy."""
        return await self.reviewer.reject(self.scope, strategy_id, reviewer=reviewer, reason=reason)

    async def edit(self, strategy_id: str, guidance: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Approve a strategy in other words, as a new version."""
        return await self.reviewer.edit(self.scope, strategy_id, guidance, reviewer=reviewer, reason=reason)

    async def retire(self, strategy_id: str, *, reviewer: str = "", reason: str = "") -> Memory:
        """Archive an approved strategy."""
        return await self.reviewer.retire(self.scope, strategy_id, reviewer=reviewer, reason=reason)

    async def feedback(
        self, ids: Sequence[str], outcome: Outcome | str, *, task_id: str | None = None, importance: float = 1.0
    ) -> FeedbackReceipt:
        """Report how a task ended that used these memories; once per task."""
        return await self.feedbacker.take(self.scope, ids, _outcome(outcome), task_id=task_id, importance=importance)


def _outcome(value: Outcome | str) -> Outcome:
    try:
        return Outcome(value)
    except ValueError as error:
        raise InputError(f"unknown outcome {value!r}", hint=f"one of {', '.join(Outcome)}") from error


def _line(context: str, outcome: Outcome | None, detail: str) -> str:
    """Return the one line under which a told experience is recalled."""
    detail = " ".join(detail.split())
    if outcome is not None:
        return experience_summary(context, outcome, detail, tongue_of(context, detail))
    return detail if len(detail) <= SUMMARY_LIMIT else detail[: SUMMARY_LIMIT - 1].rstrip() + "…"


def _confirmed(draft: Draft) -> Draft:
    return draft.model_copy(update={"experience": draft.experience.model_copy(update={"confirmed": True})})
