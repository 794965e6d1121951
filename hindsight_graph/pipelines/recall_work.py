"""What one recall has found so far, and what it makes of it: the state that its stages fill, and the pure scoring at the end."""

import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import EmbeddingError, MissingExtraError, StoreError
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.recall import RecallQuery
from hindsight_graph.models.record import TermStats, Vector
from hindsight_graph.models.result import Stage
from hindsight_graph.observe.spans import span
from hindsight_graph.pipelines.recall_plan import Anchor
from hindsight_graph.pipelines.recall_slots import asks_about_self, slot_share
from hindsight_graph.pipelines.recall_time import StageClock
from hindsight_graph.ranking.bm25 import bm25, inverse_frequencies
from hindsight_graph.ranking.expansion import Reach
from hindsight_graph.ranking.fusion import by_maximum
from hindsight_graph.ranking.pooling import Place, leaders, neighbour_values, pool
from hindsight_graph.ranking.profiles import Features, Profile, Scores, relevance, scaled_similarity, score
from hindsight_graph.resilience.limits import within
from hindsight_graph.text.tokens import index_terms, query_terms

__all__ = ["Channels", "Ranking", "StageNote", "Work"]

Floats = NDArray[np.float64]
Failure = StoreError | EmbeddingError | MissingExtraError
"""What a stage may fail with while the recall goes on."""


@dataclass(slots=True)
class StageNote:
    """What a stage says about itself."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    notes: list[str] = field(default_factory=list[str])
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """All candidates in order, with their scores."""

    memories: tuple[Memory, ...]
    scores: Scores
    order: tuple[int, ...]

    def score_at(self, rank: int) -> float:
        """Return the score at a rank, from 0."""
        return float(self.scores.total[self.order[rank]])


@dataclass(frozen=True, slots=True)
class Channels:
    """Keyword and similarity of each candidate, raw and brought to one scale; arrays of shape (candidates,)."""

    keyword: Floats
    cosine: Floats
    relevance: Floats


@dataclass(slots=True)
class Work:
    """The state of one recall.

    Attributes:
        terms: Of the question. stats: of these terms over all rows that exist for this query.
        vector: Of the question; None when there is none.
        counts: Term counts by memory id, as the store gave them; lengths: all terms of a memory.
        memories: Candidates by id, in the order they were found.
        by_channel: Ids that each channel found.
        leading: The best of keyword and vector with their own relevance, best first; what the later stages start from.
        graph: Value of the graph component by memory id; ways: how it was reached.
        crossed: Candidates in the other language than the question's, when both can be compared.
        saturated: A channel returned as many as it was asked for: there may be more.
    """

    scope: Scope
    query: RecallQuery
    view: View
    profile: Profile
    where: Filter
    terms: tuple[str, ...]
    anchors: tuple[Anchor, ...] = ()
    stats: TermStats | None = None
    vector: Vector | None = None
    cosines: dict[str, float] = field(default_factory=dict[str, float])
    counts: dict[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    lengths: dict[str, int] = field(default_factory=dict[str, int])
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])
    by_channel: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    leading: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    graph: dict[str, float] = field(default_factory=dict[str, float])
    ways: dict[str, Reach] = field(default_factory=dict[str, Reach])
    crossed: frozenset[str] = frozenset()
    saturated: bool = False
    current: str = "start"
    clock: StageClock = field(default_factory=lambda: StageClock(None))
    stages: list[Stage] = field(default_factory=list[Stage])
    reasons: list[str] = field(default_factory=list[str])
    errors: list[Failure] = field(default_factory=list[Failure])

    @asynccontextmanager
    async def stage(self, name: str) -> AsyncGenerator[StageNote]:
        """Time and bound a stage; a failing or slow dependency degrades it and the recall goes on, anything else is raised."""
        note = StageNote()
        self.current = name
        began = time.perf_counter()
        try:
            with within(self.clock.left(name)), span(f"hindsight_graph.recall.{name}"):
                yield note
        except (StoreError, EmbeddingError, MissingExtraError) as error:
            note.degraded = f"{name}: {error.message}"
            self.reasons.append(note.degraded)
            self.errors.append(error)
        except BaseException:
            note.degraded = f"{name}: stopped"
            raise
        finally:
            self.stages.append(
                Stage(
                    name=name,
                    milliseconds=round((time.perf_counter() - began) * 1000, 3),
                    counts=note.counts,
                    notes=tuple(note.notes),
                    degraded=note.degraded,
                )
            )

    def fall_short(self, name: str, reason: str) -> None:
        """Note a stage that did not come about."""
        self.reasons.append(f"{name}: {reason}")
        self.stages.append(Stage(name=name, milliseconds=0, degraded=self.reasons[-1]))

    def sources(self, memory_id: str) -> tuple[str, ...]:
        """Return the channels that found a memory."""
        return tuple(name for name, ids in self.by_channel.items() if memory_id in ids)

    def take(self, memories: Iterable[Memory]) -> int:
        """Make memories candidates; returns how many were new."""
        before = len(self.memories)
        for memory in memories:
            self.memories.setdefault(memory.id, memory)
        return len(self.memories) - before

    def preliminary(self) -> list[tuple[str, float]]:
        """Return the ids that the channels found with their own relevance, 0..1, best first, ties by id."""
        ids = list(dict.fromkeys([*self.counts, *self.cosines]))
        if not ids:
            return []
        none = (0,) * len(self.terms)
        counts = np.array([self.counts.get(memory_id, none) for memory_id in ids], dtype=np.float64)
        lengths = np.array([self.lengths.get(memory_id, 0) for memory_id in ids], dtype=np.float64)
        keyword = self._keyword(counts.reshape(len(ids), len(self.terms)), lengths)
        cosine = np.array([self.cosines.get(memory_id, np.nan) for memory_id in ids])
        both = relevance(by_maximum(keyword), scaled_similarity(self.profile, cosine), self.profile.weights)
        return sorted(zip(ids, both.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))

    def _keyword(self, counts: Floats, lengths: Floats) -> Floats:
        if not self.terms or self.stats is None:
            return np.zeros(len(lengths))
        return bm25(counts, lengths, inverse_frequencies(self.terms, self.stats), self.stats.average_length)

    def channels(self) -> Channels:
        """Score every candidate by its own and its episode's words, and by its vector."""
        memories = list(self.memories.values())
        rows: list[Sequence[int]] = []
        lengths: list[int] = []
        for memory in memories:
            known = self.counts.get(memory.id)
            if known is None:
                mine = index_terms(memory.summary, memory.context)
                known = [mine.count(term) for term in self.terms]
                self.counts[memory.id], self.lengths[memory.id] = known, len(mine)
            rows.append(known)
            lengths.append(self.lengths[memory.id])
        counts = np.array(rows, dtype=np.float64).reshape(len(memories), len(self.terms))
        sizes = np.array(lengths, dtype=np.float64)
        keyword = self._keyword(counts, sizes)
        if self.terms and self.stats is not None and memories:
            groups = _groups(memory.episode_ids[0] if memory.episode_ids else memory.id for memory in memories)
            keyword = pool(counts, sizes, inverse_frequencies(self.terms, self.stats), keyword, groups)
        cosine = np.array([self.cosines.get(memory.id, np.nan) for memory in memories], dtype=np.float64)
        both = relevance(by_maximum(keyword), scaled_similarity(self.profile, cosine), self.profile.weights)
        return Channels(keyword, cosine, both)

    def rank(self) -> Ranking:
        """Score and order all candidates; ties by id."""
        memories = tuple(self.memories.values())
        channels = self.channels()
        scores = score(self.profile, self._features(memories, channels))
        order = sorted(range(len(memories)), key=lambda at: (-scores.total[at], memories[at].id))
        return Ranking(memories, scores, tuple(order))

    def _features(self, memories: Sequence[Memory], channels: Channels) -> Features:
        at = self.view.event_time
        words = frozenset(query_terms(self.query.text))
        anchored = frozenset(anchor.entity_id for anchor in self.anchors)
        about_self = asks_about_self(self.query.text)
        return Features(
            cosine=channels.cosine,
            keyword=channels.keyword,
            neighbour=neighbours_of(memories, channels.relevance),
            graph=np.array([self.graph.get(memory.id, 0.0) for memory in memories]),
            entity=np.array([_share_named(memory, anchored) for memory in memories]) if anchored else np.zeros(len(memories)),
            slot=np.array([slot_share(memory.slot, words, about_self=about_self) for memory in memories]),
            tags=np.array([_tags_named(memory, words) for memory in memories]),
            age_hours=np.array([(at - memory.valid_from).total_seconds() / 3600 for memory in memories]),
            kinds=[memory.kind for memory in memories],
            confidence=np.array([memory.confidence for memory in memories]),
            importance=np.array([memory.importance for memory in memories]),
            weight=np.array([memory.weight for memory in memories]),
        )


