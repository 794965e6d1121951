"""Summarise: what was remembered in a time window, in a session, about a thing. Extractive: someone wrote every sentence.

No sentence is made up and none loses its sources: statements are chosen (`ranking.central`), told in the order of events, and
each names the memories that state it.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from hindsight_graph.clock import Clock
from hindsight_graph.errors import InputError
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Order, Scope, View
from hindsight_graph.models.summary import Summary, SummarySentence
from hindsight_graph.pipelines.entities import Entities
from hindsight_graph.ranking.central import Statement, most_central
from hindsight_graph.stores.base import Store
from hindsight_graph.text.tokens import estimate_tokens, index_terms

CONSIDERED = 2_000
"""Memories that are looked at, the newest ones."""
SOURCE_TOKENS = 30
"""Estimated tokens of a sentence's date and source id."""
_PAGE = 500
_NAMED = 8
_SOURCES_SHOWN = 5
"""Source ids of one sentence at most; a fact that a hundred memories state needs no hundred ids."""


class Summarize:
    """Chooses what stands for many memories.

    Args:
        store: Where they are. entities: resolves names. clock: where `now` comes from.
        trust_floor: Memories below it are not told. max_tokens: when a call does not say.
    """

    def __init__(self, store: Store, entities: Entities, clock: Clock, trust_floor: float, max_tokens: int) -> None:
        self._store = store
        self._entities = entities
        self._clock = clock
        self._floor = trust_floor
        self._max_tokens = max_tokens

    async def summarize(
        self,
        scope: Scope,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
        entity: str | None = None,
        max_tokens: int | None = None,
    ) -> Summary:
        """Return the summary of what holds now and happened in [since, until), in the session, about the entity.

        Raises:
            InputError: Nothing says what to summarise, or the window is empty. NotFoundError: no entity of that name.
        """
        if since is None and until is None and session_id is None and entity is None:
            raise InputError("summarize needs a window, a session or an entity", hint="give since, until, session_id or entity")
        if since is not None and until is not None and until <= since:
            raise InputError(f"until {until.isoformat()} is not after since {since.isoformat()}")
        budget = self._max_tokens if max_tokens is None else max_tokens
        if budget < 1:
            raise InputError(f"max_tokens {budget} is less than 1")
        about = None if entity is None else await self._entities.find(scope, entity)
        where = Filter(
            view=View(now=self._clock.now(), min_trust=self._floor),
            entity_ids=() if about is None else (about.canonical_id,),
            session_id=session_id,
            since=since,
            until=until,
        )
        memories, whole = await self._read(scope, where)
        groups = _same(memories)
        statements = [
            Statement(_terms(group[0]), _factor(group), estimate_tokens(group[0].summary) + SOURCE_TOKENS) for group in groups
        ]
        chosen = most_central(statements, budget)
        told = sorted((groups[at] for at in chosen), key=lambda group: (group[0].valid_from, group[0].sequence, group[0].id))
        names = Counter(name for memory in memories for name in dict.fromkeys(memory.entity_names))
        return Summary(
            sentences=tuple(_sentence(group) for group in told),
            since=since,
            until=until,
            session_id=session_id,
            entity=None if about is None else about.name,
            entities=tuple(name for name, _ in sorted(names.items(), key=lambda item: (-item[1], item[0]))[:_NAMED]),
            memories=len(memories),
            tokens=sum(statements[at].tokens for at in chosen),
            truncated=not whole or len(chosen) < len(groups),
        )

    async def _read(self, scope: Scope, where: Filter) -> tuple[list[Memory], bool]:
        """Return the newest memories, and whether these are all."""
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = await self._store.scan_memories(scope, where, Order.EVENT_NEWEST, cursor, min(_PAGE, CONSIDERED - len(found)))
            found.extend(page.rows)
            cursor = page.cursor
            if cursor is None or len(found) >= CONSIDERED:
                return found, cursor is None


def _same(memories: Sequence[Memory]) -> list[list[Memory]]:
    """Return memories that say the same in the same words together, the earliest first; groups newest first."""
    groups: dict[str, list[Memory]] = {}
    for memory in memories:
        groups.setdefault(" ".join(memory.summary.casefold().split()).rstrip(".。"), []).append(memory)
    return [group[::-1] for group in groups.values()]


def _terms(memory: Memory) -> tuple[str, ...]:
    return (*index_terms(memory.summary, ""), *(f"@{name.casefold()}" for name in memory.entity_names))


def _factor(group: Sequence[Memory]) -> float:
    return max(memory.importance * memory.confidence * memory.trust for memory in group)


def _sentence(group: Sequence[Memory]) -> SummarySentence:
    first = group[0]
    return SummarySentence(
        text=first.summary,
        at=first.valid_from,
        language=first.language,
        memory_ids=tuple(memory.id for memory in group[:_SOURCES_SHOWN]),
        raw_refs=tuple(dict.fromkeys(ref for memory in group for ref in memory.raw_refs))[:_SOURCES_SHOWN],
        episode_ids=tuple(dict.fromkeys(episode for memory in group for episode in memory.episode_ids))[:_SOURCES_SHOWN],
    )
