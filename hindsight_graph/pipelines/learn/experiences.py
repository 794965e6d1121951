"""Experiences as memories: how they are written, found again and read back as cases."""

import hashlib
from collections.abc import AsyncIterator, Sequence

from hindsight_graph.clock import Clock
from hindsight_graph.extraction.base import Statement
from hindsight_graph.ids import IdGenerator
from hindsight_graph.learning.communities import Case, case_of
from hindsight_graph.learning.drafting import Draft, importance_of
from hindsight_graph.learning.statistic import WeightPolicy, first_weight
from hindsight_graph.models.edge import Edge
from hindsight_graph.models.enums import Kind, MentionRole, Origin, Outcome, RelationType, Status, Visibility
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.learning import EXPERIENCE_KEY, Experience
from hindsight_graph.models.memory import Memory, Mention
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.record import WriteBatch
from hindsight_graph.pipelines.candidate import Candidate
from hindsight_graph.pipelines.learn.edges import between
from hindsight_graph.pipelines.learn.repeats import Repeats, told_once
from hindsight_graph.pipelines.plan import Planner
from hindsight_graph.stores.base import Store
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.names import normal_name

EVIDENCE_STATUSES = (Status.ACTIVE, Status.STALE)
"""States of an experience that speaks for or against a strategy: one that is no longer recalled still happened."""
_PAGE = 500
_EARLIER = 20
"""Earlier failures looked through for the one that a success repairs, newest first."""


