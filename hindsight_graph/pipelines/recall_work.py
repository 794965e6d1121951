"""What one recall has found so far, and what it makes of it: the state that its stages fill, and the pure scoring at the end."""

import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindsight_graph.errors import EmbeddingError, MissingExtraError, StoreError
from hindsight_graph.models.base import trusted
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.recall import RecallQuery
from hindsight_graph.models.record import TermStats, Vector
from hindsight_graph.models.result import Stage
from hindsight_graph.observe.spans import span
from hindsight_graph.pipelines.recall_plan import Anchor
from hindsight_graph.pipelines.recall_slots import asks_about_self, slot_share
from hindsight_graph.pipelines.recall_time import StageClock
from hindsight_graph.ranking.answers import Asked, answer_kind, asks_now, holds_answer
from hindsight_graph.ranking.bm25 import bm25, inverse_frequencies
from hindsight_graph.ranking.bridges import Seed
from hindsight_graph.ranking.current import LOOKED_AT, Rivals, lifts
from hindsight_graph.ranking.expansion import Reach
from hindsight_graph.ranking.fusion import by_maximum
from hindsight_graph.ranking.naming import weigh_parts
from hindsight_graph.ranking.pooling import Groups, Place, leaders, neighbour_values, pool, squared
from hindsight_graph.ranking.profiles import Features, Profile, Scores, adapted, relevance, scaled_similarity, score
from hindsight_graph.resilience.limits import within
from hindsight_graph.stores.program import Read, Reply
from hindsight_graph.text.tokens import index_terms, query_terms

__all__ = ["Channels", "Ranking", "StageNote", "Work"]