def _groups(keys: Iterable[str]) -> NDArray[np.intp]:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def place_of(memory: Memory) -> Place | None:
    """Return the turn a memory stands in, if it stands in a session."""
    return None if memory.session_id is None else (memory.session_id, memory.sequence)


def neighbours_of(memories: Sequence[Memory], strength: Floats) -> Floats:
    """Return what each turn gains from the turns around it; its best (else longest) statement gets it, the others nothing."""
    places = [place_of(memory) for memory in memories]
    best: dict[Place, float] = {}
    for place, value in zip(places, strength, strict=True):
        if place is not None:
            best[place] = max(best.get(place, 0.0), float(value))
    gains = np.zeros(len(memories))
    if not best:
        return gains
    numbers: Mapping[Place, int] = {place: number for number, place in enumerate(best)}
    inside = [at for at, place in enumerate(places) if place is not None]
    groups = np.array([numbers[place] for place in places if place is not None], dtype=np.intp)
    own = np.array([strength[at] + 1e-9 * len(memories[at].summary) for at in inside])
    for at, leads in zip(inside, leaders(own, groups), strict=True):
        place = places[at]
        if leads and place is not None:
            gains[at] = neighbour_values(best, place)
    return gains


def _share_named(memory: Memory, anchored: frozenset[str]) -> float:
    return len(anchored.intersection(mention.entity_id for mention in memory.mentions)) / len(anchored)


def _tags_named(memory: Memory, words: frozenset[str]) -> float:
    labels = (*memory.tags, *memory.tools)
    if not labels:
        return 0.0
    return sum(1 for label in labels if words.issuperset(index_terms(label))) / len(labels)
