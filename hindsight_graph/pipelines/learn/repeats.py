"""The same task told twice in one session, once with times and once without: it happened once, and counts once.

A client that keeps a conversation as it goes, with times, and hands the same messages over at the end, without, would else be
counted twice: messages with other times are other messages. Told twice with times it happened twice.
"""

from collections.abc import Iterable, Sequence

from hindsight_graph.models.enums import Kind
from hindsight_graph.models.episode import Episode
from hindsight_graph.models.learning import Experience
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.pipelines.candidate import Candidate
from hindsight_graph.stores.base import Store

__all__ = ["Repeats", "told_once"]

_READ = 500
"""Newest experiences of one session among which a repeat is looked for."""


class Repeats:
    """Finds what a session was told before."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, scope: Scope, candidates: Sequence[Candidate], view: View) -> dict[str, Memory]:
        """Return for candidates that only repeat a stored experience of their session that experience, by content hash."""
        found: dict[str, Memory] = {}
        for session in dict.fromkeys(item.episode.session_id for item in candidates):
            if session is None:
                continue
            where = Filter(view=view, kinds=(Kind.EXPERIENCE,), session_id=session)
            page = await self._store.scan_memories(scope, where, Order.RECORDED_NEWEST, limit=_READ)
            stored = {key: memory for memory in reversed(page.rows) if (key := _told(Experience.of(memory.payload))) is not None}
            for item in candidates:
                twin = stored.get(_told(Experience.of(item.payload)) or ()) if item.episode.session_id == session else None
                if twin is not None and (_untimed(_episodes(item)) or await self._is_untimed(scope, twin)):
                    found[item.content_hash] = twin
        return found

    async def _is_untimed(self, scope: Scope, memory: Memory) -> bool:
        return _untimed(await self._store.get_episodes(scope, memory.episode_ids))


def told_once(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates without those that repeat an earlier one of their session, where one of the two has no times."""
    kept: list[Candidate] = []
    for item in candidates:
        key = _told(Experience.of(item.payload))
        twins = (one for one in kept if one.episode.session_id == item.episode.session_id and key is not None)
        if not any(
            key == _told(Experience.of(one.payload)) and (_untimed(_episodes(one)) or _untimed(_episodes(item))) for one in twins
        ):
            kept.append(item)
    return kept


def _told(experience: Experience | None) -> tuple[object, ...] | None:
    """Return what makes two experiences of a session the same; nothing of when it was, or of what was read out of it."""
    if experience is None:
        return None
    steps = tuple((step.tool, tuple(sorted(step.arguments.items())), step.ok, step.error) for step in experience.steps)
    return experience.goal, experience.outcome, steps


def _episodes(candidate: Candidate) -> tuple[Episode, ...]:
    return (candidate.episode, *candidate.more_evidence)


def _untimed(episodes: Iterable[Episode]) -> bool:
    """Whether messages were handed over without times of their own, and so happened when they were recorded."""
    return all(episode.occurred_at == episode.recorded_at for episode in episodes)
