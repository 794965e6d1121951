"""The stages of a recall that find: a program of reads, so that a store can run it where its data is.

Plan, keyword and vector candidates (filtered first) are one step; then the best are read, their neighbouring turns, what the
graph leads to, and what similarity the others have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hindsight_graph.embedding.centres import Centre
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.query import Filter
from hindsight_graph.models.recall import RecallSettings
from hindsight_graph.models.record import ScoredId, TermStats, TextCandidate
from hindsight_graph.pipelines.recall_crossing import compare_across, find_across
from hindsight_graph.pipelines.recall_plan import find_anchors, make_filter
from hindsight_graph.pipelines.recall_walk import walk_associations, walk_bridges, walk_relations
from hindsight_graph.pipelines.recall_work import Work, place_of
from hindsight_graph.ranking.pooling import nearby_places
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, Read, Reply, a_read, ask, ask_together

__all__ = ["find"]

_GRAPH_READ = 30
"""Memories that the graph may bring in on top of the candidates, the best ones."""


def find(work: Work, settings: RecallSettings, centres: Mapping[str, Centre], include: Sequence[str] = ()) -> Program[None]:
    """Find candidates and all that scoring needs of them.

    Args:
        work: What is asked, and its vector; filled with what is found.
        settings: Bounds.
        centres: Where the embedder puts languages, if it knows.
        include: Memories to score wherever they stand.
    """
    if not (yield from _filter(work)):
        return
    width = max(settings.candidates, 2 * work.query.top_k)
    yield from _search(work, width)
    yield from _load(work, width, include)
    yield from find_across(centres, work, max(settings.candidates // 2, 1))
    yield from _neighbours(work, settings)
    if work.query.graph:
        yield from _walk(work, settings)
    yield from _complete(work)
    yield from compare_across(centres, work)


def _filter(work: Work) -> Program[bool]:
    """Make the filter; returns whether anything can be in it."""
    if work.query.entities is None:
        where, _ = yield from make_filter(work.query, work.view)
    else:
        where = None
        with work.stage("filter") as note:
            where, reason = yield from make_filter(work.query, work.view)
            if where is None:
                note.notes.append(reason)
                work.reasons.append(reason)
    if where is not None:
        work.where = where
    return where is not None


def _search(work: Work, width: int) -> Program[None]:
    """Ask what the question names, its words and its vector together."""
    reads: dict[str, Read[Any]] = {}
    names, anchors_of = find_anchors(work.query.text)
    if work.query.graph and names is not None:
        reads["names"] = work.bounded("plan", names)
    if work.terms:
        reads["stats"] = work.bounded("keyword", a_read(Store.term_stats, work.terms, Filter(view=work.view)))
        reads["words"] = work.bounded("keyword", a_read(Store.text_topk, work.terms, width, work.where))
    nearest = max(width // 2, 1)
    if work.vector is not None:
        reads["nearest"] = work.bounded("vector", a_read(Store.vector_topk, work.vector, nearest, work.where))
    given = yield from ask_together(*reads.values())
    replies: dict[str, Reply[Any]] = dict(zip(reads, given, strict=True))
    known: Reply[dict[str, Entity]] | None = replies.get("names")
    with work.stage("plan", *filter(None, (known,))) as note:
        note.counts.update({"terms": len(work.terms), "entities": 0})
        if known is not None:
            work.anchors = anchors_of(known.take())
            note.counts["entities"] = len(work.anchors)
    if work.terms:
        _take_words(work, width, replies["stats"], replies["words"])
    if work.vector is not None:
        _take_nearest(work, nearest, replies["nearest"])


def _take_words(work: Work, width: int, stats: Reply[TermStats], words: Reply[tuple[TextCandidate, ...]]) -> None:
    with work.stage("keyword", stats, words) as note:
        work.stats = stats.take()
        rows = words.take()
        for row in rows:
            work.counts[row.id], work.lengths[row.id] = row.counts, row.length
        work.by_channel["keyword"] = frozenset(work.counts)
        work.saturated = work.saturated or len(rows) >= width
        note.counts["candidates"] = len(rows)


def _take_nearest(work: Work, width: int, nearest: Reply[tuple[ScoredId, ...]]) -> None:
    with work.stage("vector", nearest) as note:
        found = nearest.take()
        work.cosines = {near.id: near.score for near in found}
        work.by_channel["vector"] = frozenset(work.cosines)
        work.saturated = work.saturated or len(found) >= width
        note.counts["candidates"] = len(found)


def _load(work: Work, width: int, include: Sequence[str]) -> Program[None]:
    best = work.preliminary()
    work.saturated = work.saturated or len(best) > width
    work.leading = best[:width]
    with work.stage("read") as note:
        wanted = tuple(dict.fromkeys([*(memory_id for memory_id, _ in work.leading), *include]))
        note.counts["memories"] = work.take((yield from ask(a_read(Store.get_memories, wanted))))
    work.adapt(width)


def _neighbours(work: Work, settings: RecallSettings) -> Program[None]:
    if work.profile.weights.get("neighbour", 0.0) <= 0 or not work.memories:
        return
    known = [work.memories[memory_id] for memory_id, _ in work.leading if memory_id in work.memories]
    turns = dict.fromkeys(place for memory in known if (place := place_of(memory)) is not None)
    sources = list(turns)[: settings.neighbour_sources]
    near = [place for place in nearby_places(sources) if place not in turns]
    if not near:
        return
    with work.stage("neighbours") as note:
        where = work.where.model_copy(update={"places": tuple(near)})
        page = yield from ask(a_read(Store.scan_memories, where, limit=4 * len(near)))
        work.by_channel["neighbour"] = frozenset(memory.id for memory in page.rows)
        note.counts["memories"] = work.take(page.rows)


def _walk(work: Work, settings: RecallSettings) -> Program[None]:
    if work.anchors:
        with work.stage("relations") as note:
            yield from walk_relations(work, settings, note)
        with work.stage("associations") as note:
            yield from walk_associations(work, settings, note)
    with work.stage("bridges") as note:
        yield from walk_bridges(work, settings, note)
    work.by_channel["graph"] = frozenset(work.graph)
    best = sorted(work.graph, key=lambda memory_id: (-work.graph[memory_id], memory_id))
    missing = [memory_id for memory_id in best if memory_id not in work.memories][:_GRAPH_READ]
    if not missing:
        return
    with work.stage("read reached") as note:
        if work.where.is_plain:
            read = yield from ask(a_read(Store.get_memories, missing))
        else:
            where = work.where.model_copy(update={"ids": tuple(missing)})
            read = (yield from ask(a_read(Store.scan_memories, where, limit=len(missing)))).rows
        note.counts["memories"] = work.take(memory for memory in read if work.view.holds(memory))


def _complete(work: Work) -> Program[None]:
    """Measure the similarity of candidates that the vector channel did not return."""
    missing = [memory_id for memory_id in work.memories if memory_id not in work.cosines]
    if not missing or work.vector is None or work.profile.weights.get("similarity", 0.0) <= 0:
        return
    with work.stage("similarity") as note:
        only = Filter(view=work.view, ids=tuple(missing))
        measured = yield from ask(a_read(Store.vector_topk, work.vector, len(missing), only))
        work.cosines.update({found.id: found.score for found in measured})
        note.counts["vectors"] = len(measured)
