"""The stages of a recall that find: a program of reads, so that a store can run it where its data is.

Plan, keyword and vector candidates (filtered first) are one step; reading the best and the walks from what the question names
the next, the turns around and the bridges one more. What does not depend on each other is asked together: five steps in all, each
of which a store in another process answers in about the time of its slowest read.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hindsight_graph.embedding.centres import Centre
from hindsight_graph.models.entity import Entity
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter
from hindsight_graph.models.recall import RecallSettings
from hindsight_graph.models.record import Page, ScoredId, TermStats, TextCandidate
from hindsight_graph.pipelines.recall_crossing import compare_across, find_across
from hindsight_graph.pipelines.recall_plan import find_anchors, make_filter
from hindsight_graph.pipelines.recall_walk import (
    Walked,
    keep,
    keep_bridges,
    keep_relations,
    walk_associations,
    walk_bridges,
    walk_relations,
)
from hindsight_graph.pipelines.recall_work import Work, place_of
from hindsight_graph.ranking.pooling import Place, nearby_places
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, Read, Reply, a_read, as_reply, ask, ask_together, side_by_side

__all__ = ["find"]

_GRAPH_READ = 30
"""Memories that the graph may bring in on top of the candidates, the best ones."""


@dataclass(frozen=True, slots=True)
class _Followed:
    """What came of the reads that go on from the candidates, side by side; None for what was not asked.

    Attributes:
        wanted: Ids of the best candidates. measured: the similarity of those that the vector channel did not return.
        neighbours: The turns around the best. relations, associations, bridges: where walks led.
    """

    wanted: frozenset[str]
    measured: Reply[tuple[ScoredId, ...]] | None
    neighbours: Reply[Page[Memory]] | None
    relations: Reply[tuple[Walked, ...]] | None
    associations: Reply[Walked] | None
    bridges: Reply[Walked | None] | None


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
    found = yield from _follow(work, settings, width, include)
    yield from find_across(centres, work, max(settings.candidates // 2, 1))
    _take_followed(work, found)
    yield from _complete(work, found)
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
        everything = work.where if work.where.is_plain else Filter(view=work.view)
        reads["stats"] = work.bounded("keyword", a_read(Store.term_stats, work.terms, everything))
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


def _follow(work: Work, settings: RecallSettings, width: int, include: Sequence[str]) -> Program[_Followed]:
    """Go on from the candidates and from what the question names, side by side.

    The best candidates are read, and from them it goes to the turns around them and over bridges; the similarity of those that
    the vectors did not bring is measured; from what the question names walks lead on.
    """
    best = work.preliminary()
    work.saturated = work.saturated or len(best) > width
    work.leading = best[:width]
    wanted = tuple(dict.fromkeys([*(memory_id for memory_id, _ in work.leading), *include]))
    programs: dict[str, Program[Any]] = {"read": _read_on(work, settings, width, wanted), "measured": _measure(work, wanted)}
    if work.query.graph and work.anchors:
        programs["relations"] = as_reply(walk_relations(work, settings))
        programs["associations"] = as_reply(walk_associations(work, settings))
    came = dict(zip(programs, (yield from side_by_side(*programs.values())), strict=True))
    neighbours, bridges = came["read"]
    return _Followed(frozenset(wanted), came["measured"], neighbours, came.get("relations"), came.get("associations"), bridges)


def _read_on(
    work: Work, settings: RecallSettings, width: int, wanted: Sequence[str]
) -> Program[tuple[Reply[Page[Memory]] | None, Reply[Walked | None] | None]]:
    """Read the best candidates; then the turns around them, and where bridges lead from them."""
    (read,) = yield from ask_together(work.bounded("read", a_read(Store.get_memories, wanted)))
    with work.stage("read", read) as note:
        note.counts["memories"] = work.take(read.take())
    work.adapt(width)
    near = _near(work, settings)
    programs: dict[str, Program[Any]] = {}
    if near:
        where = work.where.model_copy(update={"places": tuple(near)})
        programs["near"] = as_reply(ask(work.bounded("neighbours", a_read(Store.scan_memories, where, limit=4 * len(near)))))
    if work.query.graph:
        programs["bridges"] = as_reply(walk_bridges(work, settings))
    came = dict(zip(programs, (yield from side_by_side(*programs.values())), strict=True))
    return came.get("near"), came.get("bridges")


def _near(work: Work, settings: RecallSettings) -> list[Place]:
    """Return the turns around the best candidates, without these."""
    if work.profile.weights.get("neighbour", 0.0) <= 0:
        return []
    known = [work.memories[memory_id] for memory_id, _ in work.leading if memory_id in work.memories]
    turns = dict.fromkeys(place for memory in known if (place := place_of(memory)) is not None)
    sources = list(turns)[: settings.neighbour_sources]
    return [place for place in nearby_places(sources) if place not in turns]


def _take_followed(work: Work, found: _Followed) -> None:
    """Take in what the turns around and the graph brought."""
    if found.neighbours is not None:
        with work.stage("neighbours", found.neighbours) as note:
            page = found.neighbours.take()
            work.by_channel["neighbour"] = frozenset(memory.id for memory in page.rows)
            note.counts["memories"] = work.take(page.rows)
    if found.relations is not None:
        with work.stage("relations", found.relations) as note:
            keep_relations(work, found.relations.take(), note)
    if found.associations is not None:
        with work.stage("associations", found.associations) as note:
            keep(work, (found.associations.take(),), note)
    if found.bridges is not None:
        with work.stage("bridges", found.bridges) as note:
            keep_bridges(work, found.bridges.take(), note)
    if work.query.graph:
        work.by_channel["graph"] = frozenset(work.graph)


def _measure(work: Work, ids: Iterable[str]) -> Program[Reply[tuple[ScoredId, ...]] | None]:
    """Ask the similarity of those that the vector channel did not return; None when there is nothing to ask."""
    missing = tuple(memory_id for memory_id in ids if memory_id not in work.cosines)
    if not missing or work.vector is None or work.profile.weights.get("similarity", 0.0) <= 0:
        return None
    only = Filter(view=work.view, ids=missing)
    (measured,) = yield from ask_together(work.bounded("similarity", a_read(Store.vector_topk, work.vector, len(missing), only)))
    return measured


def _complete(work: Work, found: _Followed) -> Program[None]:
    """Read what only the graph reached, and take in the similarity of all candidates that the vector channel did not return."""
    best = sorted(work.graph, key=lambda memory_id: (-work.graph[memory_id], memory_id))
    reached = [memory_id for memory_id in best if memory_id not in work.memories][:_GRAPH_READ]
    others = [memory_id for memory_id in (*work.memories, *reached) if memory_id not in found.wanted]
    read, more = yield from side_by_side(_read_reached(work, reached), _measure(work, others))
    if read is not None:
        with work.stage("read reached", read) as note:
            note.counts["memories"] = work.take(memory for memory in read.take() if work.view.holds(memory))
    replies = [reply for reply in (found.measured, more) if reply is not None]
    if replies:
        with work.stage("similarity", *replies) as note:
            measured = [near for reply in replies for near in reply.take() if near.id in work.memories]
            work.cosines.update({near.id: near.score for near in measured})
            note.counts["vectors"] = len(measured)


def _read_reached(work: Work, ids: Sequence[str]) -> Program[Reply[tuple[Memory, ...]] | None]:
    if not ids:
        return None
    if work.where.is_plain:
        return (yield from as_reply(ask(work.bounded("read reached", a_read(Store.get_memories, ids)))))
    where = work.where.model_copy(update={"ids": tuple(ids)})
    page = yield from as_reply(ask(work.bounded("read reached", a_read(Store.scan_memories, where, limit=len(ids)))))
    return Reply(None if page.value is None else page.value.rows, page.error, page.began, page.ended)