T = TypeVar("T")
Floats = NDArray[np.float64]
Failure = StoreError | EmbeddingError | MissingExtraError
"""What a stage may fail with while the recall goes on."""
PRONOUNS = frozenset({"we", "us", "i", "user", "我", "我们", "用户", "大家", "你们", "他们"})
"""Things that a question names without being about them."""
BEHIND = 0.98
"""Of a text's own score, what another one reached from it over a bridge may have at most."""


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
        crossed: Candidates in the other language than the question's, when both can be compared.
        graph: Value of the graph component by memory id; ways: how it was reached; bridged: from which memory over a bridge.
        followed: Memories that a walk over relations reached.
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
    followed: frozenset[str] = frozenset()
    crossed: frozenset[str] = frozenset()
    bridged: dict[str, str] = field(default_factory=dict[str, str])
    saturated: bool = False
    current: str = "start"
    clock: StageClock = field(default_factory=lambda: StageClock(None))
    stages: list[Stage] = field(default_factory=list[Stage])
    reasons: list[str] = field(default_factory=list[str])
    errors: list[Failure] = field(default_factory=list[Failure])

    def anew(self) -> "Work":
        """Return a recall that has found nothing yet, with this one's question, vector and stages."""
        return Work(
            self.scope, self.query, self.view, self.profile, self.where, self.terms,
            vector=self.vector, clock=self.clock, stages=list(self.stages), reasons=list(self.reasons), errors=list(self.errors),
        )  # fmt: skip

    @contextmanager
    def stage(self, name: str, *asked: Reply[Any]) -> Generator[StageNote]:
        """Time and bound a stage; a failing or slow dependency degrades it and the recall goes on, anything else is raised.

        `asked` are replies that the stage takes up: what they took, side by side, is part of its time.
        """
        note = StageNote()
        self.current = name
        began = time.perf_counter()
        if asked:
            began -= max(reply.ended for reply in asked) - min(reply.began for reply in asked)
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
            milliseconds = round((time.perf_counter() - began) * 1000, 3)
            self.stages.append(trusted(Stage, {
                "name": name, "milliseconds": milliseconds, "counts": note.counts, "notes": tuple(note.notes),
                "degraded": note.degraded,
            }))  # fmt: skip

    def bounded(self, name: str, read: Read[T]) -> Read[T]:
        """Return a read that may take what a stage has left."""
        return replace(read, seconds=self.clock.left(name))

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

    def adapt(self, width: int) -> None:
        """Choose the mix of words and vectors by the length of the texts found, and take the best `width` by it."""
        if not (self.profile.by_length and self.memories):
            return
        sizes: dict[str, int] = {}
        for memory in self.memories.values():
            self._count(memory)
            key = episode_of(memory)
            sizes[key] = sizes.get(key, 0) + self.lengths[memory.id]
        self.profile = adapted(self.profile, sum(sizes.values()) / len(sizes))
        self.leading = [pair for pair in self.preliminary() if pair[0] in self.memories][:width]

    def _count(self, memory: Memory) -> Sequence[int]:
        """Return how often each of the question's terms is in a memory, counted here where the store did not."""
        known = self.counts.get(memory.id)
        if known is None:
            mine = index_terms(memory.summary, memory.context)
            known = self.counts[memory.id] = [mine.count(term) for term in self.terms]
            self.lengths[memory.id] = len(mine)
        return known

    def seeds(self, count: int) -> tuple[Seed, ...]:
        """Return the best texts, each with all of its memories among the candidates; the best text has value 1."""
        groups: dict[str, list[str]] = {}
        values: dict[str, float] = {}
        for memory_id, value in self.leading:  # best first, so that a text's first memory has its value
            memory = self.memories.get(memory_id)
            if memory is None or value <= 0:
                continue
            key = episode_of(memory)
            if key in groups:
                groups[key].append(memory_id)
            elif len(groups) < count:
                groups[key], values[key] = [memory_id], value
        most = max(values.values(), default=1.0)
        return tuple([Seed(values[key] / most, tuple(members)) for key, members in groups.items()])

    def _keyword(self, counts: Floats, lengths: Floats) -> Floats:
        if not self.terms or self.stats is None:
            return np.zeros(len(lengths))
        return bm25(counts, lengths, inverse_frequencies(self.terms, self.stats), self.stats.average_length)

    def channels(self, groups: Groups) -> Channels:
        """Score every candidate by its own and its episode's words, and by its vector; `groups` are their episodes' numbers."""
        memories = list(self.memories.values())
        rows: list[Sequence[int]] = []
        lengths: list[int] = []
        for memory in memories:
            rows.append(self._count(memory))
            lengths.append(self.lengths[memory.id])
        counts = np.array(rows, dtype=np.float64).reshape(len(memories), len(self.terms))
        sizes = np.array(lengths, dtype=np.float64)
        counts = weigh_parts(counts, groups, self.terms, [frozenset(index_terms(anchor.name)) for anchor in self.anchors])
        keyword = self._keyword(counts, sizes)
        if self.terms and self.stats is not None and memories:
            keyword = pool(counts, sizes, inverse_frequencies(self.terms, self.stats), keyword, groups)
        cosine = np.array([self.cosines.get(memory.id, np.nan) for memory in memories], dtype=np.float64)
        both = relevance(by_maximum(keyword), scaled_similarity(self.profile, cosine), self.profile.weights)
        return Channels(keyword, cosine, both)

    def rank(self) -> Ranking:
        """Score and order all candidates; ties by id."""
        memories = tuple(self.memories.values())
        groups = _groups([episode_of(memory) for memory in memories])
        channels = self.channels(groups)
        scores = self._lift(memories, score(self.profile, self._capped(memories, self._features(memories, channels, groups))))
        totals: list[float] = scores.total.tolist()
        order = sorted(range(len(memories)), key=lambda at: (-totals[at], memories[at].id))
        return Ranking(memories, scores, tuple(order))

    def _lift(self, memories: Sequence[Memory], scores: Scores) -> Scores:
        """Put the statement that holds now before older ones that answer the same."""
        weight = self.profile.weights.get("current", 0.0)
        if weight <= 0 or not memories:
            return scores
        added, passed = np.zeros(len(memories)), np.zeros(len(memories), dtype=np.int64)
        if self.stats is not None and self.terms and asks_now(self.query.text, tuple(anchor.name for anchor in self.anchors)):
            idf = inverse_frequencies(self.terms, self.stats)
            best: list[int] = np.argsort(-scores.total, kind="stable")[:LOOKED_AT].tolist()
            cover, holds = np.zeros(len(memories)), [False] * len(memories)
            kind = answer_kind(self.query.text)
            things = [anchor.name for anchor in self.anchors if anchor.name.casefold() not in PRONOUNS]
            named = [thing.casefold() for thing in things]
            for at in best:
                memory = memories[at]
                said = sum(name in memory.summary.casefold() for name in named)
                cover[at] = said if named else float((np.array(self._count(memory)) > 0) @ idf)
                names = [mention.name for mention in memory.mentions]
                holds[at] = holds_answer(kind, self.query.text, memory.summary, names, things)
            since = [memory.valid_from for memory in memories]
            added, passed = lifts(Rivals(scores.total, cover, holds, since, kind is not Asked.ANY))
        return scores.lifted("current", weight, passed.astype(np.float64), added)

    def _pooled_graph(self, memories: Sequence[Memory], strength: Floats, groups: Groups) -> Floats:
        """Return each candidate's graph value; the best statement of a text has at least that of the text's others."""
        graph = np.array([self.graph.get(memory.id, 0.0) for memory in memories])
        if not self.graph or not memories:
            return graph
        most = np.zeros(int(groups.max()) + 1)
        np.maximum.at(most, groups, graph)
        return np.where(leaders(strength, groups), most[groups], graph)

    def _capped(self, memories: Sequence[Memory], features: Features) -> Features:
        """Return features in which what a text leads to stays behind that text."""
        weight = self.profile.weights.get("graph", 0.0)
        if not self.bridged or weight <= 0 or self.profile.multiplies:
            return features
        alone = score(self.profile, replace(features, graph=np.zeros(len(memories)))).total
        of_text: dict[str, float] = {}
        for memory, value in zip(memories, alone.tolist(), strict=True):
            key = episode_of(memory)
            of_text[key] = max(of_text.get(key, value), value)
        limit = np.full(len(memories), np.inf)
        start_of = {episode_of(self.memories[to]): start for to, start in self.bridged.items() if to in self.memories}
        for at, memory in enumerate(memories):
            start = self.memories.get(start_of.get(episode_of(memory), ""))
            if start is not None:
                limit[at] = max(0.0, BEHIND * of_text[episode_of(start)] - float(alone[at])) / weight
        return replace(features, graph=np.minimum(features.graph, limit))

    @property
    def scale(self) -> float:
        """What the best text's own words and vector may be worth together."""
        return self.profile.weights.get("keyword", 0.0) + self.profile.weights.get("similarity", 0.0)

    def _features(self, memories: Sequence[Memory], channels: Channels, groups: Groups) -> Features:
        at = self.view.event_time
        words = frozenset(query_terms(self.query.text))
        anchored = frozenset(anchor.entity_id for anchor in self.anchors)
        about_self = asks_about_self(self.query.text)
        return Features(
            cosine=channels.cosine,
            keyword=channels.keyword,
            neighbour=neighbours_of(memories, channels.relevance),
            graph=self._pooled_graph(memories, channels.relevance, groups),
            entity=np.array([_share_named(memory, anchored) for memory in memories]) if anchored else np.zeros(len(memories)),
            slot=np.array([slot_share(memory.slot, words, about_self=about_self) for memory in memories]),
            tags=np.array([_tags_named(memory, words) for memory in memories]),
            age_hours=np.array([(at - memory.valid_from).total_seconds() / 3600 for memory in memories]),
            kinds=[memory.kind for memory in memories],
            confidence=np.array([memory.confidence for memory in memories]),
            importance=np.array([memory.importance for memory in memories]),
            weight=np.array([memory.weight for memory in memories]),
        )


