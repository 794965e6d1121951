"""Where an expected memory was lost (promise R-11): not stored, no vector, filtered out, or ranked low, and by what."""

from collections.abc import Callable

from hindsight_graph.models.memory import Memory
from hindsight_graph.models.query import Filter, Scope, View
from hindsight_graph.models.recall import RecallQuery
from hindsight_graph.models.result import Expectation, Hit
from hindsight_graph.pipelines.recall import Recall
from hindsight_graph.pipelines.recall_page import make_hit
from hindsight_graph.pipelines.recall_plan import make_filter
from hindsight_graph.pipelines.recall_work import Ranking, Work
from hindsight_graph.stores.base import Store
from hindsight_graph.stores.program import run_program

__all__ = ["expect"]


async def expect(recall: Recall, store: Store, scope: Scope, query: RecallQuery, memory_id: str) -> Expectation:
    """Say where `memory_id` stands in the answer to `query`, or where it was lost on the way.

    Returns:
        `returned` with its rank and hit; else `ranked_low` (its gaps to the last returned result by component), `filtered_out`
        (by which conditions), `no_vector` (only words can find it, and did not), or `not_stored`.

    Raises:
        InputError: As `Recall.recall`.
    """
    stored = await store.get_memories(scope, (memory_id,))
    if not stored:
        explanation = f"memory {memory_id} is not stored in tenant {scope.tenant!r}, or this agent may not see it"
        return Expectation(memory_id=memory_id, verdict="not_stored", explanation=explanation)
    memory = stored[0]
    query = query.model_copy(update={"cursor": None, "token_budget": None})
    work, ranking = await recall.rank(scope, query)
    lost = await _filters(store, scope, query, work.view, memory)
    if lost:
        explanation = f"filtered out: {'; '.join(lost)}"
        return Expectation(memory_id=memory_id, verdict="filtered_out", explanation=explanation)
    has_vector = bool(await store.get_vectors(scope, (memory_id,)))
    found = any(memory.id == memory_id for memory in work.memories.values())
    if not found:
        if not has_vector:
            explanation = (
                "it has no embedding, and none of the question's words stand in it: `hindsight-graph doctor` counts such memories"
            )
            return Expectation(memory_id=memory_id, verdict="no_vector", explanation=explanation)
        work, ranking = await recall.rank(scope, query, include=(memory_id,))
    return _placed(work, ranking, memory_id, found=found)


def _placed(work: Work, ranking: Ranking, memory_id: str, *, found: bool) -> Expectation:
    ids = [ranking.memories[at].id for at in ranking.order]
    if memory_id not in ids:
        explanation = "; ".join(work.reasons) or "no channel reached it before the deadline"
        return Expectation(memory_id=memory_id, verdict="ranked_low", explanation=explanation)
    rank = ids.index(memory_id)
    hit = make_hit(work, ranking, rank)
    last = min(work.query.top_k, len(ids)) - 1
    if rank <= last:
        text = f"returned at rank {rank + 1} of {len(ids)} candidates, score {hit.score:.4f}"
        return Expectation(memory_id=memory_id, verdict="returned", rank=rank + 1, explanation=text, hit=hit)
    gaps = _gaps(hit, make_hit(work, ranking, last))
    worst = max(gaps, key=lambda name: gaps[name][1] - gaps[name][0])
    where = (
        f"ranked {rank + 1} of {len(ids)}"
        if found
        else "no channel put it among the candidates; scored beside them it is " + (f"{rank + 1} of {len(ids)}")
    )
    text = f"{where}; the last returned result is ahead most by {worst}: {gaps[worst][1]:.4f} against {gaps[worst][0]:.4f}"
    return Expectation(memory_id=memory_id, verdict="ranked_low", rank=rank + 1, explanation=text, hit=hit, gaps=gaps)


def _gaps(hit: Hit, last: Hit) -> dict[str, tuple[float, float]]:
    return {name: (part.contribution, last.components[name].contribution) for name, part in hit.components.items()}


async def _filters(store: Store, scope: Scope, query: RecallQuery, view: View, memory: Memory) -> list[str]:
    """Return in words every condition that keeps the memory out of the answer."""
    where, reason = await run_program(store, scope, make_filter(query, view))
    lost = [f"the entities filter: {reason}"] if reason else []
    lost += _time_and_state(view, memory)
    checks: list[tuple[str, object, Callable[[], bool]]] = [
        ("kinds", query.kinds, lambda: memory.kind in (query.kinds or ())),
        ("tags", query.tags, lambda: set(query.tags or ()) <= set(memory.tags)),
        ("session_id", query.session_id, lambda: memory.session_id == query.session_id),
        ("since", query.since, lambda: query.since is not None and memory.valid_from >= query.since),
        ("until", query.until, lambda: query.until is not None and memory.valid_from < query.until),
        ("task_type", query.task_type, lambda: memory.task_type == query.task_type),
        ("outcome", query.outcome, lambda: memory.outcome == query.outcome),
        ("tool", query.tool, lambda: query.tool in memory.tools),
        ("error_code", query.error_code, lambda: memory.error_code == query.error_code),
        ("media_type", query.media_type, lambda: memory.media_type == query.media_type),
    ]
    has = {"since": memory.valid_from, "until": memory.valid_from, "kinds": memory.kind, "tool": memory.tools}
    for name, asked, holds in checks:
        if asked is not None and not holds():
            value = has.get(name, getattr(memory, name, None))
            lost.append(f"{name} is asked to be {_shown(asked)}, the memory has {_shown(value)}")
    if query.entities is not None and where is not None and not await _admits(store, scope, where, view, memory.id):
        lost.append(f"entities is asked to be {_shown(query.entities)}, the memory mentions {_shown(memory.entity_names)}")
    return lost


async def _admits(store: Store, scope: Scope, where: Filter, view: View, memory_id: str) -> bool:
    timeless = view.model_copy(update={"timeless": True, "min_trust": 0.0})
    alone = Filter(view=timeless, ids=(memory_id,), entity_ids=where.entity_ids)
    known = await store.scan_memories(scope, Filter(view=timeless, ids=(memory_id,)), limit=1)
    return not known.rows or bool((await store.scan_memories(scope, alone, limit=1)).rows)


def _time_and_state(view: View, memory: Memory) -> list[str]:
    if view.holds(memory):
        return []
    if memory.trust < view.min_trust:
        return [f"its trust {memory.trust:.2f} (origin {memory.origin.value}) is below the floor {view.min_trust:.2f}"]
    if memory.status not in view.statuses:
        return [f"its status is {memory.status.value}; asked for are {_shown(view.statuses)}"]
    if not view.is_historical and not memory.is_current:
        return ["it is no longer current: a later version stands for it, or it was retired"]
    if memory.expires_at is not None and memory.expires_at <= view.record_time:
        return [f"it expired at {memory.expires_at.isoformat()}"]
    if memory.recorded_at > view.record_time:
        return [f"it was recorded at {memory.recorded_at.isoformat()}, after the record time asked about"]
    if memory.valid_from > view.event_time:
        return [f"it is valid from {memory.valid_from.isoformat()}, after the event time asked about"]
    end = memory.valid_to.isoformat() if memory.valid_to else memory.retired_at.isoformat() if memory.retired_at else "earlier"
    return [f"it was no longer valid at the time asked about (until {end})"]


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or "none"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return "none" if value is None else str(value)