class Experiences:
    """Writes drafts as memories of kind experience, and reads such memories as cases."""

    def __init__(
        self, store: Store, planner: Planner, clock: Clock, ids: IdGenerator, weights: WeightPolicy, floor: float
    ) -> None:
        self._store = store
        self._planner = planner
        self._clock = clock
        self._ids = ids
        self._weights = weights
        self._floor = floor
        self._repeats = Repeats(store)

    async def batch_of(
        self, scope: Scope, drafts: Sequence[Draft], episodes: Sequence[Episode], mentions: Sequence[Sequence[Mention]]
    ) -> tuple[WriteBatch, tuple[Memory, ...], tuple[Memory, ...]]:
        """Return what to write for drafts, the new memories, and those that stand on the same messages already.

        Args:
            scope: Whose.
            drafts: Their positions index `episodes`.
            episodes: The transcript as committed.
            mentions: What each draft's goal is about.
        """
        candidates = [self._candidate(draft, episodes, named) for draft, named in zip(drafts, mentions, strict=True)]
        known = await self._known(scope, candidates)
        known |= await self._repeats.of(scope, [item for item in candidates if item.content_hash not in known], self.view())
        fresh = told_once([item for item in candidates if item.content_hash not in known])
        plan = await self._planner.learned(scope, fresh)
        origins = {item.content_hash: _origin_of((item.episode, *item.more_evidence)) for item in fresh}
        made = {
            new.memory.id: new.model_copy(
                update={
                    "memory": new.memory.model_copy(update={"origin": origins.get(new.memory.content_hash, new.memory.origin)})
                }
            )
            for new in plan.batch.memories
        }
        touched = tuple(made[memory.id].memory if memory.id in made else memory for memory in plan.touched)
        fixes = [edge for memory in touched for edge in await self._fixes(scope, memory, touched)]
        batch = plan.batch.model_copy(update={"memories": tuple(made.values()), "edges": (*plan.batch.edges, *fixes)})
        return batch, touched, tuple(known.values())

    async def cases(self, scope: Scope, where: Filter | None = None) -> AsyncIterator[tuple[Memory, Case]]:
        """Yield active experiences at or above the trust floor, oldest record first."""
        chosen = where or Filter(view=self.view(), kinds=(Kind.EXPERIENCE,))
        cursor: str | None = None
        while True:
            page = await self._store.scan_memories(scope, chosen, Order.RECORDED_OLDEST, cursor, _PAGE)
            for memory in page.rows:
                case = case_of(memory)
                if case is not None:
                    yield memory, case
            cursor = page.cursor
            if cursor is None:
                return

    def view(self) -> View:
        """Return the view of what may be learned from: trusted, and active or held at the floor of its weight."""
        return View(now=self._clock.now(), min_trust=self._floor, statuses=EVIDENCE_STATUSES)

    async def newest(
        self, scope: Scope, where: Filter, limit: int, memories: dict[str, Memory], cases: dict[str, Case]
    ) -> list[Case]:
        """Return the newest experiences that a filter admits, at most `limit`; `memories` and `cases` remember what was read."""
        page = await self._store.scan_memories(scope, where, Order.EVENT_NEWEST, limit=limit)
        for memory in page.rows:
            if memory.id not in cases and (case := case_of(memory)) is not None:
                memories.setdefault(memory.id, memory)
                cases[memory.id] = case
        return [cases[memory.id] for memory in page.rows if memory.id in cases]

    async def _known(self, scope: Scope, candidates: Sequence[Candidate]) -> dict[str, Memory]:
        hashes = tuple({item.content_hash for item in candidates})
        if not hashes:
            return {}
        view = View(now=self._clock.now(), statuses=(Status.ACTIVE, Status.PENDING, Status.STALE), timeless=True)
        page = await self._store.scan_memories(scope, Filter(view=view, content_hashes=hashes), limit=len(hashes) * 2)
        return {memory.content_hash: memory for memory in page.rows if memory.is_current}

    def _candidate(self, draft: Draft, episodes: Sequence[Episode], mentions: Sequence[Mention]) -> Candidate:
        experience = draft.experience
        own = [episodes[position] for position in draft.positions]
        first = own[0]
        tools = tuple(Mention(name=tool, role=MentionRole.TOOL) for tool in experience.tools)
        named = {normal_name(mention.name): mention for mention in (*tools, *mentions)}
        statement = Statement(
            summary=draft.summary,
            kind=Kind.EXPERIENCE,
            language=detect_language(draft.summary),
            mentions=tuple(named.values()),
            outcome=experience.outcome,
        )
        return Candidate(
            statement=statement,
            episode=first,
            kind=Kind.EXPERIENCE,
            valid_from=max(episode.occurred_at for episode in own),
            timed=True,
            agent_id=first.agent_id,
            visibility=Visibility.SHARED if first.agent_id is None else Visibility.PRIVATE,
            trust=min(episode.trust for episode in own),
            importance=importance_of(experience),
            tags=experience.tags,
            task_type=experience.task_type,
            outcome=experience.outcome,
            tools=experience.tools,
            error_code=draft.error_code,
            context=" ".join(filter(None, (experience.goal, experience.lesson, experience.repair, *_told_by_model(draft)))),
            payload={EXPERIENCE_KEY: experience.model_dump(mode="json")},
            weight=first_weight(
                experience.outcome, self._weights, confirmed=experience.confirmed, reflected=experience.reflected
            ),
            more_evidence=tuple(own[1:]),
            identity=hashlib.sha256("".join(episode.id for episode in own).encode()).hexdigest(),
        )

    async def _fixes(self, scope: Scope, memory: Memory, beside: Sequence[Memory]) -> list[Edge]:
        """Return an edge to each earlier failure whose first error this success met, or whose failing tool it made work."""
        experience = Experience.of(memory.payload)
        if experience is None or experience.outcome is Outcome.FAILURE:
            return []
        found: dict[str, Memory] = {}
        worked = {step.tool for step in experience.steps if step.ok}
        for tool in sorted(worked):
            where = Filter(
                view=self.view(), kinds=(Kind.EXPERIENCE,), tool=tool, outcome=Outcome.FAILURE, task_type=memory.task_type
            )
            page = await self._store.scan_memories(scope, where, Order.EVENT_NEWEST, limit=_EARLIER)
            for failure in (*beside, *page.rows):
                before = Experience.of(failure.payload)
                if before is None or before.outcome is not Outcome.FAILURE or failure.valid_from > memory.valid_from:
                    continue
                if failure.task_type == memory.task_type and any(step.tool == tool and not step.ok for step in before.steps):
                    found.setdefault(failure.id, failure)
                    break
        now = self._clock.now()
        return [between(self._ids, now, memory, failure.id, RelationType.FIXES) for failure in found.values()]


def _origin_of(episodes: Sequence[Episode]) -> Origin:
    """Return where an experience comes from: the least trusted of its messages, as its trust does."""
    return min(episodes, key=lambda episode: episode.trust).origin


def _told_by_model(draft: Draft) -> tuple[str, ...]:
    """Return the errors where a model's lesson took their place in the summary, so that they are found all the same."""
    return draft.experience.errors if draft.experience.author else ()