def _groups(keys: Sequence[str]) -> Groups:
    """Return a number for each key, in the order in which they come first."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def episode_of(memory: Memory) -> str:
    """Return what a memory's text is told apart by: its first episode."""
    return memory.episode_ids[0] if memory.episode_ids else memory.id


def place_of(memory: Memory) -> Place | None:
    """Return the turn a memory stands in, if it stands in a session."""
    return None if memory.session_id is None else (memory.session_id, memory.sequence)


def neighbours_of(memories: Sequence[Memory], strength: Floats) -> Floats:
    """Return what each turn gains from the turns around it; its best (else longest) statement gets it, the others nothing."""
    places = [place_of(memory) for memory in memories]
    best: dict[Place, float] = {}
    strengths: list[float] = strength.tolist()
    for place, value in zip(places, strengths, strict=True):
        if place is not None and value > best.setdefault(place, 0.0):
            best[place] = value
    gains = np.zeros(len(memories))
    if not best:
        return gains
    numbers: Mapping[Place, int] = {place: number for number, place in enumerate(best)}
    inside = [at for at, place in enumerate(places) if place is not None]
    groups = np.array([numbers[place] for place in places if place is not None], dtype=np.intp)
    own = np.array([strengths[at] + 1e-9 * len(memories[at].summary) for at in inside])
    squares = squared(best)
    for at, leads in zip(inside, leaders(own, groups).tolist(), strict=True):
        place = places[at]
        if leads and place is not None:
            gains[at] = neighbour_values(squares, place)
    return gains


def _share_named(memory: Memory, anchored: frozenset[str]) -> float:
    return len(anchored.intersection([mention.entity_id for mention in memory.mentions])) / len(anchored)


def _tags_named(memory: Memory, words: frozenset[str]) -> float:
    if not memory.tags and not memory.tools:
        return 0.0
    labels = (*memory.tags, *memory.tools)
    return sum(1 for label in labels if words.issuperset(index_terms(label))) / len(labels)
