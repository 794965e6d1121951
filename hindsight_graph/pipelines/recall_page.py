"""The last stage of a recall: a page of the ranking as explained results, with what contradicts what, and the trace."""

from collections.abc import Sequence
from copy import deepcopy

from hindsight_graph.models.base import trusted
from hindsight_graph.models.enums import Direction, StructureType
from hindsight_graph.models.memory import Memory
from hindsight_graph.models.recall import RecallSettings
from hindsight_graph.models.result import Answer, Conflict, GraphPath, Hit, Trace
from hindsight_graph.pipelines.recall_walk import graph_path, path_entities
from hindsight_graph.pipelines.recall_work import Ranking, Work
from hindsight_graph.ranking.budget import Cut, Position, cut_page, encode_cursor
from hindsight_graph.ranking.conflicts import order_conflicts, slot_conflicts
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import Program, a_read, ask
from hindsight_graph.text.language import detect_language
from hindsight_graph.text.tokens import estimate_tokens

__all__ = ["HIT_TOKENS", "make_answer", "make_hit"]

HIT_TOKENS = 12
"""Estimated tokens of a result besides its summary: bullet, kind, date."""


def make_answer(work: Work, ranking: Ranking, settings: RecallSettings, position: Position, bound: str) -> Program[Answer]:
    """Return the page at `position`; `bound` ties its cursor to the question."""
    query = work.query
    tokens = [estimate_tokens(ranking.memories[at].summary) + HIT_TOKENS for at in ranking.order]
    cut = cut_page(tokens, position.offset, query.top_k, query.token_budget)
    with work.stage("page") as note:
        hits, conflicts = yield from _hits(work, ranking, settings, cut)
        note.counts["results"] = len(hits)
    if cut.reason:
        work.reasons.append(cut.reason)
    if work.saturated and not cut.more:
        work.reasons.append(
            f"only the best {settings.candidates} candidates were ranked; "
            "a narrower filter, a larger top_k or the setting recall.candidates reaches more"
        )
    more = cut.more and cut.stop > cut.start
    return Answer(
        results=hits,
        truncated=cut.more or work.saturated,
        cursor=encode_cursor(Position(cut.stop, work.view.now), bound) if more else None,
        degraded=any(stage.degraded for stage in work.stages),
        reasons=tuple(work.reasons),
        conflicts=conflicts,
        tokens=cut.tokens,
        trace=Trace(
            query=query.text,
            language=detect_language(query.text),
            profile=work.profile.name,
            entities=tuple(anchor.name for anchor in work.anchors),
            terms=work.terms,
            stages=tuple(work.stages),
        ),
    )


def _hits(
    work: Work, ranking: Ranking, settings: RecallSettings, cut: Cut
) -> Program[tuple[tuple[Hit, ...], tuple[Conflict, ...]]]:
    page = [ranking.memories[at] for at in ranking.order[cut.start : cut.stop]]
    places = {memory.id: cut.start + place for place, memory in enumerate(page)}
    pairs = yield from _contradictions(work, settings, page)
    order, conflicts = order_conflicts(page, pairs)
    paths = yield from _paths(work, order)
    return tuple([make_hit(work, ranking, places[memory_id], paths.get(memory_id)) for memory_id in order]), conflicts


def make_hit(work: Work, ranking: Ranking, rank: int, path: GraphPath | None = None) -> Hit:
    """Return the result at a rank, from 0, with its explanation."""
    at = ranking.order[rank]
    memory = ranking.memories[at]
    return trusted(Hit, {
        "memory": _own(memory), "score": float(ranking.scores.total[at]), "components": ranking.scores.components(at),
        "sources": work.sources(memory.id), "evidence": memory.raw_refs, "path": path,
    })  # fmt: skip


def _own(memory: Memory) -> Memory:
    """Return the memory with a payload of its own: the caller may change it, and the store may keep the memory."""
    return trusted(Memory, {**memory.__dict__, "payload": deepcopy(memory.payload)})


def _contradictions(work: Work, settings: RecallSettings, page: Sequence[Memory]) -> Program[list[tuple[str, str, str]]]:
    pairs = slot_conflicts(page)
    if len(page) > 1:
        with work.stage("conflicts") as note:
            ids = [memory.id for memory in page]
            edges = yield from ask(
                a_read(Store.edges_of, ids, (StructureType.CONTRADICTS,), Direction.BOTH, settings.edges_per_node, work.view)
            )
            pairs += [(edge.source_id, edge.target_id, "they contradict each other") for edge in edges.edges]
            note.counts["pairs"] = len(pairs)
    return pairs


def _paths(work: Work, ids: Sequence[str]) -> Program[dict[str, GraphPath]]:
    ways = {memory_id: work.ways[memory_id] for memory_id in ids if memory_id in work.ways}
    if not ways:
        return {}
    nodes = path_entities(tuple(ways.values()))
    names = {memory.id: memory.summary for memory in work.memories.values()}
    with work.stage("paths"):
        unknown = [node for node in nodes if node not in names]
        names.update({entity.id: entity.name for entity in (yield from ask(a_read(Store.get_entities, unknown)))})
    return {memory_id: graph_path(reach, names, work.memories) for memory_id, reach in ways.items()}
