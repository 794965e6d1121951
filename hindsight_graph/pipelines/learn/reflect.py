"""Reflect: a durable job that reads a transcript, keeps what is reusable of it as experiences, and lets strategies follow."""

from collections.abc import Mapping, Sequence
from typing import Any

from hindsight_graph.errors import ConflictError
from hindsight_graph.extraction.base import Extractor, Source
from hindsight_graph.learning.attempts import read_attempts
from hindsight_graph.learning.checks import ReflectionCheck, checked
from hindsight_graph.learning.drafting import Draft, ReflectPolicy, Reviewed, draft
from hindsight_graph.llm.base import Exchange, raw_words
from hindsight_graph.models.base import Model
from hindsight_graph.models.episode import Episode, Message
from hindsight_graph.models.memory import Mention
from hindsight_graph.models.query import EpisodeFilter, Order, Scope
from hindsight_graph.pipelines.learn.consolidate import Consolidate, Consolidation
from hindsight_graph.pipelines.learn.experiences import Experiences
from hindsight_graph.pipelines.learn.lessons import Lessons
from hindsight_graph.pipelines.work import JobRun
from hindsight_graph.stores.base import Store

REFLECT = "reflect"
"""Kind of the job that turns committed messages into experiences."""
_ATTEMPTS = 5
"""How often a write is planned anew when another writer was faster."""
_REQUEST_LIMIT = 200
_SESSION_READ = 5_000
"""Messages of one session that are looked back on, oldest first."""
_PAGE = 500


class Left(Model):
    """What reflection found and did not keep.

    Attributes:
        request: What was asked for. reason: Why nothing was kept of it, or why its lesson was left out.
    """

    request: str
    reason: str


class Reflection(Model):
    """What a reflection came to; "nothing reusable" is a valid result: no drafts, and the reasons in `left`.

    Attributes:
        drafts: The experiences found; stored or only proposed, as asked.
        memory_ids: Of the stored ones, in the same order; known: ids of experiences that stood on these messages already.
        consolidation: What followed for strategies.
        extractor: What did the work: `rules`, or the model's name with the rules' where it worded a lesson.
    """

    drafts: tuple[Draft, ...] = ()
    left: tuple[Left, ...] = ()
    memory_ids: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    stored: bool = False
    consolidation: Consolidation | None = None
    extractor: str = "rules"


class Reflect:
    """Looks back on transcripts."""

    def __init__(
        self,
        store: Store,
        experiences: Experiences,
        consolidate: Consolidate,
        extractor: Extractor,
        policy: ReflectPolicy,
        lessons: Lessons | None = None,
        checks: Sequence[ReflectionCheck] = (),
    ) -> None:
        self._store = store
        self._experiences = experiences
        self._consolidate = consolidate
        self._extractor = extractor
        self.policy = policy
        self._lessons = lessons
        self._checks = tuple(checks)

    async def work(self, run: JobRun) -> Mapping[str, Any]:
        """Do a job of kind REFLECT.

        Its payload: `episode_ids` or a `session_id`, `task_type`, `store`, `asked`. Repeating it changes nothing: an experience
        is told by its messages, and counts for a strategy once.
        """
        payload = run.job.payload
        episodes = await self._episodes(run.scope, payload)
        exchanges: list[Exchange] = []
        found = await self.reflect(
            run.scope,
            episodes,
            task_type=payload.get("task_type"),
            store=payload.get("store", True),
            asked=payload.get("asked", True),
            exchanges=exchanges,
        )
        return found.model_dump(mode="json") | raw_words(exchanges)

    async def reflect(
        self,
        scope: Scope,
        episodes: Sequence[Episode],
        *,
        task_type: str | None,
        store: bool,
        asked: bool,
        exchanges: list[Exchange] | None = None,
    ) -> Reflection:
        """Return the experiences in committed messages; with `store` they are written, and strategies follow them.

        Args:
            scope: Whose.
            episodes: The transcript, in order.
            task_type: The caller's name for this sort of task.
            store: Write them; otherwise they are only returned, for confirmation.
            asked: Somebody asked; otherwise the policy decides what is worth it.
            exchanges: Gains the requests that were made to a model.
        """
        reviewed = self._reviewed(episodes, task_type, asked=asked)
        drafts = tuple(item.draft for item in reviewed if item.draft is not None)
        left = tuple(Left(request=item.request[:_REQUEST_LIMIT], reason=item.reason) for item in reviewed if item.reason)
        extractor = "rules"
        if self._lessons is not None and drafts:
            worded = await self._lessons.worded(drafts)
            drafts = worded.drafts
            left += tuple(Left(request=request[:_REQUEST_LIMIT], reason=why) for request, why in worded.left)
            extractor = f"{self._lessons.name}+rules" if any(item.experience.author for item in drafts) else "rules"
            if exchanges is not None:
                exchanges.extend(worded.exchanges)
        passed = await checked(self._checks, drafts, episodes)
        left += tuple(Left(request=request[:_REQUEST_LIMIT], reason=why) for request, why in passed.left)
        drafts = passed.drafts
        result = Reflection(drafts=drafts, left=left, extractor=extractor)
        if not store or not drafts:
            return result
        return await self._store_drafts(scope, episodes, result)

    async def _episodes(self, scope: Scope, payload: Mapping[str, Any]) -> tuple[Episode, ...]:
        """Return the messages that a job's payload names, or all of its session in the order they happened."""
        if "episode_ids" in payload:
            return await self._store.get_episodes(scope, payload["episode_ids"])
        where = EpisodeFilter(session_id=payload["session_id"])
        found: list[Episode] = []
        cursor: str | None = None
        while len(found) < _SESSION_READ:
            page = await self._store.scan_episodes(scope, where, Order.EVENT_OLDEST, cursor, _PAGE)
            found.extend(page.rows)
            cursor = page.cursor
            if cursor is None:
                break
        return tuple(found)

    async def keep(self, scope: Scope, payload: Mapping[str, Any], drafts: Sequence[Draft]) -> Reflection:
        """Store drafts of a reflection whose job has this payload."""
        episodes = await self._episodes(scope, payload)
        return await self._store_drafts(scope, episodes, Reflection(drafts=tuple(drafts)))

    async def _store_drafts(self, scope: Scope, episodes: Sequence[Episode], result: Reflection) -> Reflection:
        mentions = await self._mentions(result.drafts)
        for attempt in range(_ATTEMPTS):
            batch, new, known = await self._experiences.batch_of(scope, result.drafts, episodes, mentions)
            try:
                await self._store.write(scope, batch)
            except ConflictError:
                if attempt == _ATTEMPTS - 1:
                    raise
                continue
            ids, before = tuple(memory.id for memory in new), tuple(memory.id for memory in known)
            consolidation = await self._consolidate.touch(scope, (*ids, *before))
            changes = {"memory_ids": ids, "known": before, "stored": True, "consolidation": consolidation}
            return result.model_copy(update=changes)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _reviewed(self, episodes: Sequence[Episode], task_type: str | None, *, asked: bool) -> list[Reviewed]:
        messages = [_message(episode) for episode in episodes]
        lessons: list[str] = []
        found: list[Reviewed] = []
        for attempt in read_attempts(messages, [episode.id for episode in episodes]):
            item = draft(attempt, self.policy, asked=asked, task_type=task_type, known=lessons)
            found.append(item)
            if item.draft is not None and item.draft.experience.lesson:
                lessons.append(item.draft.experience.lesson)
        return found

    async def named_in(self, text: str) -> tuple[str, ...]:
        """Return the names of the things a text is about, by the extractor."""
        (mentions,) = await self._named_in([text])
        return tuple(mention.name for mention in mentions)

    async def _mentions(self, drafts: Sequence[Draft]) -> list[tuple[Mention, ...]]:
        """Return what each draft's goal is about."""
        return await self._named_in([item.experience.goal or item.summary for item in drafts])

    async def _named_in(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        sources = [Source(text=text, keep_all=True) for text in texts]
        return [
            tuple({mention.name: mention for statement in found.statements for mention in statement.mentions}.values())
            for found in await self._extractor.extract(sources)
        ]


def _message(episode: Episode) -> Message:
    return Message(
        role=episode.role,
        name=episode.name,
        content=episode.content,
        occurred_at=episode.occurred_at,
        tool_calls=episode.tool_calls,
        tool_call_id=episode.tool_call_id,
        recalled=episode.recalled,
    )
